// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/layout/layout.h"

#include <cstdint>

namespace shardlab::predict {

/// What one microbatch's forward through all blocks of a cnn keeps in codes or fewer bits (layout/kept_activations.h),
/// and what the same would be as it was made; in bytes. Zeros where nothing is kept so. Events of the kind
/// PackedActivations measure it.
struct PackedActivations {
    std::int64_t kept = 0;
    std::int64_t plain = 0;
};
PackedActivations packedActivations(const Layout& layout);

}  // namespace shardlab::predict
