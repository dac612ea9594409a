// SPDX-License-Identifier: Apache-2.0
// What the stages of a layout hold throughout and what their actions move, found once for stages that are alike.
#pragma once

#include "engine/base/memory_category.h"
#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/stacks.h"
#include "engine/predict/plan/stack_memory.h"
#include "engine/predict/plan/stage_buffers.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace shardlab::predict {

/// What the actions of a stage move.
struct StageMoves {
    StageBuffers whole, buffered;  ///< by what the stage takes from above
    std::int64_t parameters = 0;   ///< one version
    MemoryBytes swapped{};         ///< of a microbatch
};

/// What a stage holds throughout.
struct StageHeld {
    MemoryBytes state{};  ///< of the replica
    SlotSizes slots;
    StackMemory stack;       ///< where one is modelled
    std::int64_t room = 0;   ///< for weights that are gathered
    std::int64_t codes = 0;  ///< bytes of buffers for gradients in codes
};

/// The stages of a layout, most of which are like another one. Nothing in it depends on the schedule's kind and limit,
/// so that it serves one schedule after another. `layout` must live as long and keep all but those.
class StageKinds {
public:
    /// Stages as member `tensorPart` of a tensor group holds them (-1: one that holds most), of replica `replica`
    /// (-1: the fullest). `byLayer`: buffers are told layer by layer too.
    explicit StageKinds(const Layout& layout, int tensorPart = -1, int replica = -1, bool byLayer = false);

    /// `received`: the stage's input comes from another rank.
    const StageMoves& moves(int stage, bool received);
    const StageHeld& held(int stage);

    const Layout& layout() const { return layout_; }
    const std::vector<StageShape>& shapes() const { return shapes_; }

private:
    const Layout& layout_;
    TensorShare share_;
    int replica_;
    bool byLayer_;
    std::vector<StageShape> shapes_;
    std::vector<int> kinds_;  ///< by stage: the first that is like it
    std::map<std::pair<int, bool>, StageMoves> moves_;
    std::map<int, StageHeld> held_;
};

}  // namespace shardlab::predict
