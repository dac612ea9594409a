// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/query/query_session.h"

#include "engine/trace/run_file/run_file.h"

#include <QElapsedTimer>
#include <QThreadPool>

#include <atomic>
#include <iterator>
#include <mutex>
#include <utility>

namespace shardlab::ui {
namespace {

constexpr int drainMilliseconds = 40;

}  // namespace

struct QuerySession::Feed {
    std::filesystem::path run;
    std::string sql;
    std::atomic<bool> stop = false;
    std::mutex mutex;
    std::vector<std::string> columns;
    std::vector<std::vector<Cell>> news;
    std::size_t told = 0;
    bool cut = false;
    std::optional<Error> error;
    double seconds = 0;
    bool done = false;

    Status read() {
        auto reader = RunReader::open(run);
        if (!reader) return tl::unexpected(reader.error());
        auto query = RunQuery::open(**reader);
        if (!query) return tl::unexpected(query.error());
        RunQuery::Answer answer;
        answer.head = [this](const std::vector<std::string>& head) {
            const std::scoped_lock lock(mutex);
            columns = head;
        };
        answer.row = [this](std::span<const Cell> row) {
            const std::scoped_lock lock(mutex);
            if (told == mostRows) {
                cut = true;
                return false;
            }
            news.emplace_back(row.begin(), row.end());
            ++told;
            return true;
        };
        answer.cancelled = [this] { return stop.load(); };
        return (*query)->ask(sql, answer);
    }

    void work() {
        QElapsedTimer clock;
        clock.start();
        const Status status = read();
        const std::scoped_lock lock(mutex);
        if (!status) error = status.error();
        seconds = static_cast<double>(clock.nsecsElapsed()) * 1e-9;
        done = true;
    }
};

QuerySession::QuerySession(QObject* parent) : QObject(parent) {
    timer_.setInterval(drainMilliseconds);
    connect(&timer_, &QTimer::timeout, this, &QuerySession::drain);
}

QuerySession::~QuerySession() { leave(); }

void QuerySession::leave() {
    if (feed_) feed_->stop = true;
    feed_ = nullptr;
    timer_.stop();
}

void QuerySession::clear() {
    leave();
    columns_.clear();
    rows_.clear();
    error_.reset();
    cut_ = cancelled_ = answered_ = false;
    Q_EMIT changed();
}

void QuerySession::ask(std::filesystem::path run, std::string sql) {
    clear();
    answered_ = true;
    feed_ = std::make_shared<Feed>();
    feed_->run = std::move(run);
    feed_->sql = std::move(sql);
    QThreadPool::globalInstance()->start([feed = feed_] { feed->work(); });
    timer_.start();
    Q_EMIT changed();
}

void QuerySession::cancel() {
    if (!feed_) return;
    drain();
    if (!feed_) return;  // just done
    leave();
    cancelled_ = true;
    Q_EMIT changed();
}

void QuerySession::drain() {
    const std::shared_ptr<Feed> feed = feed_;
    if (!feed) return;
    {
        const std::scoped_lock lock(feed->mutex);
        if (feed->news.empty() && !feed->done && columns_ == feed->columns) return;
        columns_ = feed->columns;
        std::move(feed->news.begin(), feed->news.end(), std::back_inserter(rows_));
        feed->news.clear();
        if (feed->done) {
            cut_ = feed->cut;
            error_ = feed->error;
            seconds_ = feed->seconds;
            feed_ = nullptr;
            timer_.stop();
        }
    }
    Q_EMIT changed();
}

}  // namespace shardlab::ui
