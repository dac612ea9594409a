// SPDX-License-Identifier: Apache-2.0
// What a layout's check and a planner know of a pipeline schedule. The table is schedule/registry.cpp.
#pragma once

#include "engine/base/sentence.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::layout {

struct Schedule;

/// p ranks in the pipeline, v chunks (virtual stages) on each, m microbatches a step.
struct ScheduleShape {
    int ranks = 1;
    int chunks = 1;
    int microbatches = 1;
    int inFlight = 0;  ///< most microbatches that a rank holds at once, for methods that take a limit; 0 = p
    std::vector<std::string> actions;  ///< the order written by hand, as in the layout; empty for other schedules
    bool verticalSync = false;         ///< a microbatch uses one weight version in all stages, for methods that know it
    bool operator==(const ScheduleShape&) const = default;
};

/// Why a method cannot schedule a shape.
struct ShapeRefusal {
    std::string_view pointer;  ///< the layout's field that decides it, "/batch/micro"
    Sentence why;
    Sentence legal;
    Sentence what = {};        ///< what is wrong; empty: the shape cannot be scheduled
    std::string picture = {};  ///< as Fault::picture
};

struct ScheduleMethod {
    std::string_view name;   ///< as in the layout file, "1f1b"
    std::string_view title;  ///< "1F1B with flush"
    std::string_view paper;  ///< where it is defined
    int minChunks = 1;
    int maxChunks = 1;
    /// Chunks, positivity and whether there may be a limit are checked by the caller.
    std::optional<ShapeRefusal> (*refusal)(const ScheduleShape&) = nullptr;
    /// Compute actions only.
    Schedule (*generate)(const ScheduleShape&) = nullptr;
    /// Bubble of equal stages with free transfers, I = W = F and B = 2 F: idle share of the time from the step's first
    /// forward to its last backward, mean over ranks. The shape is one that is not refused.
    double (*theoreticalBubble)(const ScheduleShape&) = nullptr;
    /// The bubble's formula as text, "(p−1)/(m+p−1)", for the shapes that have one: bubbleFormula() in registry.h.
    std::string_view closedForm;
    bool takesLimit = false;  ///< obeys ScheduleShape::inFlight
    bool byHand = false;      ///< its order is ScheduleShape::actions; all others have an order for every shape
    /// False: asynchronous. Steps follow each other without a flush, gradients are those of earlier weights, and the
    /// mathematics is another one than that of one rank.
    bool flushes = true;
    bool takesVerticalSync = false;  ///< obeys ScheduleShape::verticalSync
    /// The shapes that the formula holds for; nullptr: all.
    bool (*hasClosedForm)(const ScheduleShape&) = nullptr;
};

/// The method of that name; null where there is none.
inline const ScheduleMethod* methodNamed(std::string_view name, std::span<const ScheduleMethod> methods) {
    const auto found = std::ranges::find(methods, name, &ScheduleMethod::name);
    return found == methods.end() ? nullptr : &*found;
}

}  // namespace shardlab::layout
