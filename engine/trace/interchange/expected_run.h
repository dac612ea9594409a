// SPDX-License-Identifier: Apache-2.0
// The layout that another program is said to train, and what is predicted for it.
#pragma once

#include "engine/layout/mesh/mesh.h"
#include "engine/trace/run_file/run_file.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlab::trace {

struct ExpectedRun {
    RunHeader header;              ///< of the layout, with its predicted figures; paced by nothing
    std::vector<Event> predicted;  ///< one step
};

/// The header of a run that `origin`, another program, recorded: of the layout that was named for it. Where there is
/// none, the header's layout is to be filled in.
RunHeader foreignHeader(std::string_view origin, const std::optional<ExpectedRun>& expected);

/// Says in one sentence each what of a program does not agree with a layout.
class LayoutFit {
public:
    explicit LayoutFit(const Layout& layout);

    /// Where the layout has another number of ranks than the program.
    std::optional<Sentence> misfitOf(int world) const;
    /// Where the layout has no such stage or microbatch, or has the stage on other ranks. Events without an action fit.
    std::optional<Sentence> misfitOf(const Event& event) const;
    std::string label(int rank) const { return mesh_.label(rank); }
    /// Which of the pipeline's ranks the rank is: the number of its stage where each has one.
    int place(int rank) const { return mesh_.coordinate(rank, Axis::Pipeline); }

private:
    std::string name_;
    std::string factors_;  ///< "data 2 × pipeline 2"
    Mesh mesh_;
    std::vector<int> rankOfStage_;  ///< the pipeline's rank of each stage
    int microbatches_ = 0;          ///< that a step's actions name
};

/// The actions of a step in the order in which the prediction has them: what another program does and does not number
/// is numbered by it.
class ExpectedOrder {
public:
    explicit ExpectedOrder(const ExpectedRun& expected);

    /// Stage and microbatch of what a rank does as the `number`th of its kind in a step, from 0; none: it does fewer.
    std::optional<Action> action(int rank, EventKind kind, std::size_t number) const;
    /// How many of the kind a rank does in a step.
    std::size_t count(int rank, EventKind kind) const;

private:
    const std::vector<ActionId>* find(int rank, EventKind kind) const;

    LayoutFit fit_;
    /// By place in the pipeline and kind; of the first rank in the place that the prediction shows.
    std::map<std::pair<int, EventKind>, std::vector<ActionId>> order_;
};

}  // namespace shardlab::trace
