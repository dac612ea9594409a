// SPDX-License-Identifier: Apache-2.0
#include "kernels/packed_floats.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/grid.cuh"
#include "kernels/packed_code.h"

namespace shardlab::kernels::cuda {

namespace {

/// A thread takes the numbers of one group, whose bytes are a `Word`.
template <class T, class Word>
__global__ void packKernel(PackedFormat format, int group, std::int64_t count, std::int64_t groups, const T* from,
                           Word* packed) {
    overElements<1>(groups, [=](std::int64_t at, auto) {
        std::uint32_t word = 0;
        for (int k = 0; k < group && at * group + k < count; ++k)
            word |= packedCode(format, toFloat(from[at * group + k])) << k * (1 + format.exponent + format.fraction);
        packed[at] = static_cast<Word>(word);
    });
}

template <class T, class Word>
__global__ void unpackKernel(PackedFormat format, int group, std::int64_t count, std::int64_t groups,
                             const Word* packed, T* to) {
    overElements<1>(groups, [=](std::int64_t at, auto) {
        const std::uint32_t word = packed[at];
        const int bits = 1 + format.exponent + format.fraction;
        for (int k = 0; k < group && at * group + k < count; ++k)
            to[at * group + k] = fromFloat<T>(ofPackedCode(format, word >> k * bits & ((1u << bits) - 1)));
    });
}

/// Calls function(Of<Word>{}), where Word has the bytes of a group.
template <class Function>
void withWord(int bits, Function&& function) {
    if (bits == 16) return function(Of<std::uint16_t>{});
    if (bits == 10) return function(Of<std::uint32_t>{});
    function(Of<std::uint8_t>{});
}

}  // namespace

void CudaDevice::packFloats(std::int64_t count, int bits, ConstArray from, std::uint8_t* packed) {
    const int group = packedGroup(bits);
    const std::int64_t groups = ceilDiv(count, group);
    withType(from.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        withWord(bits, [&](auto w) {
            using Word = typename decltype(w)::Type;
            launch("packFloats", packKernel<T, Word>, elementBlocks(groups, 1), elementThreads, *queue_,
                   packedFormat(bits), group, count, groups, as<T>(from), reinterpret_cast<Word*>(packed));
        });
    });
}

void CudaDevice::unpackFloats(std::int64_t count, int bits, const std::uint8_t* packed, Array to) {
    const int group = packedGroup(bits);
    const std::int64_t groups = ceilDiv(count, group);
    withType(to.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        withWord(bits, [&](auto w) {
            using Word = typename decltype(w)::Type;
            launch("unpackFloats", unpackKernel<T, Word>, elementBlocks(groups, 1), elementThreads, *queue_,
                   packedFormat(bits), group, count, groups, reinterpret_cast<const Word*>(packed), as<T>(to));
        });
    });
}

}  // namespace shardlab::kernels::cuda
