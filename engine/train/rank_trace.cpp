// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank_trace.h"

#include <unistd.h>

namespace shardlab {

RankTrace::RankTrace(Recorder& recorder, StatusPage* status, const Arena& arena)
    : recorder_(recorder), status_(status), arena_(arena) {
    now_.pid = static_cast<int>(::getpid());
}

void RankTrace::doing(RankPhase phase, const Action& action, int peer) {
    now_.action = actionId(action);
    if (!status_) return;
    now_.phase = quiet_ ? RankPhase::Validating : phase;
    now_.step = step_;
    now_.peer = peer;
    now_.heartbeat = recorder_.now();
    status_->set(now_);
}

void RankTrace::spanOf(std::int32_t step, Lane lane, EventKind kind, std::int64_t begin, std::int64_t end,
                       const Action& action, std::int64_t bytes) {
    if (!quiet_) recorder_.span(lane, kind, step, begin, end, actionId(action), bytes);
}

void RankTrace::tensorSpan(EventKind kind, int layer, std::int64_t begin, std::int64_t end, const Action& action,
                           std::int64_t bytes) {
    if (!quiet_) recorder_.record({begin, end, bytes, double(layer), actionId(action), step_, 0, Lane::Comm, kind});
}

void RankTrace::overrun(const Action& action, double seconds) {
    const std::int64_t time = now();
    recorder_.record({time, time, 0, seconds, actionId(action), step_, 0, Lane::Host, EventKind::PaceOverrun});
}

void RankTrace::recordChanged(const MemoryBytes& bytes, MemoryBytes& recorded, EventKind (*kind)(MemoryCategory)) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
        if (bytes[i] != recorded[i]) recorder_.counter(kind(static_cast<MemoryCategory>(i)), step_, 0, bytes[i]);
    recorded = bytes;
}

void RankTrace::memory() {
    if (!quiet_) recordChanged(arena_.used(), recorded_, memoryKind);
}

void RankTrace::memoryPeak() {
    recorder_.counter(EventKind::MemoryPeak, step_, 0, arena_.peak());
    recordChanged(arena_.peakByCategory(), recordedPeaks_, peakKind);
}

}  // namespace shardlab
