// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/run_copy.h"

namespace shardlab::launch {

RunCopy::~RunCopy() = default;

void RunCopy::keep(const Status& status) {
    if (status || error_) return;
    error_ = status.error();
    copyFailed(*error_);
}

void RunCopy::begun(const RunHeader& header) {
    auto writer = RunWriter::create(file_, header);
    if (writer) writer_ = std::move(*writer);
    else keep(fail(writer.error()));
    next_.begun(header);
}

void RunCopy::predictedArrived(std::span<const Event> events) {
    if (writing()) keep(writer_->appendPredicted(events));
    next_.predictedArrived(events);
}

void RunCopy::eventsArrived(std::span<const Event> events) {
    if (writing()) keep(writer_->append(events));
    next_.eventsArrived(events);
}

void RunCopy::logged(const LogLine& line) {
    if (writing()) keep(writer_->append(line));
    next_.logged(line);
}

void RunCopy::rankChanged(const RankRecord& record) {
    if (writing()) keep(writer_->setRank(record));
    next_.rankChanged(record);
}

void RunCopy::clocksMeasured(std::span<const HostClock> clocks) {
    if (writing()) keep(writer_->setClocks(clocks));
    next_.clocksMeasured(clocks);
}

void RunCopy::named(std::uint32_t number, const std::string& text) {
    if (writing()) keep(writer_->addName(number, text));
    next_.named(number, text);
}

void RunCopy::paused() {
    const auto now = std::chrono::steady_clock::now();
    if (writing() && now - flushedAt_ >= flushInterval) {
        flushedAt_ = now;
        keep(writer_->flush());
    }
    next_.paused();
}

void RunCopy::ended(const RunEnd& end) {
    finish(end);
    next_.ended(end);
}

void RunCopy::finish(const RunEnd& end) {
    if (!writing()) return;
    keep(writer_->finish(end));
    writer_.reset();
}

void RunCopy::close(const std::string& reason) { finish({{}, reason}); }

}  // namespace shardlab::launch
