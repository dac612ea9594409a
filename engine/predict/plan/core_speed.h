// SPDX-License-Identifier: Apache-2.0
// A glance at this machine's cores, for predictions where nothing was profiled.
#pragma once

#include "engine/base/wings.h"

namespace shardlab::predict {

struct CoreSpeed {
    double flops = 0;            ///< fp32, peak of one core; 0: not known
    double memoryBandwidth = 0;  ///< bytes per second read and written by one core
    double bf16Flops = 0;        ///< as flops; 0 where the processor has no products of bf16, which are fp32's then
};

/// Takes about 20 ms. Peak: the clock as it is measured while vector units are busy, times what vector units of the
/// processor's kind do a cycle.
CoreSpeed measureCoreSpeed();

}  // namespace shardlab::predict
