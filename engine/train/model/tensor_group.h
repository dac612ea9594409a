// SPDX-License-Identifier: Apache-2.0
// The members that share each layer's matrices, as a layer sees them: which share is its own, and where the members'
// shares are put together. A layer says where; parallel/tensor.h says how. Two kinds of regions follow each other:
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

namespace shardlab {

/// A matrix of all tokens: a view of the caller's own, or a gathered copy that goes with this.
class AllTokens {
public:
    static AllTokens view(const Buffer& own) { return AllTokens(own.data(), {}); }
    static AllTokens copy(Buffer gathered) {
        const ConstArray data = gathered.data();
        return AllTokens(data, std::move(gathered));
    }
    ConstArray data() const { return data_; }
    /// The copy; empty where this is a view.
    Buffer take() && { return std::move(copy_); }

private:
    AllTokens(ConstArray data, Buffer copy) : data_(data), copy_(std::move(copy)) {}
    ConstArray data_;
    Buffer copy_;
};

/// The interface is its own trivial implementation: one member, which holds everything and shares nothing.
class TensorGroup {
public:
    explicit TensorGroup(Arena& arena) : arena_(arena) {}
    virtual ~TensorGroup() = default;
    TensorGroup(const TensorGroup&) = delete;
    TensorGroup& operator=(const TensorGroup&) = delete;

    int size() const { return size_; }
    int member() const { return member_; }
    bool splitsTokens() const { return splitsTokens_; }
    /// Of `tokens`, a multiple of size() where they are split.
    int ownTokens(int tokens) const { return splitsTokens_ ? tokens / size_ : tokens; }
    int firstOwnToken(int tokens) const { return splitsTokens_ ? tokens / size_ * member_ : 0; }

    /// The layer whose work comes next, for the trace: its number in the model, or one of base/layer_number.h.
    virtual void visit(int layer);
    /// All members' own tokens; a copy, where there must be one, is allocated as `category`.
    virtual AllTokens gather(const Buffer& own, MemoryCategory category);
    /// The sum over members of what `partial` writes into [tokens, width] of `elements`: the rows of the own tokens,
    /// allocated as `category`.
    virtual Buffer sum(std::size_t elements, DType type, MemoryCategory category,
                       const std::function<void(Array)>& partial);
    /// What a member keeps of `whole`, which all of them hold alike: its part of as many equal ones as there are
    /// members, one behind another (Activations). All of it where there is one member, or where each has its own
    /// tokens.
    virtual Buffer keepPart(Buffer whole);
    /// The whole again (Activations), of what keepPart left to the members.
    virtual Buffer joinParts(Buffer part);
    /// In place: the sum over members of what each made of its own tokens. Nothing where each had them all.
    virtual void sumOverTokens(ArraySpan values);
    /// In place, element by element over the members.
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

}  // namespace shardlab
