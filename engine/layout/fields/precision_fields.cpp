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
            .help =
                "Number format that the factors of a block's linear layers are rounded to; sums are taken in fp32. "
                "compute: no rounding. fp8: E4M3, and E5M2 for gradients, with a scale for each tensor. mxfp8: E4M3 "
                "with a scale for each 32 numbers. fp8-blocks: E4M3 with a scale for each 128 numbers of "
                "activations and each 128 x 128 of weights. fp8-rows: E4M3 with a scale for each row and column that "
                "a product sums over. nvfp4: 4 bits, for times of a modelled software stack.",
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
        {
            .pointer = "/precision/scaling",
            .label = "Scaling",
            .help = "What the scale of a tensor in fp8 comes from. current: its own largest magnitude. delayed: the "
                    "largest that the same tensor had in the steps before, so that no pass over it comes before its "
                    "rounding; what is larger saturates.",
            .access = member<&Layout::precision, &PrecisionSpec::scaling>(),
        },
        {
            .pointer = "/precision/amax_history",
            .label = "Scale history",
            .help = "Steps before the present one whose largest magnitudes a delayed scale comes from.",
            .unit = "steps",
            .access = member<&Layout::precision, &PrecisionSpec::amaxHistory>(),
            .limits = {1, 65536, "a history has an entry for each step"},
        },
        {
            .pointer = "/precision/margin",
            .label = "Scale margin",
            .help = "Powers of two that a delayed scale leaves free above the largest magnitude of its history.",
            .access = member<&Layout::precision, &PrecisionSpec::margin>(),
            .limits = {0, 16, "E4M3 has 18 powers of two in all"},
        },
        {
            .pointer = "/precision/exchange",
            .label = "Exchange format",
            .help = "How gradients travel between replicas. full: in their own number format. 8-bit, 4-bit: as whole "
                    "numbers, with a scale for each 256 of them. 1-bit: as signs, with the mean magnitude of each 256. "
                    "What rounding loses is kept in fp32 and added to the gradients of the next step (error feedback). "
                    "It works with the exchange allreduce by the backend, and without a tensor group; with ZeRO 2 and "
                    "3 for the gradients of each microbatch, and between copies once more.",
            .access = member<&Layout::precision, &PrecisionSpec::exchange>(),
        },
    };
    return table;
}

}  // namespace shardlab::layout
