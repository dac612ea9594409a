// SPDX-License-Identifier: Apache-2.0
// The number formats in which a layout computes and keeps its numbers (1710.03740).
#pragma once

#include "engine/layout/layout.h"

#include <cstdint>

namespace shardlab::layout {

constexpr std::int64_t bytesOf(NumberFormat format) { return format == NumberFormat::Fp32 ? 4 : 2; }
inline constexpr std::int64_t fp32Bytes = bytesOf(NumberFormat::Fp32);

/// The levels of Apex AMP are: O0 with compute fp32; with 16 bits O1 where weights are `fp32`, O2 `master`, O3 `alone`.
/// In all of them statistics of norms, the softmax of the loss, sums and the optimizer's moments are fp32.
struct NumberFormats {
    NumberFormat activations = NumberFormat::Fp32;  ///< activations, their gradients, and operands of products
    NumberFormat weights = NumberFormat::Fp32;      ///< weights as layers read them
    NumberFormat gradients = NumberFormat::Fp32;    ///< gradients of weights
    bool master = false;  ///< the optimizer updates master weights in fp32, from which the weights are rounded

    std::int64_t activationBytes() const { return bytesOf(activations); }
    std::int64_t weightBytes() const { return bytesOf(weights); }
    std::int64_t updatedWeightBytes() const { return master ? fp32Bytes : weightBytes(); }  ///< the master weights
    std::int64_t gradientBytes() const { return bytesOf(gradients); }
    /// Weights are rounded anew for every product.
    bool castsWeights() const { return weights != activations; }
    bool operator==(const NumberFormats&) const = default;
};

/// The formats of a layout that was checked.
NumberFormats numberFormats(const PrecisionSpec& precision);

/// The loss is multiplied, and every step is judged by the norm of its gradients.
bool scalesLoss(const PrecisionSpec& precision);

}  // namespace shardlab::layout
