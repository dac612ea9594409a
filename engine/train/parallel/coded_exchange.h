// SPDX-License-Identifier: Apache-2.0
// The exchange of gradients in 8 bits or less with error feedback (Seide et al. 2014; Karimireddy et al. 1901.09847; in
// two stages as 1-bit Adam, Tang et al. 2102.02888). d replicas hold a bucket of n elements each, g_w on replica w, cut
// into d parts as ring_collectives.h cuts a block; replica k owns part k. C stands for encodeGradient() and
// decodeCodedSum(), which take part by part (kernels/gradient_codes.h). Remainders are fp32 and begin with 0: e_w, n
// elements on replica w; s_k, the elements of part k on its owner.
//   1. on each w, for each part:  a = g_w + e_w,  e_w := a − C(a);      w sends C(a) to the part's owner
//   2. on each owner k:           b = Σ_w C(a_w) + s_k,  w = 0 … d−1 in fp32,  s_k := b − C(b)
//   3. k sends C(b) to all:       g := C(b), rounded to the gradients' type: the same bits on every replica
// Losses are scaled by 1 ÷ (microbatches · replicas) already (data.h), so that the sum is the mean. With ZeRO the owner
// alone updates with its part: there is no s, and instead of 2 and 3 its part becomes Σ_w C(a_w). ZeRO 2 and 3 exchange
// after each microbatch, whose remainders go to the next. Where ZeRO divides several copies (mesh/copies.h), the d
// replicas are those of a copy, and after the last microbatch those that own the same part of each copy go through 1 to
// 3 with the sums of their parts, with remainders of their own.
//
// Where a block holds a number that is not finite, not-a-number goes to all, so that every replica skips the step; its
// remainder stays as it was. What the other blocks sent in a skipped step is dropped with the step's gradients.
#pragma once

#include "engine/layout/coded_exchange.h"
#include "engine/train/comm/communicator.h"
#include "engine/train/model/stage.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::train {

/// Remainders of a stage's parameters that lie together, for checkpoints.
struct RemainderPiece {
    const Parameter* parameter = nullptr;
    std::string_view kind;
    std::int64_t begin = 0;  ///< first element within the parameter
    ArraySpan values;        ///< fp32, on the stage's device
};

/// What one replica keeps of the exchanges of a stage.
class CodedStage {
public:
    /// `units` are the stage's, in the order of their reductions (reductionUnits).
    CodedStage(Stage& stage, const ParallelSpec& parallel, std::span<const FlatUnit> units, int replica, Arena& arena);

    /// Exchanges the gradient of unit `index` by way of `buffers`, fp32, which have codedBytes() twice and are free
    /// again when the request is over. `group` are the replicas that exchange the unit; its addresses are the device's.
    RequestPtr exchange(ExchangeFormat format, std::size_t index, ArraySpan gradient, Communicator& group,
                        ArraySpan buffers) const;

    /// The exchange of this replica's part of that gradient with those who have the same part of other copies, by way
    /// of codedPartBytes() twice.
    RequestPtr exchangePart(ExchangeFormat format, std::size_t index, ArraySpan part, Communicator& group,
                            ArraySpan buffers) const;

    /// Multiplies all remainders, which are in the units of the gradients: by how much the loss scale has changed.
    void scale(float factor) const;

    /// All remainders. The kinds, which live as long as this object, tell replicas apart, and the two copies of a tied
    /// embedding.
    std::vector<RemainderPiece> pieces() const;

private:
    /// What one exchange loses: that of a unit, or that of the owners of a unit's part.
    struct Remainders {
        ArraySpan worker, server;
        std::int64_t begin = 0, serverBegin = 0;  ///< within the stage
        std::int64_t most = 0;  ///< elements of the gradient, where groups exchange parts of it those of the largest
        /// What a checkpoint calls `worker`; the second name is that of a tied embedding's copy on the last stage.
        std::string kinds[2] = {};
    };
    /// `sums`: an all-reduce, else its first half.
    RequestPtr exchange(ExchangeFormat format, const Remainders& kept, bool sums, ArraySpan gradient,
                        Communicator& group, ArraySpan buffers) const;

    Stage& stage_;
    bool sums_;
    Buffer remainders_;
    std::vector<Remainders> units_, parts_;  ///< parts_ is empty where there is one copy
};

}  // namespace shardlab::train
