// SPDX-License-Identifier: Apache-2.0
// How many numbers are rounded to 8 bits: what the counters of saturated and flushed numbers are shares of.
#pragma once

#include "engine/layout/layout.h"
#include "engine/trace/event/fp8_place.h"

namespace shardlab::trace {

/// Numbers of a factor that one rank rounds for a microbatch: of a linear layer y = x·W with `rows` rows on the rank, x
/// [rows, inputs], W [inputs, outputs], or dy [rows, outputs]; of all experts of the rank together. Where a layer of
/// experts is dropless, so many as if all experts were chosen equally often. 0 for a place that the model does not
/// have.
double roundedNumbers(const Layout& layout, const Fp8Place& place);

}  // namespace shardlab::trace
