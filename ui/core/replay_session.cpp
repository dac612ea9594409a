// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/replay_session.h"

#include "ui/core/run_model.h"
#include "ui/core/stored_steps.h"

#include "engine/trace/run_file/run_creation.h"
#include "engine/trace/run_file/run_file.h"
#include "ui/store/run_block_source.h"

#include <QElapsedTimer>
#include <QThreadPool>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <variant>

namespace shardlab::ui {
namespace {

/// What is read of the run at a time, and how much of it the worker may be ahead: bounds memory while the window is
/// busy.
constexpr std::size_t batchBlocks = 8;
constexpr std::size_t batchesAhead = 16;
/// The part of each frame in which events are taken in.
constexpr int frameBudgetMilliseconds = 10;
constexpr int frameMilliseconds = 16;

}  // namespace

struct ReplaySession::Feed {
    struct Opening {
        RunHeader header;
        std::vector<Event> predicted;
        RunReport::Told told;
        std::vector<Note> notes;
        std::vector<Event> restarts;
        std::optional<StoredSteps> steps;
        std::vector<StepDetails> details;
        std::optional<StepEnds> ends;
        std::shared_ptr<RunBlockSource> source;
        std::int64_t events = 0;
        std::int64_t dropped = 0;
    };

    std::filesystem::path file;
    std::mutex mutex;
    std::condition_variable space;
    std::optional<Opening> opening;
    std::deque<std::variant<StepDetails, StepEnds, std::vector<ScannedBlock>>> batches;
    std::shared_ptr<BlockCache> cache;  ///< of the model, once it has begun
    std::optional<RunEnd> end;
    std::optional<Error> error;
    bool cancelled = false;
    bool done = false;

    void read();
    Status readAll();
    /// Goes through all blocks; those that fit stay in memory. The first thing that is wrong with them is told at the
    /// end.
    Status scan(RunBlockSource& source, bool figures);
    /// False once the session wants no more events.
    template <class Batch>
    bool push(Batch batch);
    bool wanted();
};

template <class Batch>
bool ReplaySession::Feed::push(Batch batch) {
    std::unique_lock lock(mutex);
    space.wait(lock, [&] { return cancelled || batches.size() < batchesAhead; });
    if (!cancelled) batches.emplace_back(std::move(batch));
    return !cancelled;
}

bool ReplaySession::Feed::wanted() {
    const std::scoped_lock lock(mutex);
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
    const bool figures = run.storesFigures();
    std::optional<StoredSteps> steps;
    if (figures) {
        auto read = readSteps(run);
        if (!read) return tl::unexpected(read.error());
        steps = std::move(*read);
    }
    const bool few = steps && hasFewDetails(*steps);
    const bool late = steps && !few && !hasTooManyDetails(*steps);
    Opening made{run.header(),
                 std::move(*predicted),
                 {std::move(*log), run.names(), run.ranks(), run.clocks(), {}},
                 notes ? *notes : std::vector<Note>{},
                 run.restarts(),
                 std::move(steps),
                 {},
                 {},
                 {},
                 run.eventCount(),
                 run.droppedEvents()};
    // Details of few steps are there at once; of a long run they come while its steps are in sight already.
    if (few) {
        auto ends = readDetails(run, [&](StepDetails part) {
            made.details.push_back(std::move(part));
            return wanted();
        });
        if (!ends) return tl::unexpected(ends.error());
        made.ends = std::move(*ends);
    }
    const RunEnd ended = run.end();
    // Blocks are asked for while figures are still read: each has a reader of its own then.
    auto own = late ? RunReader::open(file) : std::move(reader);
    if (!own) return tl::unexpected(own.error());
    auto source = RunBlockSource::make(std::move(*own), file);
    if (!source) return tl::unexpected(source.error());
    made.source = *source;
    {
        const std::scoped_lock lock(mutex);
        opening = std::move(made);
    }
    Status read;
    if (late) {
        auto ends = readDetails(run, [this](StepDetails part) { return push(std::move(part)); });
        if (ends) push(std::move(*ends));
        else read = tl::unexpected(ends.error());
    }
    if (const Status seen = scan(**source, !figures); read) read = seen;
    const bool goesOn = ended.outcome.empty() && isBeingRecorded(file);
    const std::scoped_lock lock(mutex);
    if (!goesOn) end = ended;
    // A run whose notes are damaged is shown all the same.
    if (read && !notes) return tl::unexpected(notes.error());
    return read;
}

Status ReplaySession::Feed::scan(RunBlockSource& source, bool figures) {
    std::optional<Error> damage = source.damage();
    std::vector<ScannedBlock> batch;
    std::vector<Event> events;
    std::shared_ptr<BlockCache> kept;
    for (const BlockPlace& place : source.places()) {
        if (const Status read = source.read(place.id, events); !read && !damage) damage = read.error();
        const auto block = std::make_shared<const DecodedBlock>(decodedBlock(events));
        batch.push_back(scanned(place, events, *block, figures));
        if (!kept) {
            const std::scoped_lock lock(mutex);
            kept = cache;
        }
        if (kept) kept->offer(place.id, block);
        if (batch.size() == batchBlocks && !push(std::exchange(batch, {}))) break;
    }
    if (!batch.empty()) push(std::move(batch));
    return damage ? Status(tl::unexpected(*damage)) : Status();
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
            model_.begin(opening.header, std::move(opening.predicted), file_);
            model_.report().set(std::move(opening.told));
            model_.notes().set(std::move(opening.notes));
            if (opening.steps) model_.take(std::move(*opening.steps));
            for (StepDetails& details : opening.details) model_.take(std::move(details));
            if (opening.ends) model_.take(std::move(*opening.ends));
            model_.append(opening.restarts);
            model_.setStored(opening.source, opening.source->places());
            {
                const std::scoped_lock relock(feed->mutex);
                feed->cache = model_.store().cache();
            }
            Q_EMIT opened();
            continue;
        }
        if (!feed->batches.empty()) {
            auto batch = std::move(feed->batches.front());
            feed->batches.pop_front();
            lock.unlock();
            feed->space.notify_one();
            if (const auto* blocks = std::get_if<std::vector<ScannedBlock>>(&batch))
                for (const ScannedBlock& block : *blocks) taken_ += block.place.count;
            std::visit([this](auto& part) { model_.take(std::move(part)); }, batch);
            continue;
        }
        if (!feed->done) break;
        const std::optional<Error> error = feed->error;
        const std::optional<RunEnd> end = feed->end;
        lock.unlock();
        feed_ = nullptr;
        timer_.stop();
        if (end) model_.report().setEnd(*end);
        Q_EMIT progressChanged();
        if (error) Q_EMIT failed(QString::fromStdString(feed->file.string()), *error);
        else Q_EMIT finished();
        return;
    }
    Q_EMIT progressChanged();
}

}  // namespace shardlab::ui
