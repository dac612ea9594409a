// SPDX-License-Identifier: Apache-2.0
// Context parallelism: where the hops of model/context_group.h go. Of a sample's s tokens each of the c members has
// s/c; plan/context_ring.h says what its ring moves. As each member has other tokens of the same samples, the gradients
// of weights are summed over the group as over replicas (layout/replicas.h).
#pragma once

#include "engine/base/layer_number.h"
#include "engine/train/comm/communicator.h"
#include "engine/train/model/context_group.h"

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace shardlab {

struct ContextHop {
    int layer = embeddingLayer;  ///< of the model
    std::int64_t bytes = 0;      ///< sent, and as much received
};

/// Pairs of members, sender first, that a ring of so many needs.
std::vector<std::pair<int, int>> ringLinks(int members);

class ContextParallel final : public ContextGroup {
public:
    /// Called where a hop begins; what it returns, where it is over.
    using Observer = std::function<std::function<void()>(const ContextHop&)>;

    /// Collective. `group` outlives it. The observer may be empty.
    explicit ContextParallel(Communicator& group, Observer observer = {});

    void visit(int layer) override { layer_ = layer; }
    std::unique_ptr<Hop> pass(ConstArraySpan sent, ArraySpan received, int stream) override;

private:
    Communicator& group_;
    Observer observer_;
    int layer_ = embeddingLayer;
};

}  // namespace shardlab
