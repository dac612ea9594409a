// SPDX-License-Identifier: Apache-2.0
// The heads of a multi-head latent attention (MLA, DeepSeek-V2, 2405.04434) on their way from the products that make
// them to the attention that reads them. A head's query has columns that stay as they are and columns that are turned
// by their position (kernels/rotary.h); its key has columns of its own, and turned ones that all heads share; its value
// may be narrower than both and is filled up with zeros. Where Yarn makes scores larger, it makes all columns of the
// queries larger by m², and none of the keys'. The tolerance against double precision is 1e-6 of the largest value,
// that of gradients 1e-5.
#pragma once

#include "kernels/rotary.h"

namespace shardlab::kernels {

struct LatentShape {
    int samples = 1;
    int sequence = 1;
    int heads = 1;
    int plain = 1;   ///< columns of a query, and of a key, that are not turned
    int turned = 2;  ///< that are, even
    int values = 1;  ///< columns of a value, at most plain + turned
    RotaryAngles angles;
    /// Positions, as RotaryShape has them.
    int first = 0;
    int split = 0;
    int second = 0;

    int width() const { return plain + turned; }
    int queryColumns() const { return heads * width(); }
    int expandedColumns() const { return heads * (plain + values); }
    int apartColumns() const { return 3 * heads * width(); }
    /// How large queries become: m².
    float queryFactor() const { return static_cast<float>(angles.magnitude() * angles.magnitude()); }
    /// The turned columns as the heads of a rotary embedding: as many of queries, and one key.
    RotaryShape rotation() const { return {samples, sequence, heads, 1, turned, angles, first, split, second}; }
    double elements() const {
        return static_cast<double>(samples) * sequence * (queryColumns() + expandedColumns() + turned + apartColumns());
    }
};

struct LatentHeadOps {
    /// queries: [tokens, heads·(plain + turned)]; expanded: [tokens, heads·(plain + values)], of each head its key,
    /// then its value; sharedKey: [tokens, turned]. Overwrites apart, [tokens, 3·heads·(plain + turned)], as
    /// attention.h reads it: the queries of all heads, then the keys, then the values. T.
    virtual void latentHeads(const LatentShape& shape, ConstArray queries, ConstArray expanded, ConstArray sharedKey,
                             Array apart) = 0;
    static KernelWork latentHeadsWork(const LatentShape& shape, ConstArray queries, const auto&...) {
        return {KernelKind::Rotary, bytesOf(queries, shape.elements())};
    }

    /// Overwrites all three with their gradients; that of the shared key is the sum over the heads.
    virtual void latentHeadsGrad(const LatentShape& shape, ConstArray apartGradient, Array queries, Array expanded,
                                 Array sharedKey) = 0;
    static KernelWork latentHeadsGradWork(const LatentShape& shape, ConstArray apartGradient, const auto&...) {
        return {KernelKind::Rotary, bytesOf(apartGradient, shape.elements())};
    }

protected:
    ~LatentHeadOps() = default;
};

#define SHARDLAB_LATENT_HEAD_OPS(operation)                                                                            \
    operation(LatentHeadOps, latentHeads, 5) operation(LatentHeadOps, latentHeadsGrad, 5)

}  // namespace shardlab::kernels
