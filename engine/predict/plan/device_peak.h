// SPDX-License-Identifier: Apache-2.0
// What the devices of a layout could do at most, of which a step uses a share (layout/utilisation.h).
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/layout/utilisation.h"
#include "engine/predict/plan/measurements.h"

namespace shardlab::predict {

/// The peak of all ranks together. Ranks that share this machine's cores or GPUs have no more than the machine has.
DevicePeak peakOf(const Layout& layout, const Mesh& mesh, const Measurements& measurements);
/// Whether the devices' peak is known: that of other hosts and of a processor that was not measured is unknown.
bool knowsPeak(const Layout& layout, const Measurements& measurements);

}  // namespace shardlab::predict
