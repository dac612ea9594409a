// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of things a timeline paints. Events of one paint have one colour and are drawn together.
#pragma once

#include "engine/trace/event/event.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace shardlab::ui {

enum class Paint : std::uint8_t {
    Forward,
    Backward,
    InputGrad,
    WeightGrad,
    Recompute,
    Transfer,
    Reduce,
    Optimizer,
    Checkpoint,
    Annotation,
    None
};
inline constexpr std::size_t paintCount = 10;  ///< without None

/// Waits, steps and set-up have no paint: a wait shows as the bubble behind it. Receives have none either: they last
/// from the post to the arrival, and the message is painted as its send. Dropping a version of the weights takes no
/// time.
constexpr Paint paintOf(EventKind kind) {
    switch (kind) {
    case EventKind::Forward:
    case EventKind::Kernel: return Paint::Forward;
    case EventKind::Backward: return Paint::Backward;
    case EventKind::InputGrad: return Paint::InputGrad;
    case EventKind::WeightGrad: return Paint::WeightGrad;
    case EventKind::Recompute: return Paint::Recompute;
    case EventKind::KeyValueHop:
    case EventKind::RingHop: return Paint::Transfer;
    case EventKind::TensorAllReduce:
    case EventKind::TensorReduceScatter:
    case EventKind::TensorAllGather:
    case EventKind::DispatchTokens:
    case EventKind::CombineTokens:
    case EventKind::ExchangeHeads:
    case EventKind::GatherChoices:
    case EventKind::Collective: return Paint::Reduce;
    case EventKind::FreeWeights: return Paint::None;
    case EventKind::MemoryCopy:
    case EventKind::Snapshot:
    case EventKind::CheckpointWrite: return Paint::Checkpoint;
    case EventKind::Annotation: return Paint::Annotation;
    default: break;
    }
    switch (workOf(actionOf(kind))) {
    case ActionWork::Send:
    case ActionWork::DataPieces:
    case ActionWork::HostCopy: return Paint::Transfer;
    case ActionWork::Reduction:
    case ActionWork::ServerExchange: return Paint::Reduce;
    case ActionWork::Update:
    case ActionWork::WeightVersion: return Paint::Optimizer;
    default: return Paint::None;
    }
}

/// The event kind whose theme colour a paint has.
constexpr EventKind colourKind(Paint paint) {
    constexpr std::array<EventKind, paintCount> kinds{
        EventKind::Forward,         EventKind::Backward,    EventKind::InputGrad,       EventKind::WeightGrad,
        EventKind::Recompute,       EventKind::SendForward, EventKind::ReduceGradients, EventKind::Optimizer,
        EventKind::CheckpointWrite, EventKind::Annotation};
    return kinds[static_cast<std::size_t>(paint)];
}

/// Transfers run beside compute and are drawn as ticks below it, annotations are the band above; all else fills the
/// bar.
constexpr bool isBar(Paint paint) {
    return paint != Paint::Transfer && paint != Paint::Annotation && paint != Paint::None;
}

/// Nanoseconds of each paint within some stretch of time.
struct Coverage {
    std::array<std::int64_t, paintCount> of{};
    std::int64_t& operator[](Paint paint) { return of[static_cast<std::size_t>(paint)]; }
    std::int64_t operator[](Paint paint) const { return of[static_cast<std::size_t>(paint)]; }
    std::int64_t sum() const {
        std::int64_t all = 0;
        for (const std::int64_t part : of) all += part;
        return all;
    }
    Coverage& operator+=(const Coverage& other) {
        for (std::size_t i = 0; i < paintCount; ++i) of[i] += other.of[i];
        return *this;
    }
    Coverage operator-(const Coverage& other) const {
        Coverage difference;
        for (std::size_t i = 0; i < paintCount; ++i) difference.of[i] = of[i] - other.of[i];
        return difference;
    }
    /// Each moment counted once: a recomputation lies within a backward or input gradient, which loses as much.
    Coverage withoutNested() const {
        Coverage once = *this;
        std::int64_t again = once[Paint::Recompute];
        for (const Paint around : {Paint::Backward, Paint::InputGrad}) {
            const std::int64_t part = again < once[around] ? again : once[around];
            once[around] -= part;
            again -= part;
        }
        return once;
    }
    bool operator==(const Coverage&) const = default;
};

}  // namespace shardlab::ui
