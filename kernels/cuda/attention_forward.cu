// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/attention_forward.cuh"

#include "kernels/cuda/attention_launch.cuh"
#include "kernels/cuda/attention_plain.cuh"

namespace shardlab::kernels::cuda {

namespace {

template <class T, int columns, bool drops, bool ruled, class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocksPerMultiprocessor)
    attentionKernel(const __grid_constant__ AttentionArguments a) {
    attend<T, columns, drops, ruled, Tile>(a);
}

template <class T, class Tile>
__global__ void __launch_bounds__(Tile::threads) plainAttentionKernel(const __grid_constant__ AttentionArguments a) {
    attendPlain<T, Tile>(a);
}

template <class T, int columns>
void onTensorCores(const AttentionArguments& a, LaunchQueue& queue) {
    using Tile = ForwardTileOf<columns>;
    const bool drops = a.dropout.mask.share > 0;
    // Where a rule changes the scores, the kernel that drops does without dropping too: fewer kernels are compiled.
    launchBlocks(a.rule.changes() ? attentionKernel<T, columns, true, true, Tile>
                 : drops          ? attentionKernel<T, columns, true, false, Tile>
                                  : attentionKernel<T, columns, false, false, Tile>,
                 a, Tile::queries, Tile::threads, Tile::template sharedBytes<columns>, queue);
}

template <class T>
void onTensorCores(const AttentionArguments& a, LaunchQueue& queue) {
    if (a.width <= 32) return onTensorCores<T, 32>(a, queue);
    if (a.width <= 64) return onTensorCores<T, 64>(a, queue);
    onTensorCores<T, 128>(a, queue);
}

template <class T, class Tile>
void plain(const AttentionArguments& a, LaunchQueue& queue) {
    launchBlocks(plainAttentionKernel<T, Tile>, a, Tile::tile, Tile::threads, plainForwardBytes<Tile>, queue);
}

template <class T>
void plain(const AttentionArguments& a, LaunchQueue& queue) {
    if (a.width <= 64) return plain<T, PlainTile<64, 64>>(a, queue);
    if (a.width <= 128) return plain<T, PlainTile<32, 128>>(a, queue);
    plain<T, PlainTile<16, 256>>(a, queue);
}

}  // namespace

void launchAttention(const AttentionArguments& a, DType type, LaunchQueue& queue) {
    withType(type, [&]<class T>(Of<T>) {
        if constexpr (!std::is_same_v<T, float>)
            if (suitsTensorCores(a)) return onTensorCores<T>(a, queue);
        plain<T>(a, queue);
    });
}

}  // namespace shardlab::kernels::cuda
