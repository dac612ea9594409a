// SPDX-License-Identifier: Apache-2.0
// The all-to-alls of a context group whose members exchange tokens for heads (DeepSpeed-Ulysses, 2309.14509). Each of c
// members has N = b·s/c tokens (layout/context_split.h says which) of all heads of its place in the tensor group; in
// between it has all b·s tokens, in order of position, of one of c equal parts of these heads. A matrix has one or more
// parts side by side, as queries, keys and values, each with the columns of all heads:
//
//   own    [N, parts·g]      as layers have it
//   whole  [b·s, parts·g/c]  as an attention of these heads reads and writes it
#pragma once

#include "engine/train/model/layer_context.h"

namespace shardlab::train {

/// Memory of a call, Temporary, in the activations' type: what is sent and what is received, 2·N·parts·g.
class HeadExchange {
public:
    /// `heads`, each of `width` columns, are those of this member's place in the tensor group, a multiple of c.
    /// `context.context` must not be null.
    HeadExchange(const LayerContext& context, int heads, int width);

    /// The heads that this member has between the exchanges, of all tokens.
    int heads() const { return heads_ / group_.size(); }
    int firstHead() const { return heads() * group_.member(); }
    int sequence() const { return context_.sequence * group_.size(); }

    /// Overwrites `whole`.
    void toHeads(const Buffer& own, int parts, const Buffer& whole) const;
    /// Overwrites `own`.
    void toTokens(const Buffer& whole, int parts, const Buffer& own) const;

private:
    enum class Way : std::uint8_t { IntoBlocks, OutOfBlocks };
    /// Between a matrix and what goes to the members or comes from them: a block for each, one behind the other.
    void columns(Way way, Array blocks, Array own, int parts) const;
    void rows(Way way, Array blocks, Array whole, int parts) const;
    void copy(Way way, int rows, int columns, Array block, int blockStride, Array matrix, int matrixStride) const;
    Buffer blocks(int parts) const;
    /// Numbers of a block.
    std::int64_t blockSize(int parts) const { return std::int64_t{context_.tokens()} * parts * columnsOf(); }
    /// Columns of one part in a block.
    int columnsOf() const { return heads() * width_; }

    LayerContext context_;
    ContextGroup& group_;
    int heads_;
    int width_;
};

}  // namespace shardlab::train
