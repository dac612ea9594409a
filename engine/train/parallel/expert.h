// SPDX-License-Identifier: Apache-2.0
// Expert parallelism (GShard, 2006.16668): where the exchanges of model/expert_group.h go, an all-to-all each. Of an
// expert group of e members, neighbours along the data axis, each holds n/e of a layer's n experts and other samples. A
// layer sends the R·h numbers of its rows and receives as many, twice in a forward and twice in an input gradient:
//
//   forward      dispatch what experts read, combine what they make
//   input grad   dispatch the gradient of what they made, combine that of what they read
//
// each member (e − 1)/e of it to others. Weights outside experts are alike on all data ranks, those of experts on one
// of each group (layout/replicas.h: sameExperts), over which alone their gradients are summed.
#pragma once

#include "engine/base/layer_number.h"
#include "engine/train/comm/communicator.h"
#include "engine/train/model/expert_group.h"

#include <cstdint>
#include <functional>

namespace shardlab {

struct ExpertAllToAll {
    ExpertExchange direction = ExpertExchange::Dispatch;
    int layer = embeddingLayer;  ///< of the model
    std::int64_t bytes = 0;      ///< of the whole buffer
};

class ExpertParallel final : public ExpertGroup {
public:
    /// Carries out `run`, a collective, and may look at the clock before and after.
    using Observer = std::function<void(const ExpertAllToAll&, const std::function<void()>& run)>;

    /// `group` outlives it. The observer may be empty.
    ExpertParallel(Communicator& group, std::int64_t samplesApart, Observer observer = {});

    void visit(int layer) override { layer_ = layer; }
    void exchange(ExpertExchange direction, ConstArraySpan sent, ArraySpan received) override;

private:
    Communicator& group_;
    Observer observer_;
    int layer_ = embeddingLayer;
};

}  // namespace shardlab
