// SPDX-License-Identifier: Apache-2.0
// Picks the kernels of the attention for a type and a width of head, and starts them.
#pragma once

#include "kernels/cuda/attention_parts.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/types.cuh"

namespace shardlab::kernels::cuda {

/// The widest head that the kernels take.
constexpr int widestHead = 256;

/// Reads qkv; writes output and logSums.
void launchAttention(const AttentionArguments& arguments, DType type, LaunchQueue& queue);

/// Overwrites qkvGradient, uses rowDots as scratch, and reads all other arrays.
void launchAttentionGrad(const AttentionArguments& arguments, DType type, LaunchQueue& queue);

/// Whether tensor cores can compute it, for elements of 16 bits: rows must begin at multiples of 16 bytes.
inline bool suitsTensorCores(const AttentionArguments& a) {
    const auto aligned = [](const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; };
    return a.width % 8 == 0 && a.width <= 128 && aligned(a.qkv) && aligned(a.output) && aligned(a.outputGradient) &&
           aligned(a.qkvGradient);
}

/// Starts `kernel` with one block for each `rows` rows of each head.
inline void launchBlocks(void (*kernel)(AttentionArguments), const AttentionArguments& a, int rows, int threads,
                         int sharedBytes, LaunchQueue& queue) {
    const int blocks = (a.sequence + rows - 1) / rows * a.samples * a.heads;
    launchShared("attention", kernel, static_cast<unsigned>(blocks), static_cast<unsigned>(threads),
                 static_cast<std::size_t>(sharedBytes), queue, a);
}

}  // namespace shardlab::kernels::cuda
