// SPDX-License-Identifier: Apache-2.0
// Expert parallelism (GShard, 2006.16668): carries out the exchanges of model/expert_group.h, each as an all-to-all. An
// expert group has e members, neighbouring replicas. Each holds n/e of the n experts that it has of a layer and has
// tokens of its own. A layer sends the R·h numbers of its rows and receives as many, twice in a forward and twice in an
// input gradient:
//
//   forward      dispatch the experts' inputs, combine their outputs
//   input grad   dispatch the gradients of their outputs, combine those of their inputs
//
// Each member sends (e − 1)/e of it to others. Where experts have no limit of places (dropless), or share it among the
// members of context groups, the members first tell each other how many rows each expert gets, and send as many as
// that; where something is dropped within experts, then also which rows they are, R numbers of 32 bits more in the
// dispatch of a forward. Weights outside experts are alike on all data
// ranks. The weights of an expert are alike on one rank of each group (engine/layout/mesh/replicas.h: sameExperts), and
// their gradients are summed over these ranks alone. Each member of a tensor group belongs to an expert group of its
// own, with the ranks in its place of the other groups; where the parts of a tensor group hold different experts
// (engine/layout/mesh/folding.h), n are those of its part.
#pragma once

#include "engine/base/layer_number.h"
#include "engine/train/comm/communicator.h"
#include "engine/train/model/expert_group.h"

#include <cstdint>
#include <functional>

namespace shardlab::train {

struct ExpertAllToAll {
    ExpertExchange direction = ExpertExchange::Dispatch;
    int layer = embeddingLayer;  ///< layer of the model
    std::int64_t bytes = 0;      ///< size of the whole buffer
};

class ExpertParallel final : public ExpertGroup {
public:
    /// Calls `run`, which carries out a collective, and may look at the clock before and after.
    using Observer = std::function<void(const ExpertAllToAll&, const std::function<void()>& run)>;

    /// `group` outlives this object. The observer may be empty.
    ExpertParallel(Communicator& group, const MemberSamples& samples, Observer observer = {});

    void visit(int layer) override { layer_ = layer; }
    std::vector<std::int32_t> gather(std::span<const std::int32_t> counts) override;
    void exchange(ExpertExchange direction, ConstArraySpan sent, ArraySpan received,
                  std::span<const std::size_t> sizes) override;

private:
    Communicator& group_;
    Observer observer_;
    int layer_ = embeddingLayer;
};

}  // namespace shardlab::train
