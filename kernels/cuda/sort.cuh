// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace shardlab::kernels::cuda {

/// Keys with a number each, in the device's memory.
struct KeyedNumbers {
    std::uint32_t* keys = nullptr;
    std::int32_t* numbers = nullptr;
};

/// sorted := `from` by keys, which are below `end`; numbers of one key stay in order. `scratch` has sortScratch(count)
/// bytes.
void sortByKey(int count, std::uint32_t end, KeyedNumbers from, KeyedNumbers sorted, void* scratch,
               cudaStream_t stream);
std::size_t sortScratch(int count, std::uint32_t end);

}  // namespace shardlab::kernels::cuda
