// SPDX-License-Identifier: Apache-2.0
// The figures that a lesson may name: what each means, its unit, and how it is read from a finished run or a plan.
#pragma once

#include "engine/launch/lesson/experiment_run.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace shardlab::launch {

enum class FigureOrigin : std::uint8_t { Measured, Predicted, Theory };
std::string_view name(FigureOrigin origin);  ///< "measured"

enum class FigureUnit : std::uint8_t { Share, Seconds, Size, Count, Parameters, Loss, Mean };

struct LessonFigure {
    std::string_view name;     ///< "peak_memory"
    std::string_view meaning;  ///< "most memory that any rank held"
    FigureUnit unit = FigureUnit::Count;
    // nullptr: the figure has no such origin. A figure that is not measured follows from the layout, and is known at
    // once.
    std::optional<double> (*measured)(const MeasuredRun&) = nullptr;
    std::optional<double> (*predicted)(const PlannedRun&) = nullptr;
    std::optional<double> (*theory)(const PlannedRun&) = nullptr;

    bool has(FigureOrigin origin) const;
    /// The origin that is meant where a lesson names the figure alone.
    FigureOrigin plain() const { return measured ? FigureOrigin::Measured : FigureOrigin::Predicted; }
    /// The value with its unit.
    std::string text(double value) const;
};

std::span<const LessonFigure> lessonFigures();
const LessonFigure* findLessonFigure(std::string_view name);  ///< nullptr: there is none

/// What is known of an experiment by now.
struct KnownExperiment {
    std::optional<PlannedRun> planned;
    std::optional<MeasuredRun> measured;
};
/// The figure as a number; none where a run has still to tell it, or did not.
std::optional<double> figureValue(const LessonFigure& figure, FigureOrigin origin, const KnownExperiment& known);
/// "9.1 %"; "– (run it)" where a run has still to tell it, "–" where the run did not.
Sentence figureText(const LessonFigure& figure, FigureOrigin origin, const KnownExperiment& known);

/// A figure in a text.
struct LessonFigurePlace {
    std::size_t experiment = 0;  ///< index
    FigureOrigin origin = FigureOrigin::Measured;
    const LessonFigure* figure = nullptr;
};

}  // namespace shardlab::launch
