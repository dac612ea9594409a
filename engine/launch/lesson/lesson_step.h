// SPDX-License-Identifier: Apache-2.0
// What a lesson asks its reader to do in Design, and whether a layout shows that it was done.
#pragma once

#include "engine/base/result.h"
#include "engine/launch/lesson/lesson_figures.h"
#include "engine/layout/fault.h"
#include "engine/layout/layout.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shardlab::launch {

struct FieldCondition {
    std::string pointer;     ///< "/batch/micro"
    std::string comparison;  ///< = != < <= > >=
    std::string value;       ///< JSON
};
struct FaultCondition {
    std::string pointer;  ///< a fault stands at this field
};
struct RanCondition {
    std::size_t experiment = 0;  ///< it was measured
};
using StepCondition = std::variant<FieldCondition, FaultCondition, RanCondition>;

struct LessonStep {
    std::string name;
    std::string text;  ///< Markdown on one line
    /// The experiment whose layout is changed: the layout has to bear its name.
    std::optional<std::size_t> in;
    std::string layoutName;                 ///< of that experiment
    std::vector<StepCondition> conditions;  ///< all of them have to hold
    std::string then;                       ///< Markdown on one line, said once it is done; empty: nothing
};

/// Whether the layout that a reader designs, with its faults, and the experiments that ran fulfil the step.
bool isDone(const LessonStep& step, const Layout& layout, std::span<const Fault> faults,
            std::span<const KnownExperiment> known);

/// `text` is what stands behind "when:", without "ran". Errors say what is wrong, and what would be legal.
Result<StepCondition> readCondition(std::string_view text);

}  // namespace shardlab::launch
