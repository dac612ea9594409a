// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/layout/devices.h"
#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"

#include <cstdint>

namespace shardlab::predict {

/// How many numbers of a map that is kept sparsely are taken not to be 0. Data decide it; a plan knows only that
/// weights start with as many sums below 0 as above, so that a ReLU cuts half of them.
constexpr std::int64_t assumedNonzeros(std::int64_t numbers) { return numbers / 2; }

/// What one microbatch's forward through all blocks of a cnn keeps in codes, sparsely or in fewer bits
/// (layout/kept_activations.h), and what the same would be as it was made; in bytes. Zeros where nothing is kept so.
/// Events of the kind PackedActivations measure it.
struct PackedActivations {
    std::int64_t kept = 0;
    std::int64_t plain = 0;
};
PackedActivations packedActivations(const Layout& layout);

/// The time that the forward of one microbatch takes to pack activations into fewer bits or without their zeros, and
/// the input gradient to unpack them. Codes take none: they are written where the pool reads anyway.
struct PackingSeconds {
    double forward = 0;
    double inputGrad = 0;
};
PackingSeconds packingSeconds(const Layout& layout, const StageShape& stage, const DevicePreset& device);

}  // namespace shardlab::predict
