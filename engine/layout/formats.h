// SPDX-License-Identifier: Apache-2.0
// In which number formats a layout keeps what (1710.03740).
#pragma once

#include "engine/layout/layout.h"

#include <cstdint>

namespace shardlab {

enum class NumberFormat : std::uint8_t { Fp32, Bf16, Fp16 };

constexpr std::int64_t bytesOf(NumberFormat format) { return format == NumberFormat::Fp32 ? 4 : 2; }
inline constexpr std::int64_t fp32Bytes = bytesOf(NumberFormat::Fp32);

/// As Apex AMP numbers its levels: O0 compute in fp32; O1 weights `fp32`; O2 `master`; O3 `alone`. In all of them
/// statistics of norms, the softmax of the loss, sums and the optimizer's moments are fp32.
struct NumberFormats {
    NumberFormat activations = NumberFormat::Fp32;  ///< and their gradients, and operands of products
    NumberFormat weights = NumberFormat::Fp32;      ///< as layers read them
    NumberFormat gradients = NumberFormat::Fp32;    ///< of weights
    bool master = false;  ///< the optimizer updates a copy of the weights in fp32, of which they are rounded

    std::int64_t activationBytes() const { return bytesOf(activations); }
    std::int64_t weightBytes() const { return bytesOf(weights); }
    std::int64_t gradientBytes() const { return bytesOf(gradients); }
    /// Weights are rounded anew for every product.
    bool castsWeights() const { return weights != activations; }
    bool operator==(const NumberFormats&) const = default;
};

/// The layout was checked.
NumberFormats numberFormats(const PrecisionSpec& precision);

/// The loss is multiplied, and every step is judged by the norm of its gradients.
bool scalesLoss(const PrecisionSpec& precision);

}  // namespace shardlab
