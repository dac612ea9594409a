// SPDX-License-Identifier: Apache-2.0
// The members that share each layer's matrices, as a layer sees them: which share is its own, and where the members'
// results are combined. A layer says where to combine; parallel/tensor.h does it. Two kinds of regions alternate:
//
//   own tokens   norms, biases, dropout, residuals, on whole rows. Every member does all tokens; where the group
//                splits tokens (sequence parallel, 2205.05198) each does its share of them.
//   all tokens   products with a share of a matrix's columns or rows, and what lies between them (attention heads,
//                GELU): every member sees all tokens.
//
// gather() leads from own to all tokens (Megatron's f, forward), sum() from all to own (g, forward); backward they
// change places. Matrices are [tokens, width]; a member's own tokens are consecutive rows.
#pragma once

#include "engine/train/model/arena.h"

#include <functional>

namespace shardlab::train {

/// A matrix of all tokens: a view of the caller's matrix, or a gathered copy, which this object owns.
class AllTokens {
public:
    static AllTokens view(const Buffer& own) { return AllTokens(own.data(), {}); }
    static AllTokens copy(Buffer gathered) {
        const ConstArray data = gathered.data();
        return AllTokens(data, std::move(gathered));
    }
    ConstArray data() const { return data_; }
    /// The copy; empty where there is only a view.
    Buffer take() && { return std::move(copy_); }

private:
    AllTokens(ConstArray data, Buffer copy) : data_(data), copy_(std::move(copy)) {}
    ConstArray data_;
    Buffer copy_;
};

/// The class itself implements the trivial group: one member, which holds everything and shares nothing.
class TensorGroup {
public:
    explicit TensorGroup(Arena& arena) : arena_(arena) {}
    virtual ~TensorGroup() = default;
    TensorGroup(const TensorGroup&) = delete;
    TensorGroup& operator=(const TensorGroup&) = delete;

    int size() const { return size_; }
    int member() const { return member_; }
    bool splitsTokens() const { return splitsTokens_; }
    /// How many of `tokens` are this member's own; `tokens` is a multiple of size() where they are split.
    int ownTokens(int tokens) const { return splitsTokens_ ? tokens / size_ : tokens; }
    int firstOwnToken(int tokens) const { return splitsTokens_ ? tokens / size_ * member_ : 0; }

    /// Names the layer whose work comes next, for the trace: its number in the model, or one of base/layer_number.h.
    virtual void visit(int layer);
    /// The own tokens of all members together; a copy, where one is needed, is allocated as `category`.
    virtual AllTokens gather(const Buffer& own, MemoryCategory category);
    /// The sum over members of what `partial` writes into [tokens, width] of `elements`: the rows of the own tokens,
    /// allocated as `category`.
    virtual Buffer sum(std::size_t elements, DType type, MemoryCategory category,
                       const std::function<void(Array)>& partial);
    /// The part of `whole`, which all members hold alike, that this member keeps (Activations): one of equal parts, one
    /// for each member. It is all of `whole` where there is one member, or where each has its own tokens.
    virtual Buffer keepPart(Buffer whole);
    /// The whole again (Activations) from the parts that keepPart() left to the members.
    virtual Buffer joinParts(Buffer part);
    /// The blocks of all members, one behind the other in their order (Temporary); each has one of the size of `own`.
    virtual Buffer gatherBlocks(const Buffer& own);
    /// The own block of the sum over members of `blocks`, one for each of them (Temporary).
    virtual Buffer sumBlocks(Buffer blocks);
    /// Sums in place what each member computed from its own tokens. Does nothing where each member has all tokens.
    virtual void sumOverTokens(ArraySpan values);
    /// Combines in place, element by element over the members.
    virtual void sumOverMembers(ArraySpan values);
    virtual void largestOverMembers(ArraySpan values);

protected:
    TensorGroup(Arena& arena, int size, int member, bool splitsTokens)
        : arena_(arena), size_(size), member_(member), splitsTokens_(splitsTokens) {}
    Arena& arena_;

private:
    int size_ = 1;
    int member_ = 0;
    bool splitsTokens_ = false;
};

}  // namespace shardlab::train
