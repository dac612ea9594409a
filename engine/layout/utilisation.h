// SPDX-License-Identifier: Apache-2.0
// Model FLOPs utilisation (2204.02311): the one definition of it, for predictions, runs and what tells of them.
#pragma once

#include "engine/layout/layout.h"

#include <string>

namespace shardlab {

/// What the devices of all ranks together could do.
struct DevicePeak {
    double flops = 0;  ///< per second, in the format of the layout's activations; 0: not known
    std::string of;    ///< "8 × NVIDIA H100 SXM 80 GB, bf16"
    bool known() const { return flops > 0; }
};

/// Floating point operations that the model needs for one optimizer step over all ranks: forward, and a backward of
/// twice that; nothing for what is recomputed, nor for places of experts that no token asked for. Of a token 6 for each
/// weight of a product (matrices and output, not the embedding's lookup), and 12 · sequence · hidden in each attention,
/// unmasked: model_shape.h counts them.
double modelFlopsPerStep(const Layout& layout);

/// Share of the peak, where a step takes so long on those devices (unstretched). The peak is known.
double modelUtilisation(const Layout& layout, const DevicePeak& peak, double seconds);

/// "41.2 %"; of what a small model asks of a large device, two figures: "0.0034 %".
std::string utilisationText(double share);

}  // namespace shardlab
