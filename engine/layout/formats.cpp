// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/formats.h"

namespace shardlab::layout {

NumberFormats numberFormats(const PrecisionSpec& precision) {
    if (precision.compute == NumberFormat::Fp32) return {};
    NumberFormats formats;
    formats.activations = precision.compute;
    if (precision.weights != WeightStorage::Fp32) formats.weights = formats.gradients = formats.activations;
    if (precision.gradients == GradientFormat::Fp32) formats.gradients = NumberFormat::Fp32;
    formats.master = precision.weights == WeightStorage::Master;
    return formats;
}

bool scalesLoss(const PrecisionSpec& precision) { return precision.lossScale != LossScaling::None; }

}  // namespace shardlab::layout
