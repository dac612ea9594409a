// SPDX-License-Identifier: Apache-2.0
// How large tensors are, by what PyTorch's profiler says of them.
#pragma once

#include <cstdint>
#include <string_view>

namespace shardlab::trace {

/// Bytes of an element, by PyTorch's name of its type; 0: unknown.
std::int64_t elementBytes(std::string_view type);

/// The bytes of tensors whose shapes are `shapes`, "[[2,32],[100]]", and whose types `types`, "[float,long int]", as
/// TraceItem has lists. Lists of tensors, whose type is not told, and what has no element type count nothing; 0 too
/// where a list has no end, or the sum is beyond an int64.
std::int64_t tensorBytes(std::string_view shapes, std::string_view types);

}  // namespace shardlab::trace
