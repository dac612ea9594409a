// SPDX-License-Identifier: Apache-2.0
// A "what if" of a lesson: a layout with one or two fields on sliders, and what the planner says of each position, as a
// picture, in numbers and in a formula. Nothing is run.
//
//     ```what-if NAME [in EXPERIMENT]: What there is to see
//     layout: {"parallel": {"data": 8}}              what differs from the experiment's layout, or from the default
//     slider: /batch/global 8 to 64 by 8             or words and numbers one by one: /parallel/zero 0, 1, 2, 3
//     slider: /memory/recompute                      without values: all that the field can have
//     draw: timeline                                 or memory, step, curve
//     figure: bubble                                 what a curve draws, and what the formula is of
//     formula: bubble = (p−1)/(m+p−1)                lesson_formula.h says which letters it may have
//     say: A rank is idle for {{bubble}}, in theory {{bubble.theory}}.
//     ```
//
// There are one or two sliders. The layout itself is the position that they start from, and it models devices
// (cluster.pace), so that everybody sees the same numbers.
#pragma once

#include "engine/base/result.h"
#include "engine/launch/lesson/lesson_figures.h"
#include "engine/launch/lesson/lesson_formula.h"
#include "engine/layout/fields.h"
#include "engine/layout/layout.h"
#include "engine/predict/plan/waterfall.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace shardlab::launch {

enum class WhatIfDrawing : std::uint8_t {
    Timeline,  ///< the step of each sort of rank
    Memory,    ///< of each sort of rank, by part, when its sum is largest
    Step,      ///< where the time of the step goes
    Curve,     ///< a figure over the first slider
};

struct WhatIfSlider {
    const Field* field = nullptr;
    std::vector<std::string> values;  ///< JSON
    std::size_t start = 0;            ///< the layout's own
};

/// Where each slider stands.
using WhatIfPosition = std::vector<std::size_t>;

struct WhatIfFigure {
    const LessonFigure* figure = nullptr;
    FigureOrigin origin = FigureOrigin::Predicted;  ///< never Measured
};

struct LessonWhatIf {
    std::string name;  ///< "bubble"
    std::string text;  ///< Markdown on one line
    std::optional<std::size_t> in;
    Layout layout;
    bool namesHosts = false;  ///< without, this machine has as many devices as the layout asks for
    std::vector<WhatIfSlider> sliders;
    WhatIfDrawing drawing = WhatIfDrawing::Timeline;
    const LessonFigure* figure = nullptr;
    std::optional<LessonFormula> formula;
    std::vector<std::variant<std::string, WhatIfFigure>> said;

    WhatIfPosition start() const;
};

/// "Pipeline", and what stands behind it: "4 ranks", "full", "on".
Sentence sliderLabel(const WhatIfSlider& slider);
Sentence sliderValue(const WhatIfSlider& slider, std::size_t place);
/// Without the unit: "4".
Sentence sliderShort(const WhatIfSlider& slider, std::size_t place);

/// The layout of a position, which check() may refuse.
Layout layoutAt(const LessonWhatIf& whatIf, const WhatIfPosition& position);
/// The legal position with the fewest steps of sliders between; the start is one.
WhatIfPosition nearestLegal(const LessonWhatIf& whatIf, const WhatIfPosition& position);

/// A row of the picture: ranks that do the same.
struct WhatIfRow {
    std::vector<int> ranks;
    double busySeconds = 0;  ///< of the devices, between the step's first forward and its last backward
    double idleSeconds = 0;  ///< the rest of that time
    MemoryBytes memory{};    ///< when their sum is largest
};

/// What the planner says of a position.
struct WhatIfAnswer {
    WhatIfPosition position;
    std::vector<Fault> faults;  ///< with any, nothing below is there but `nearest`
    WhatIfPosition nearest;     ///< the nearest legal position; `position` itself where that is legal
    std::shared_ptr<const PlannedRun> planned;
    std::vector<WhatIfRow> rows;                       ///< of a Timeline and of Memory
    std::optional<Waterfall> fall, startFall;          ///< of a Step: here, and where the sliders start
    std::vector<std::optional<double>> curve, theory;  ///< of a Curve, by place of the first slider; none where illegal
};

/// Answers for the positions of one what-if, and remembers what several answers need. One thread at a time.
class WhatIfPlanner {
public:
    explicit WhatIfPlanner(LessonWhatIf whatIf) : whatIf_(std::move(whatIf)) {}
    const LessonWhatIf& whatIf() const { return whatIf_; }
    WhatIfAnswer answer(const WhatIfPosition& position);

private:
    struct Point {
        std::optional<double> predicted, theory;
    };
    const Point& point(const WhatIfPosition& position);

    const LessonWhatIf whatIf_;
    std::map<WhatIfPosition, Point> points_;
    std::optional<Waterfall> startFall_;
};

}  // namespace shardlab::launch
