// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/attention_backward.cuh"

#include "kernels/cuda/attention_launch.cuh"
#include "kernels/cuda/attention_plain.cuh"

namespace shardlab::kernels::cuda {

namespace {

template <class T, int columns, bool drops, bool ruled, class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocksPerMultiprocessor)
    queryGradientKernel(const __grid_constant__ AttentionArguments a) {
    queryGradient<T, columns, drops, ruled, Tile>(a);
}

template <class T, int columns, bool drops, bool ruled, class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocksPerMultiprocessor)
    keyValueGradientKernel(const __grid_constant__ AttentionArguments a) {
    keyValueGradient<T, columns, drops, ruled, Tile>(a);
}

template <class T, class Tile>
__global__ void __launch_bounds__(Tile::threads)
    plainQueryGradientKernel(const __grid_constant__ AttentionArguments a) {
    queryGradientPlain<T, Tile>(a);
}

template <class T, class Tile>
__global__ void __launch_bounds__(Tile::threads)
    plainKeyValueGradientKernel(const __grid_constant__ AttentionArguments a) {
    keyValueGradientPlain<T, Tile>(a);
}

template <class T, int columns>
void onTensorCores(const AttentionArguments& a, LaunchQueue& queue) {
    using Tile = BackwardTileOf<columns>;
    const bool drops = a.dropout.mask.share > 0;
    // As in the forward.
    const bool ruled = a.rule.changes();
    launchBlocks(ruled   ? queryGradientKernel<T, columns, true, true, Tile>
                 : drops ? queryGradientKernel<T, columns, true, false, Tile>
                         : queryGradientKernel<T, columns, false, false, Tile>,
                 a, Tile::rows, Tile::threads, Tile::template sharedBytes<columns>, queue);
    launchBlocks(ruled   ? keyValueGradientKernel<T, columns, true, true, Tile>
                 : drops ? keyValueGradientKernel<T, columns, true, false, Tile>
                         : keyValueGradientKernel<T, columns, false, false, Tile>,
                 a, Tile::rows, Tile::threads, Tile::template sharedBytes<columns>, queue);
}

template <class T>
void onTensorCores(const AttentionArguments& a, LaunchQueue& queue) {
    if (a.width <= 32) return onTensorCores<T, 32>(a, queue);
    if (a.width <= 64) return onTensorCores<T, 64>(a, queue);
    onTensorCores<T, 128>(a, queue);
}

template <class T, class Tile>
void plain(const AttentionArguments& a, LaunchQueue& queue) {
    launchBlocks(plainQueryGradientKernel<T, Tile>, a, Tile::tile, Tile::threads, plainBackwardBytes<Tile>, queue);
    launchBlocks(plainKeyValueGradientKernel<T, Tile>, a, Tile::tile, Tile::threads, plainBackwardBytes<Tile>, queue);
}

template <class T>
void plain(const AttentionArguments& a, LaunchQueue& queue) {
    if (a.width <= 64) return plain<T, PlainTile<64, 64>>(a, queue);
    if (a.width <= 128) return plain<T, PlainTile<32, 128>>(a, queue);
    plain<T, PlainTile<16, 256>>(a, queue);
}

}  // namespace

void launchAttentionGrad(const AttentionArguments& a, DType type, LaunchQueue& queue) {
    withType(type, [&]<class T>(Of<T>) {
        if constexpr (!std::is_same_v<T, float>)
            if (suitsTensorCores(a)) return onTensorCores<T>(a, queue);
        plain<T>(a, queue);
    });
}

}  // namespace shardlab::kernels::cuda
