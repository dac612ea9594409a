// SPDX-License-Identifier: Apache-2.0
// Context parallelism: carries out the hops and exchanges of model/context_group.h. Each of the c members has s/c of a
// sample's s tokens; engine/predict/plan/context_traffic.h says what they move. Since each member has other tokens of
// the same samples, the gradients of weights are summed over the group as over replicas
// (engine/layout/mesh/replicas.h).
//
// Where there are experts, each member routes its own tokens. Where these have a limit of places, the members first
// gather what decides who gets one: of b samples, k choices and n experts how many tokens of each run ask for an expert
// with a choice, 2kbn numbers, or where experts choose, their scores of all tokens, bsn numbers. What the balance loss
// counts, 2bn numbers, is summed over the group in each input gradient.
#pragma once

#include "engine/base/layer_number.h"
#include "engine/train/comm/communicator.h"
#include "engine/train/model/context_group.h"

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace shardlab::train {

struct ContextTransfer {
    enum class Kind : std::uint8_t { Hop, ExchangeHeads, GatherChoices };
    Kind kind = Kind::Hop;
    int layer = embeddingLayer;  ///< layer of the model
    std::int64_t bytes = 0;      ///< of a hop those that are sent, of the others those of the whole buffer
};

/// The pairs of members, sender first, that a ring of so many members needs.
std::vector<std::pair<int, int>> ringLinks(int members);

class ContextParallel final : public ContextGroup {
public:
    /// Called when a transfer begins; the function that it returns is called when the transfer is over.
    using Observer = std::function<std::function<void()>(const ContextTransfer&)>;

    /// Collective over `group`, which outlives this object. The observer may be empty.
    ContextParallel(Communicator& group, ContextKind kind, Observer observer = {});

    void visit(int layer) override { layer_ = layer; }
    std::unique_ptr<Hop> pass(ConstArraySpan sent, ArraySpan received, int stream) override;
    void exchange(ConstArraySpan sent, ArraySpan received) override;
    void gatherChoices(ConstArraySpan own, ArraySpan received) override;
    void sumOverMembers(ArraySpan values) override { group_.allReduce(values, ReduceOp::Sum); }

private:
    std::function<void()> observed(ContextTransfer::Kind kind, std::size_t bytes) const;

    Communicator& group_;
    Observer observer_;
    int layer_ = embeddingLayer;
};

}  // namespace shardlab::train
