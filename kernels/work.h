// SPDX-License-Identifier: Apache-2.0
// What a call of an operation asks of a device: which kind of kernel, how much arithmetic, how much memory. The header
// of each operation says it in a function named <operation>Work, beside the contract.
#pragma once

#include "kernels/array.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace shardlab::kernels {

/// Operations that are counted together.
enum class KernelKind : std::uint8_t {
    Product,             ///< A·B, with the bias or GELU after it
    ProductTransposedB,  ///< A·Bᵀ: gradients of inputs, and the output projection
    ProductTransposedA,  ///< Aᵀ·B: gradients of weights
    Attention,
    AttentionGradient,
    LayerNorm,
    LayerNormGradient,
    Gelu,  ///< by itself, forward and gradient
    Bias,  ///< by itself, with residuals; sums of columns
    Dropout,
    Embedding,     ///< forward and gradient
    CrossEntropy,  ///< with the gradient
    Optimizer,
    Elementwise,  ///< sums, conversions, the search for values that are not finite
    Copy,         ///< within the device, to and from it, and clearing
    Routing,      ///< of tokens to experts and back
    RmsNorm,
    RmsNormGradient,
    Activation,  ///< other than GELU, and gates, forward and gradient
    Rotary,      ///< rotary embedding, forward and gradient
    Patches,     ///< of images, for the products of convolutions, and their sums
    Pooling,     ///< ReLU and max-pool, forward and gradient; pixels as numbers
};
inline constexpr std::size_t kernelKinds = 22;
std::string_view name(KernelKind kind);  ///< "A·B"

struct KernelWork {
    KernelKind kind = KernelKind::Product;
    double bytes = 0;  ///< of the operands, each read or written once
    double flops = 0;  ///< of matrix products, those inside attention too; every other operation is bound by memory
};

/// The bytes of so many elements of an array; 0 where there is no array.
inline double bytesOf(ConstArray array, double elements) {
    return array ? elements * static_cast<double>(sizeOf(array.type)) : 0;
}

/// The bytes of an update that reads the gradient and changes the value. Where there is a fp32 master copy, that is
/// changed, and the value is only written.
inline double updatedBytes(ConstArray gradient, ConstArray value, const float* master, double elements) {
    return bytesOf(gradient, elements) + bytesOf(value, (master ? 1 : 2) * elements) + bytesOf(master, 2 * elements);
}

/// The work of an optimizer that keeps a number for each row and each column: it reads the gradients and, where it
/// `updates`, changes the values.
template <class Part>
KernelWork matricesWork(std::span<const Part> parts, bool updates) {
    KernelWork work{KernelKind::Optimizer};
    for (const Part& part : parts) {
        const double elements = 1.0 * part.rows * part.columns;
        work.bytes +=
            updates ? updatedBytes(part.gradient, part.value, part.master, elements) : bytesOf(part.gradient, elements);
        work.bytes += 2 * sizeof(float) * (1.0 * part.rows + part.columns);
    }
    return work;
}

}  // namespace shardlab::kernels
