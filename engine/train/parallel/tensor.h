// SPDX-License-Identifier: Apache-2.0
// Tensor parallelism (Megatron, 1909.08053) and sequence parallelism (2205.05198): carries out the communication of
// model/tensor_group.h. There are t members, and the activations of all tokens are N·h floats:
//
//                            tokens whole                     tokens split
//   gather (own → all)       nothing                          all-gather N·h
//   sum (all → own)          all-reduce N·h                   reduce-scatter N·h
//   sumOverTokens            nothing: each saw all tokens     all-reduce
//   joinParts                all-gather N·h                   nothing: each keeps its own tokens
//   gatherBlocks             all-gather of the blocks         the same
//   sumBlocks                reduce-scatter of the blocks     the same
//
// A reduce-scatter and an all-gather together move what an all-reduce moves. Split tokens cost one more all-gather for
// each product: its input is kept once, not by every member, and gathered again for the weight gradient.
#pragma once

#include "engine/base/layer_number.h"
#include "engine/train/comm/communicator.h"
#include "engine/train/model/tensor_group.h"

#include <cstdint>
#include <functional>

namespace shardlab::train {

struct TensorCollective {
    enum class Kind : std::uint8_t { AllReduce, ReduceScatter, AllGather };
    Kind kind = Kind::AllReduce;
    int layer = embeddingLayer;  ///< layer of the model, or a number of base/layer_number.h
    std::int64_t bytes = 0;      ///< size of the whole buffer, all tokens
};

class TensorParallel final : public TensorGroup {
public:
    /// Calls `run`, which carries out a collective, and may look at the clock before and after.
    using Observer = std::function<void(const TensorCollective&, const std::function<void()>& run)>;

    /// `group` and `arena` outlive this object. The observer may be empty.
    TensorParallel(Arena& arena, Communicator& group, bool splitsTokens, Observer observer = {});

    void visit(int layer) override { layer_ = layer; }
    AllTokens gather(const Buffer& own, MemoryCategory category) override;
    Buffer sum(std::size_t elements, DType type, MemoryCategory category,
               const std::function<void(Array)>& partial) override;
    Buffer keepPart(Buffer whole) override;
    Buffer joinParts(Buffer part) override;
    Buffer gatherBlocks(const Buffer& own) override { return allGather(own, MemoryCategory::Temporary); }
    Buffer sumBlocks(Buffer blocks) override { return reduceScatter(blocks, MemoryCategory::Temporary); }
    void sumOverTokens(ArraySpan values) override;
    void sumOverMembers(ArraySpan values) override;
    void largestOverMembers(ArraySpan values) override;

private:
    Buffer allGather(const Buffer& own, MemoryCategory category);
    Buffer reduceScatter(const Buffer& whole, MemoryCategory category);
    void carryOut(TensorCollective::Kind kind, std::size_t bytes, const std::function<void()>& run);

    Communicator& group_;
    Observer observer_;
    int layer_ = embeddingLayer;
};

}  // namespace shardlab::train
