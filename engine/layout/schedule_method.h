// SPDX-License-Identifier: Apache-2.0
// What a layout's check and a planner know of a pipeline schedule. The table is schedule/registry.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shardlab {

struct Schedule;

/// p ranks in the pipeline, v chunks (virtual stages) on each, m microbatches a step.
struct ScheduleShape {
    int ranks = 1;
    int chunks = 1;
    int microbatches = 1;
    bool operator==(const ScheduleShape&) const = default;
};

struct ScheduleMethod {
    std::string_view name;   ///< as in the layout file, "1f1b"
    std::string_view title;  ///< "1F1B with flush"
    std::string_view paper;  ///< where it is defined
    int minChunks = 1;
    int maxChunks = 1;
    /// Why this shape cannot be scheduled, or nothing. Chunks and positivity are checked by the caller.
    std::optional<std::string> (*refusal)(const ScheduleShape&) = nullptr;
    /// Compute actions only.
    Schedule (*generate)(const ScheduleShape&) = nullptr;
    /// Bubble of equal stages with free transfers and B = 2 F: idle share of the step, mean over ranks.
    double (*theoreticalBubble)(const ScheduleShape&) = nullptr;
    /// Bubble formula as text, "(p−1)/(m+p−1)".
    std::string_view bubbleFormula;
};

}  // namespace shardlab
