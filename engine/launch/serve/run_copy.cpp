// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/run_copy.h"

namespace shardlab {
namespace {

constexpr std::chrono::milliseconds flushInterval{200};

}  // namespace

RunCopy::~RunCopy() = default;

void RunCopy::keep(const Status& status) {
    if (status || error_) return;
    error_ = status.error();
    broken(*error_);
}

void RunCopy::begun(const RunHeader& header) {
    auto writer = RunWriter::create(file_, header);
    if (!writer) return keep(fail(writer.error()));
    writer_ = std::move(*writer);
    created();
}

void RunCopy::predictedArrived(std::span<const Event> events) {
    if (writer_ && !error_) keep(writer_->appendPredicted(events));
}

void RunCopy::eventsArrived(std::span<const Event> events) {
    if (writer_ && !error_) keep(writer_->append(events));
}

void RunCopy::logged(const LogLine& line) {
    if (writer_ && !error_) keep(writer_->append(line));
}

void RunCopy::rankChanged(const RankRecord& record) {
    if (writer_ && !error_) keep(writer_->setRank(record));
}

void RunCopy::clocksMeasured(std::span<const HostClock> clocks) {
    if (writer_ && !error_) keep(writer_->setClocks(clocks));
}

void RunCopy::named(std::uint32_t number, const std::string& text) {
    if (writer_ && !error_) keep(writer_->addName(number, text));
}

void RunCopy::paused() {
    const auto now = std::chrono::steady_clock::now();
    if (!writer_ || error_ || now - flushedAt_ < flushInterval) return;
    flushedAt_ = now;
    keep(writer_->flush());
}

void RunCopy::ended(const RunEnd& end) {
    if (!writer_ || error_) return;
    keep(writer_->finish(end));
    writer_.reset();
}

void RunCopy::close(const std::string& reason) { ended({{}, reason}); }

}  // namespace shardlab
