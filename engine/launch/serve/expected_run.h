// SPDX-License-Identifier: Apache-2.0
// The layout that another program is said to train, and what is predicted for it.
#pragma once

#include "engine/layout/mesh/mesh.h"
#include "engine/trace/run_file/run_file.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlab::launch {

struct ExpectedRun {
    RunHeader header;              ///< of the layout, with its predicted figures; paced by nothing
    std::vector<Event> predicted;  ///< one step
};

/// Says in one sentence each what of a program does not agree with a layout.
class LayoutFit {
public:
    explicit LayoutFit(const Layout& layout);

    /// Where the layout has another number of ranks than the program.
    std::optional<std::string> misfitOf(int world) const;
    /// Where the layout has no such stage or microbatch, or has the stage on other ranks. Events without an action fit.
    std::optional<std::string> misfitOf(const Event& event) const;
    std::string label(int rank) const { return mesh_.label(rank); }

private:
    std::string name_;
    std::string factors_;  ///< "data 2 × pipeline 2"
    Mesh mesh_;
    std::vector<int> rankOfStage_;  ///< the pipeline's rank of each stage
    int microbatches_ = 0;          ///< that a step's actions name
};

}  // namespace shardlab::launch
