// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/precision_notes.h"

#include "engine/layout/formats.h"

#include <fmt/format.h>

namespace shardlab::predict {
namespace {

/// Half a step between two neighbours, beside the larger.
const char* halfStep(NumberFormat format) { return format == NumberFormat::Bf16 ? "2⁻⁸" : "2⁻¹¹"; }

}  // namespace

std::vector<Sentence> precisionNotes(const PrecisionSpec& precision) {
    const NumberFormats formats = numberFormats(precision);
    std::vector<Sentence> notes;
    const bool scales = scalesLoss(precision);
    if (formats.activations == NumberFormat::Fp16 && !scales)
        notes.push_back(
            say("fp16 without a loss scale: gradients below 2⁻²⁴ become 0; precision.loss_scale dynamic keeps them"));
    if (formats.activations == NumberFormat::Fp32 && scales)
        notes.push_back(say("a loss scale does nothing for fp32, whose smallest numbers are 2⁻¹⁴⁹"));
    if (formats.activations == NumberFormat::Bf16 && scales)
        notes.push_back(say("a loss scale is needless with bf16, whose exponents are those of fp32"));
    if (precision.weights == WeightStorage::Alone && formats.weights != NumberFormat::Fp32)
        notes.push_back(say("weights in {} alone: an update smaller than {} of its weight is lost; precision.weights "
                            "master sums updates up in fp32",
                            wordOf(precision.compute), halfStep(formats.weights)));
    return notes;
}

}  // namespace shardlab::predict
