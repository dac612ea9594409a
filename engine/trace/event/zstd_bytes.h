// SPDX-License-Identifier: Apache-2.0
// Bytes compressed with zstd, one frame that knows its size.
#pragma once

#include "engine/base/bytes.h"
#include "engine/base/result.h"

#include <cstddef>
#include <span>

namespace shardlab::trace {

Bytes packBytes(std::span<const std::byte> bytes);
/// Error: it is no whole frame, or it says that it holds more than 64 MiB.
Result<Bytes> unpackBytes(std::span<const std::byte> packed);

}  // namespace shardlab::trace
