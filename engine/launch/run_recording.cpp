// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/run_recording.h"

#include "engine/base/clock.h"

namespace shardlab {

namespace {

constexpr std::int64_t flushInterval = 200'000'000;  // ns

}  // namespace

RunRecording::RunRecording(std::unique_ptr<RunWriter> writer, JobObserver& observer, std::int64_t clockOrigin)
    : writer_(std::move(writer)), observer_(observer), origin_(clockOrigin) {}

std::int64_t RunRecording::now() const { return monotonicNanoseconds() - origin_; }

void RunRecording::keep(const Status& status) {
    if (!status && !error_) error_ = status.error();
}

void RunRecording::events(std::span<const Event> events) {
    if (events.empty()) return;
    if (!error_) keep(writer_->append(events));
    observer_.eventsArrived(events);
}

void RunRecording::log(const LogLine& line) {
    if (!error_) keep(writer_->append(line));
    observer_.logged(line);
}

void RunRecording::log(LogLevel level, std::string text) { log(LogLine{now(), -1, level, std::move(text)}); }

void RunRecording::rank(const RankRecord& record) {
    if (!error_) keep(writer_->setRank(record));
    observer_.rankChanged(record);
}

void RunRecording::flushWhenDue() {
    if (error_ || now() - lastFlush_ < flushInterval) return;
    keep(writer_->flush());
    lastFlush_ = now();
}

void RunRecording::finish(const RunEnd& end) {
    // After a failure too: the disk may have room for these few bytes again, and the reason belongs into the file.
    keep(writer_->finish(end));
    writer_.reset();
}

}  // namespace shardlab
