// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/replay_session.h"

#include "ui/core/run_model.h"
#include "ui/core/stored_steps.h"

#include "engine/trace/run_file.h"

#include <QElapsedTimer>
#include <QThreadPool>

#include <condition_variable>
#include <deque>
#include <mutex>

namespace shardlab {
namespace {

constexpr std::size_t batchEvents = 1 << 15;
/// Batches the worker may be ahead: bounds memory while the window is busy.
constexpr std::size_t batchesAhead = 16;
/// Of each frame, for taking events in.
constexpr int frameBudgetMilliseconds = 10;
constexpr int frameMilliseconds = 16;

}  // namespace

struct ReplaySession::Feed {
    struct Opening {
        RunHeader header;
        std::vector<Event> predicted;
        std::vector<LogLine> log;
        std::vector<RankRecord> ranks;
        std::vector<Note> notes;
        EventNames names;
        std::vector<Event> restarts;
        std::optional<StoredSteps> steps;
        std::int64_t events = 0;
        std::int64_t dropped = 0;
    };

    std::filesystem::path file;
    std::mutex mutex;
    std::condition_variable space;
    std::optional<Opening> opening;
    std::deque<std::vector<Event>> batches;
    std::optional<RunEnd> end;
    std::optional<Error> error;
    bool cancelled = false;
    bool done = false;

    void read();
    Status readAll();
    /// False once nobody wants more.
    bool push(std::vector<Event> batch);
};

bool ReplaySession::Feed::push(std::vector<Event> batch) {
    std::unique_lock lock(mutex);
    space.wait(lock, [&] { return cancelled || batches.size() < batchesAhead; });
    if (!cancelled) batches.push_back(std::move(batch));
    return !cancelled;
}

Status ReplaySession::Feed::readAll() {
    auto reader = RunReader::open(file);
    if (!reader) return tl::unexpected(reader.error());
    const RunReader& run = **reader;
    auto predicted = run.predicted();
    if (!predicted) return tl::unexpected(predicted.error());
    auto log = run.log();
    if (!log) return tl::unexpected(log.error());
    auto notes = run.notes();
    std::optional<StoredSteps> steps;
    if (run.storesFigures()) {
        auto read = readSteps(run, [this] {
            const std::scoped_lock lock(mutex);
            return !cancelled;
        });
        if (!read) return tl::unexpected(read.error());
        steps = std::move(*read);
    }
    {
        const std::scoped_lock lock(mutex);
        opening = Opening{run.header(), std::move(*predicted), std::move(*log), run.ranks(), notes ? *notes : std::vector<Note>{},
                          run.names(), run.restarts(), std::move(steps), run.eventCount(), run.droppedEvents()};
    }
    std::vector<Event> batch;
    const Status read = run.readEvents([&](std::span<const Event> events) {
        batch.insert(batch.end(), events.begin(), events.end());
        return batch.size() < batchEvents || push(std::exchange(batch, {}));
    });
    if (!batch.empty()) push(std::move(batch));
    const std::scoped_lock lock(mutex);
    end = run.end();
    // Damaged notes keep nobody from looking at the run.
    if (read && !notes) return tl::unexpected(notes.error());
    return read;
}

void ReplaySession::Feed::read() {
    const Status status = readAll();
    const std::scoped_lock lock(mutex);
    if (!status) error = status.error();
    done = true;
}

ReplaySession::ReplaySession(RunModel& model, QObject* parent) : QObject(parent), model_(model) {
    timer_.setInterval(frameMilliseconds);
    connect(&timer_, &QTimer::timeout, this, &ReplaySession::drain);
}

ReplaySession::~ReplaySession() { cancel(); }

void ReplaySession::open(std::filesystem::path file) {
    cancel();
    feed_ = std::make_shared<Feed>();
    feed_->file = std::move(file);
    taken_ = 0;
    expected_ = 0;
    QThreadPool::globalInstance()->start([feed = feed_] { feed->read(); });
    timer_.start();
    Q_EMIT progressChanged();
}

void ReplaySession::cancel() {
    if (!feed_) return;
    {
        const std::scoped_lock lock(feed_->mutex);
        feed_->cancelled = true;
    }
    feed_->space.notify_all();
    feed_ = nullptr;
    timer_.stop();
    Q_EMIT progressChanged();
}

double ReplaySession::progress() const {
    return expected_ > 0 ? std::min(1.0, static_cast<double>(taken_) / static_cast<double>(expected_)) : 0.0;
}

void ReplaySession::drain() {
    QElapsedTimer frame;
    frame.start();
    const std::shared_ptr<Feed> feed = feed_;
    while (feed && feed == feed_ && frame.elapsed() < frameBudgetMilliseconds) {
        std::unique_lock lock(feed->mutex);
        if (feed->opening) {
            Feed::Opening opening = *std::exchange(feed->opening, std::nullopt);
            lock.unlock();
            file_ = feed->file;
            expected_ = opening.events;
            dropped_ = opening.dropped;
            model_.begin(opening.header, opening.predicted);
            model_.setFile(file_);
            model_.setNotes(opening.notes);
            model_.setNames(opening.names);
            for (const LogLine& line : opening.log) model_.append(line);
            for (const RankRecord& rank : opening.ranks) model_.setRank(rank);
            if (opening.steps) model_.setSteps(std::move(*opening.steps));
            model_.append(opening.restarts);
            Q_EMIT opened();
            continue;
        }
        if (!feed->batches.empty()) {
            const std::vector<Event> batch = std::move(feed->batches.front());
            feed->batches.pop_front();
            lock.unlock();
            feed->space.notify_one();
            taken_ += static_cast<std::int64_t>(batch.size());
            model_.append(std::span(batch));
            continue;
        }
        if (!feed->done) break;
        const std::optional<Error> error = feed->error;
        const std::optional<RunEnd> end = feed->end;
        lock.unlock();
        feed_ = nullptr;
        timer_.stop();
        if (end) model_.setEnd(*end);
        Q_EMIT progressChanged();
        if (error) Q_EMIT failed(QString::fromStdString(feed->file.string()), *error);
        else Q_EMIT finished();
        return;
    }
    Q_EMIT progressChanged();
}

}  // namespace shardlab
