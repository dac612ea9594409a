// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/run_recording.h"

#include "engine/base/clock.h"

#include <chrono>
#include <utility>

namespace shardlab::launch {

namespace {

constexpr std::size_t mostQueuedEvents = std::size_t{1} << 20;

}  // namespace

Event launcherEvent(EventKind kind, std::int64_t time) {
    Event event;
    event.begin = event.end = time;
    event.lane = Lane::Host;
    event.kind = kind;
    return event;
}

RunRecording::RunRecording(std::unique_ptr<RunWriter> writer, RunObserver& observer, std::int64_t clockOrigin)
    : writer_(std::move(writer)), observer_(observer), origin_(clockOrigin), thread_([this] { loop(); }) {}

RunRecording::~RunRecording() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

std::int64_t RunRecording::now() const { return monotonicNanoseconds() - origin_; }

std::optional<Error> RunRecording::error() const {
    const std::lock_guard lock(mutex_);
    return error_;
}

void RunRecording::keep(const Status& status) {
    const std::lock_guard lock(mutex_);
    if (!status && !error_) error_ = status.error();
}

void RunRecording::eventsArrived(std::vector<Event> events) {
    if (events.empty()) return;
    observer_.eventsArrived(events);
    const std::size_t count = events.size();
    queue(std::move(events), count);
    tellNotices();
}

/// The notices are in the file already; the observer hears of them on the caller's thread, as of everything.
void RunRecording::tellNotices() {
    std::vector<LogLine> notices;
    {
        const std::lock_guard lock(mutex_);
        notices.swap(notices_);
    }
    for (const LogLine& line : notices) observer_.logged(line);
}

void RunRecording::logged(const LogLine& line) {
    queue(line, 0);
    observer_.logged(line);
}

void RunRecording::log(LogLevel level, std::string text) { logged(LogLine{now(), -1, level, std::move(text)}); }

void RunRecording::rankChanged(const RankRecord& record) {
    queue(record, 0);
    observer_.rankChanged(record);
}

void RunRecording::queue(Entry entry, std::size_t events) {
    {
        const std::lock_guard lock(mutex_);
        if (error_) return;
        queued_.push_back(std::move(entry));
        queuedEvents_ += events;
    }
    changed_.notify_all();
}

void RunRecording::clocksMeasured(std::vector<HostClock> clocks) {
    observer_.clocksMeasured(clocks);
    queue(std::move(clocks), 0);
}

void RunRecording::named(std::uint32_t number, const std::string& text) {
    queue(EventName{number, text}, 0);
    observer_.named(number, text);
}

bool RunRecording::behind() const {
    const std::lock_guard lock(mutex_);
    return queuedEvents_ > mostQueuedEvents && !error_;
}

void RunRecording::settle() {
    std::unique_lock lock(mutex_);
    settling_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !settling_; });
}

void RunRecording::loop() {
    std::unique_lock lock(mutex_);
    bool unflushed = false;
    for (;;) {
        const auto called = [this] { return ending_ || settling_ || !queued_.empty(); };
        if (unflushed) changed_.wait_for(lock, flushInterval, called);
        else changed_.wait(lock, called);
        const std::vector<Entry> entries = std::exchange(queued_, {});
        queuedEvents_ = 0;
        const bool settling = settling_;
        const bool ending = ending_;
        const bool failed = error_.has_value();
        lock.unlock();

        if (!failed) write(entries);
        unflushed = !failed && (unflushed || !entries.empty());
        const bool due = now() - lastFlush_ >= std::chrono::nanoseconds(flushInterval).count();
        if (unflushed && (due || settling)) {
            keep(writer_->flush());
            lastFlush_ = now();
            unflushed = false;
        }

        std::vector<LogLine> notices = writer_->takeNotices();
        lock.lock();
        notices_.insert(notices_.end(), notices.begin(), notices.end());
        if (settling && queued_.empty()) {
            settling_ = false;
            changed_.notify_all();
        }
        if (ending && queued_.empty()) return;
    }
}

void RunRecording::write(const std::vector<Entry>& entries) {
    struct {
        RunWriter& writer;
        Status operator()(const std::vector<Event>& events) const { return writer.append(events); }
        Status operator()(const LogLine& line) const { return writer.append(line); }
        Status operator()(const std::vector<HostClock>& clocks) const { return writer.setClocks(clocks); }
        Status operator()(const RankRecord& record) const { return writer.setRank(record); }
        Status operator()(const EventName& name) const { return writer.addName(name.number, name.text); }
    } const writing{*writer_};
    for (const Entry& entry : entries) {
        const Status written = std::visit(writing, entry);
        keep(written);
        if (!written) return;
    }
}

void RunRecording::finish(const RunEnd& end) {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
    // After a failure too: there may be room for these few bytes, and the reason belongs into the file.
    keep(writer_->finish(end));
    writer_.reset();
    tellNotices();
}

}  // namespace shardlab::launch
