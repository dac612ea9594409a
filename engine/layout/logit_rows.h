// SPDX-License-Identifier: Apache-2.0
// How the rows of logits lie in memory.
#pragma once

#include "engine/base/wings.h"

#include <concepts>

namespace shardlab::layout {

/// Elements from row to row of logits over so many tokens: a multiple of 8, so that rows of 16 bits begin at 16 bytes,
/// as products on tensor cores read and write them. A row of GPT-2's 50257 tokens takes 50264.
template <std::integral Count>
constexpr Count logitStride(Count vocabulary) {
    return (vocabulary + 7) / 8 * 8;
}

}  // namespace shardlab::layout
