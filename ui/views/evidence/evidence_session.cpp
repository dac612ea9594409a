// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/evidence/evidence_session.h"

#include <QThreadPool>

#include <iterator>
#include <mutex>
#include <stop_token>

namespace shardlab::ui {
namespace {

constexpr int drainMilliseconds = 250;

}  // namespace

struct EvidenceSession::Feed {
    std::filesystem::path file;
    std::size_t first = 0;
    std::stop_source stop;
    std::mutex mutex;
    std::vector<ValidatedRow> news;
    std::size_t total = 0;
    std::optional<Error> error;
    bool done = false;

    void run() {
        const Result<CsvTable> table = CsvTable::read(file);
        if (table) predictRows(*table);
        const std::scoped_lock lock(mutex);
        if (!table) error = table.error();
        done = true;
    }
    void predictRows(const CsvTable& table) {
        for (std::size_t i = first; i < table.rows() && !stop.stop_requested(); ++i) {
            ValidatedRow row = validateRow(table, i);
            const std::scoped_lock lock(mutex);
            total = table.rows();
            news.push_back(std::move(row));
        }
    }
};

EvidenceSession::EvidenceSession(std::filesystem::path file, QObject* parent)
    : QObject(parent), file_(std::move(file)) {
    timer_.setInterval(drainMilliseconds);
    connect(&timer_, &QTimer::timeout, this, &EvidenceSession::drain);
}

EvidenceSession::~EvidenceSession() {
    if (feed_) feed_->stop.request_stop();
}

void EvidenceSession::start() {
    if (feed_ || complete()) return;
    error_.reset();
    feed_ = std::make_shared<Feed>();
    feed_->file = file_;
    feed_->first = rows_.size();
    QThreadPool::globalInstance()->start([feed = feed_] { feed->run(); });
    timer_.start();
    Q_EMIT changed();
}

void EvidenceSession::cancel() {
    if (!feed_) return;
    feed_->stop.request_stop();
    drain();
    feed_ = nullptr;
    timer_.stop();
    Q_EMIT changed();
}

void EvidenceSession::drain() {
    const std::shared_ptr<Feed> feed = feed_;
    if (!feed) return;
    {
        const std::scoped_lock lock(feed->mutex);
        if (feed->news.empty() && !feed->done) return;
        std::ranges::move(feed->news, std::back_inserter(rows_));
        feed->news.clear();
        if (feed->total > 0) total_ = feed->total;
        error_ = feed->error;
        if (feed->done) feed_ = nullptr;
    }
    if (!feed_) timer_.stop();
    Q_EMIT changed();
}

}  // namespace shardlab::ui
