// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/formats.h"

namespace shardlab {

NumberFormats numberFormats(const PrecisionSpec& precision) {
    if (precision.compute == "fp32") return {};
    NumberFormats formats;
    formats.activations = precision.compute == "bf16" ? NumberFormat::Bf16 : NumberFormat::Fp16;
    if (precision.weights != "fp32") formats.weights = formats.gradients = formats.activations;
    if (precision.gradients == "fp32") formats.gradients = NumberFormat::Fp32;
    formats.master = precision.weights == "master";
    return formats;
}

bool scalesLoss(const PrecisionSpec& precision) { return precision.lossScale != "none"; }

}  // namespace shardlab
