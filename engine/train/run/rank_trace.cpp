// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/rank_trace.h"

#include "engine/base/clock.h"
#include "engine/trace/event/experts.h"
#include "engine/trace/event/exponents.h"

#include <algorithm>
#include <tuple>
#include <unistd.h>

namespace shardlab::train {

RankTrace::RankTrace(Recorder& recorder, StatusPage* status, const Arena& arena, FlightRecord* flight)
    : recorder_(recorder), status_(status), arena_(arena), flight_(flight) {
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

void RankTrace::started(EventKind kind, const Action& action, std::int64_t bytes, int peer) {
    if (flight_) flight_->begin({0, kind, actionId(action), step_, peer, bytes, now(), 0});
}

Moment RankTrace::mark() const {
    std::shared_ptr<DeviceMoment> moment = arena_.device().mark();
    return moment ? Moment(std::move(moment)) : Moment(now());
}

void RankTrace::spanOf(std::int32_t step, Lane lane, EventKind kind, const Moment& begin, const Moment& end,
                       const Action& action, std::int64_t bytes, double value) {
    add({0, 0, bytes, value, actionId(action), step, 0, lane, kind}, begin, end);
}

void RankTrace::tensorSpan(EventKind kind, int layer, const Moment& begin, const Moment& end, const Action& action,
                           std::int64_t bytes) {
    add({0, 0, bytes, double(layer), actionId(action), step_, 0, Lane::Comm, kind}, begin, end);
}

bool RankTrace::named(EventKind kind, std::uint32_t name, const Moment& begin, const Moment& end, std::int64_t bytes,
                      double value) {
    return recordIfKnown({{0, 0, bytes, value, namedId(name), step_, 0, Lane::Host, kind}, begin, end, quiet_});
}

void RankTrace::add(const Event& event, const Moment& begin, const Moment& end) {
    Pending pending{event, begin, end, quiet_};
    if (!recordIfKnown(pending)) pending_.push_back(std::move(pending));
}

std::optional<std::pair<std::int64_t, std::int64_t>> RankTrace::times(const Moment& begin, const Moment& end) const {
    const std::int64_t ahead = begin.ofDevice() || end.ofDevice() ? now() - monotonicNanoseconds() : 0;
    const auto to = end.time(ahead);
    const auto from = to ? begin.time(ahead) : std::nullopt;
    if (!from) return std::nullopt;
    return std::pair(*from, std::max(*from, *to));
}

bool RankTrace::recordIfKnown(const Pending& pending) {
    const auto known = times(pending.begin, pending.end);
    if (!known) return false;
    Event event = pending.event;
    std::tie(event.begin, event.end) = *known;
    const bool ofDevice = pending.begin.ofDevice() || pending.end.ofDevice();
    if (ofDevice && event.kind == EventKind::Wait && event.end - event.begin < shortestDeviceWait) return true;
    if (event.lane == Lane::Comm && flight_)
        flight_->complete({0, event.kind, event.action, event.step, -1, event.bytes, event.begin, event.end});
    if (!pending.quiet) recorder_.record(event);
    return true;
}

void RankTrace::collect() {
    std::erase_if(pending_, [&](const Pending& pending) { return recordIfKnown(pending); });
}

void RankTrace::overrun(const Action& action, double seconds) {
    const std::int64_t time = now();
    recorder_.record({time, time, 0, seconds, actionId(action), step_, 0, Lane::Host, EventKind::PaceOverrun});
}

void RankTrace::overflow(const Action& action, int layer) {
    const std::int64_t time = now();
    recorder_.record({time, time, 0, double(layer), actionId(action), step_, 0, Lane::Compute, EventKind::Overflow});
}

void RankTrace::exponents(const ExponentHistogram& histogram) {
    static_assert(ExponentHistogram::first == firstExponent && ExponentHistogram::bins == exponentBins);
    const auto record = [&](std::int64_t bin, std::int64_t count) {
        if (count > 0) recorder_.counter(EventKind::GradientExponents, step_, static_cast<double>(count), bin);
    };
    for (std::size_t i = 0; i < histogram.counts.size(); ++i) record(static_cast<std::int64_t>(i), histogram.counts[i]);
    record(zeroBin, histogram.zeros);
    record(notFiniteBin, histogram.notFinite);
}

void RankTrace::experts(const ExpertLoad& load) {
    for (std::size_t e = 0; e < load.asked.size(); ++e) {
        const std::int64_t which = expertNumber({load.layer, static_cast<int>(e)});
        recorder_.counter(EventKind::ExpertLoad, step_, load.asked[e], which);
        if (load.dropped[e] > 0) recorder_.counter(EventKind::ExpertDropped, step_, load.dropped[e], which);
    }
    if (!load.chosen) return;
    const std::int64_t layer = expertNumber({load.layer, 0});
    recorder_.counter(EventKind::UntakenTokens, step_, load.chosen->untaken, layer);
    recorder_.counter(EventKind::ExpertsOfToken, step_, load.chosen->mostOfToken, layer);
    if (load.chosen->mostRounds > 0)
        recorder_.counter(EventKind::AssignmentRounds, step_, load.chosen->mostRounds, layer);
}

void RankTrace::rounded(EventKind kind, const Action& action, std::int64_t place, double value) {
    const std::int64_t time = now();
    recorder_.record({time, time, place, value, actionId(action), step_, 0, Lane::Host, kind});
}

void RankTrace::packed(std::int64_t kept, std::int64_t plain) {
    recorder_.counter(EventKind::PackedActivations, step_, static_cast<double>(plain), kept);
}

void RankTrace::recordChanged(std::int64_t time, const MemoryBytes& bytes, MemoryBytes& recorded,
                              EventKind (*kind)(MemoryCategory)) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
        if (bytes[i] != recorded[i])
            recorder_.record({time, time, bytes[i], 0, 0, step_, 0, Lane::Host, kind(static_cast<MemoryCategory>(i))});
    recorded = bytes;
}

void RankTrace::recordMemory(std::int64_t time, const MemoryBytes& used) {
    recordedAt_ = std::max(recordedAt_, time);  // a modelled moment may lie before what has been recorded
    recordChanged(recordedAt_, used, recorded_, memoryKind);
}

void RankTrace::memoryAt(std::int64_t time) {
    if (!quiet_) recordMemory(time, arena_.used());
}

void RankTrace::noteMemory() {
    if (!quiet_) noted_.push_back(arena_.used());
}

void RankTrace::recordNoted(std::span<const std::int64_t> times) {
    if (times.size() == noted_.size())
        for (std::size_t i = 0; i < times.size(); ++i) recordMemory(times[i], noted_[i]);
    noted_.clear();
}

void RankTrace::hostMemory(const MemoryBytes& held) {
    for (std::size_t i = 0; i < held.size(); ++i)
        if (held[i] != recordedHost_[i])
            recorder_.counter(EventKind::HostMemory, step_, static_cast<double>(i), held[i]);
    recordedHost_ = held;
}

void RankTrace::memoryPeak() {
    recorder_.counter(EventKind::MemoryPeak, step_, 0, arena_.peak());
    recordChanged(now(), arena_.peakByCategory(), recordedPeaks_, peakKind);
    const std::int64_t largest = arena_.largestFree();
    if (largest != recordedLargestFree_)
        recorder_.counter(EventKind::LargestFree, step_, static_cast<double>(arena_.free()), largest);
    recordedLargestFree_ = largest;
}

}  // namespace shardlab::train
