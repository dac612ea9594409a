// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace shardlab {

/// Of a run, and so hosts of one: events number ranks with 16 bits.
constexpr int mostRanks = 32767;

}  // namespace shardlab
