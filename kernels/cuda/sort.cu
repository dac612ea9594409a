// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/sort.cuh"

#include "kernels/cuda/check.cuh"

#include <cub/device/device_radix_sort.cuh>

#include <bit>

namespace shardlab::kernels::cuda {

namespace {

std::size_t sort(int count, std::uint32_t end, KeyedNumbers from, KeyedNumbers sorted, void* scratch,
                 std::size_t scratchBytes, cudaStream_t stream) {
    check(cub::DeviceRadixSort::SortPairs(scratch, scratchBytes, from.keys, sorted.keys, from.numbers, sorted.numbers,
                                          count, 0, std::bit_width(end | 1), stream),
          "sort");
    return scratchBytes;
}

}  // namespace

void sortByKey(int count, std::uint32_t end, KeyedNumbers from, KeyedNumbers sorted, void* scratch,
               cudaStream_t stream) {
    sort(count, end, from, sorted, scratch, sortScratch(count, end), stream);
}

std::size_t sortScratch(int count, std::uint32_t end) { return sort(count, end, {}, {}, nullptr, 0, nullptr); }

}  // namespace shardlab::kernels::cuda
