// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/attention_forward.cuh"

#include "kernels/cuda/attention_launch.cuh"
#include "kernels/cuda/attention_plain.cuh"

namespace shardlab::cuda {

namespace {

template <class T, int columns, bool drops, class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocksPerMultiprocessor)
    attentionKernel(const __grid_constant__ AttentionArguments a) {
    attend<T, columns, drops, Tile>(a);
}

template <class T, class Tile>
__global__ void __launch_bounds__(Tile::threads) plainAttentionKernel(const __grid_constant__ AttentionArguments a) {
    attendPlain<T, Tile>(a);
}

template <class T, int columns>
void onTensorCores(const AttentionArguments& a, cudaStream_t stream) {
    using Tile = ForwardTileOf<columns>;
    launchBlocks(a.dropout.mask.share > 0 ? attentionKernel<T, columns, true, Tile>
                                          : attentionKernel<T, columns, false, Tile>,
                 a, Tile::queries, Tile::threads, Tile::template sharedBytes<columns>, stream);
}

template <class T>
void onTensorCores(const AttentionArguments& a, cudaStream_t stream) {
    if (a.width <= 32) return onTensorCores<T, 32>(a, stream);
    if (a.width <= 64) return onTensorCores<T, 64>(a, stream);
    onTensorCores<T, 128>(a, stream);
}

template <class T, class Tile>
void plain(const AttentionArguments& a, cudaStream_t stream) {
    launchBlocks(plainAttentionKernel<T, Tile>, a, Tile::tile, Tile::threads, plainForwardBytes<Tile>, stream);
}

template <class T>
void plain(const AttentionArguments& a, cudaStream_t stream) {
    if (a.width <= 64) return plain<T, PlainTile<64, 64>>(a, stream);
    if (a.width <= 128) return plain<T, PlainTile<32, 128>>(a, stream);
    plain<T, PlainTile<16, 256>>(a, stream);
}

}  // namespace

void launchAttention(const AttentionArguments& a, DType type, cudaStream_t stream) {
    withType(type, [&]<class T>(Of<T>) {
        if constexpr (!std::is_same_v<T, float>)
            if (suitsTensorCores(a)) return onTensorCores<T>(a, stream);
        plain<T>(a, stream);
    });
}

}  // namespace shardlab::cuda
