// SPDX-License-Identifier: Apache-2.0
// Model FLOPs utilisation (2204.02311), defined once for predictions, runs and what shows them.
#pragma once

#include "engine/layout/layout.h"

#include <string>

namespace shardlab::layout {

/// What the devices of all ranks together could do.
struct DevicePeak {
    double flops = 0;  ///< per second, in the format of the layout's activations; 0: not known
    std::string of;    ///< what the devices are: "8 × NVIDIA H100 SXM 80 GB, bf16"
    bool known() const { return flops > 0; }
};

/// Floating point operations that the model needs for one optimizer step over all ranks: a forward, and a backward of
/// twice that; nothing for what is recomputed, nor for places of experts that no token asked for. A token needs 6 for
/// each weight of a product (matrices and output, not the embedding's lookup), and 12 · sequence · hidden in each
/// attention, unmasked: model_shape.h counts them.
double modelFlopsPerStep(const Layout& layout);

/// Share of the peak that is used where a step takes so many seconds of device time. The peak is known.
double modelUtilisation(const Layout& layout, const DevicePeak& peak, double seconds);

/// "41.2 %"; two figures where a small model asks little of a large device: "0.0034 %".
std::string utilisationText(double share);

}  // namespace shardlab::layout
