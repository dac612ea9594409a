// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/fields/sections.h"

namespace shardlab::layout {

std::span<const Field> precisionFields() {
    static constexpr Field table[] = {
        {
            .pointer = "/precision/compute",
            .label = "Compute",
            .help = "Number format of activations, of their gradients, and of what matrix products read; sums are "
                    "taken in fp32.",
            .access = member<&Layout::precision, &PrecisionSpec::compute>(),
            .planned = "fp8",
        },
        {
            .pointer = "/precision/weights",
            .label = "Weights",
            .help = "Which copies of the weights there are where compute has 16 bits. master: weights in 16 bits, and "
                    "master weights in fp32 that are updated (O2). fp32: weights in fp32, which are rounded for every "
                    "product (O1). alone: weights in 16 bits, and no others (O3).",
            .access = member<&Layout::precision, &PrecisionSpec::weights>(),
        },
        {
            .pointer = "/precision/gradients",
            .label = "Gradients",
            .help = "Number format in which the gradients of weights are summed up; compute stands for that of the "
                    "weights.",
            .access = member<&Layout::precision, &PrecisionSpec::gradients>(),
        },
        {
            .pointer = "/precision/products",
            .label = "Products",
            .help = "Number format that a modelled software stack rounds the operands of a block's matrix products to. "
                    "It changes predicted times; Shardlab's own engine multiplies in the format of compute.",
            .access = member<&Layout::precision, &PrecisionSpec::products>(),
        },
        {
            .pointer = "/precision/loss_scale",
            .label = "Loss scale",
            .help = "Whether the loss is multiplied by a loss scale before the backward, so that small gradients do "
                    "not vanish. static: the scale stays. dynamic: it is halved at every overflow, and doubled after "
                    "some steps without one.",
            .access = member<&Layout::precision, &PrecisionSpec::lossScale>(),
        },
        {
            .pointer = "/precision/scale",
            .label = "Scale",
            .help = "The static loss scale, or the dynamic one of the first step. Below 1 it makes gradients as small "
                    "as those of a larger batch, to see what 16 bits lose.",
            .access = member<&Layout::precision, &PrecisionSpec::scale>(),
            .limits = {1e-9, 16777216, "fp16 ends at 65504, and a gradient of nothing teaches nothing"},
        },
        {
            .pointer = "/precision/scale_window",
            .label = "Scale doubles after",
            .help = "Steps without an overflow after which a dynamic loss scale is doubled.",
            .unit = "steps",
            .access = member<&Layout::precision, &PrecisionSpec::scaleWindow>(),
            .limits = {1, mostCounted, "steps are counted"},
        },
    };
    return table;
}

}  // namespace shardlab::layout
