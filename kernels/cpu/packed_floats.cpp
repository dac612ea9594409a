// SPDX-License-Identifier: Apache-2.0
#include "kernels/packed_floats.h"

#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"
#include "kernels/packed_code.h"

#include <algorithm>

namespace shardlab::kernels {

namespace {

/// Calls work(first number, how many, where their bytes begin) block by block, each on one thread.
template <class Work>
void byGroups(std::int64_t count, int bits, const Work& work) {
    const std::int64_t group = packedGroup(bits), block = cpu::blockElements / group * group;
    cpu::shareOut((count + block - 1) / block, count, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t first = begin * block; first < std::min(end * block, count); first += block)
            work(first, std::min(block, count - first), packedBytes(first, bits));
    });
}

}  // namespace

void CpuDevice::packFloats(std::int64_t count, int bits, ConstArray from, std::uint8_t* packed) {
    const PackedFormat format = packedFormat(bits);
    const int group = packedGroup(bits), bytes = packedGroupBytes(bits);
    byGroups(count, bits, [&](std::int64_t first, std::int64_t some, std::int64_t at) {
        const cpu::ConstFloats values(from + first, some);
        for (std::int64_t i = 0; i < some; i += group, at += bytes) {
            std::uint32_t word = 0;
            for (int k = 0; k < group && i + k < some; ++k)
                word |= packedCode(format, values.data()[i + k]) << k * bits;
            std::memcpy(packed + at, &word, static_cast<std::size_t>(bytes));
        }
    });
}

void CpuDevice::unpackFloats(std::int64_t count, int bits, const std::uint8_t* packed, Array to) {
    const PackedFormat format = packedFormat(bits);
    const int group = packedGroup(bits), bytes = packedGroupBytes(bits);
    byGroups(count, bits, [&](std::int64_t first, std::int64_t some, std::int64_t at) {
        const cpu::Floats values(to + first, cpu::Floats::Access::Write, some);
        for (std::int64_t i = 0; i < some; i += group, at += bytes) {
            std::uint32_t word = 0;
            std::memcpy(&word, packed + at, static_cast<std::size_t>(bytes));
            for (int k = 0; k < group && i + k < some; ++k)
                values.data()[i + k] = ofPackedCode(format, word >> k * bits & ((1u << bits) - 1));
        }
    });
}

}  // namespace shardlab::kernels
