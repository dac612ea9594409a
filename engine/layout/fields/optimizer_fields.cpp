// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/fields/sections.h"

namespace shardlab::layout {

std::span<const Field> optimizerFields() {
    static constexpr Field table[] = {
        {
            .pointer = "/optimizer/kind",
            .label = "Optimizer",
            .help = "adamw is Adam with decoupled weight decay. adamw-8bit is the same with its moments in 8 bits, in "
                    "blocks of 256 that share a scale: 2 bytes a parameter instead of 8. sgd is gradient descent with "
                    "momentum. adafactor and sm3 keep one number for each row and one for each column of a matrix, "
                    "instead of one or two for each element.",
            .access = member<&Layout::optimizer, &OptimizerSpec::kind>(),
            .planned = "adam",
        },
        {
            .pointer = "/optimizer/learning_rate",
            .label = "Learning rate",
            .help = "Size of an update.",
            .access = member<&Layout::optimizer, &OptimizerSpec::learningRate>(),
            .limits = {1e-12, 10, "nothing is learned without a step, and larger ones diverge"},
        },
        {
            .pointer = "/optimizer/warmup",
            .label = "Warm-up",
            .help = "Steps over which the learning rate rises to its value.",
            .unit = "steps",
            .access = member<&Layout::optimizer, &OptimizerSpec::warmup>(),
            .limits = {0, mostCounted, "steps are counted"},
        },
        {
            .pointer = "/optimizer/schedule",
            .label = "Rate schedule",
            .help = "How the learning rate falls from the end of the warm-up to the last step. constant: it stays. "
                    "cosine: it falls along half a wave. linear: it falls along a straight line.",
            .access = member<&Layout::optimizer, &OptimizerSpec::schedule>(),
        },
        {
            .pointer = "/optimizer/minimum",
            .label = "Least rate",
            .help = "Learning rate of the last step, where it falls.",
            .access = member<&Layout::optimizer, &OptimizerSpec::minimum>(),
            .limits = {0, 10, "a negative rate would go uphill"},
        },
        {
            .pointer = "/optimizer/betas",
            .label = "Betas",
            .help = "Decay of AdamW's first and second moment.",
            .access = member<&Layout::optimizer, &OptimizerSpec::adamw, &AdamWSpec::betas>(),
            .limits = {0, 0.99999999, "a moment that keeps everything never forgets its start"},
        },
        {
            .pointer = "/optimizer/epsilon",
            .label = "Epsilon",
            .help = "Added to the root of AdamW's second moment.",
            .access = member<&Layout::optimizer, &OptimizerSpec::adamw, &AdamWSpec::epsilon>(),
            .limits = {1e-16, 1, "it keeps the quotient finite"},
        },
        {
            .pointer = "/optimizer/momentum",
            .label = "Momentum",
            .help = "Share of the last update that SGD repeats, or of the mean of updates that SM3 takes. With 0 no "
                    "state is kept for it.",
            .access = member<&Layout::optimizer, &OptimizerSpec::momentum>(),
            .limits = {0, 0.99999999, "an update that repeats itself fully never ends"},
        },
        {
            .pointer = "/optimizer/decay_rate",
            .label = "Decay rate",
            .help = "In update t, Adafactor's sums of squares keep 1 − t^−rate of what they were; with 0 they keep "
                    "nothing.",
            .access = member<&Layout::optimizer, &OptimizerSpec::adafactor, &AdafactorSpec::decayRate>(),
            .limits = {0, 1, "above 1 the first updates would be remembered for ever"},
        },
        {
            .pointer = "/optimizer/clip_threshold",
            .label = "Clip threshold",
            .help = "Largest root mean square of one parameter's update by Adafactor, before the learning rate; a "
                    "larger update is scaled down to it.",
            .access = member<&Layout::optimizer, &OptimizerSpec::adafactor, &AdafactorSpec::clipThreshold>(),
            .limits = {1e-3, 1e6, "an update of nothing teaches nothing"},
        },
        {
            .pointer = "/optimizer/weight_decay",
            .label = "Weight decay",
            .help = "Pull towards zero per unit of learning rate. It acts on matrices and embeddings; biases and norms "
                    "are left alone.",
            .access = member<&Layout::optimizer, &OptimizerSpec::weightDecay>(),
            .limits = {0, 10, "a negative pull grows the weights without end"},
        },
        {
            .pointer = "/optimizer/clip",
            .label = "Clip",
            .help = "Largest norm of the whole model's gradient, over all ranks; a longer gradient is scaled down to "
                    "it.",
            .access = member<&Layout::optimizer, &OptimizerSpec::clip>(),
            .limits = {0, 1e9, "a norm is not negative"},
            .zero = "off",
        },
        {
            .pointer = "/optimizer/loss_weight",
            .label = "Loss weight",
            .help = "Factor of the loss before its gradient is taken, as one task among several has. AdamW takes the "
                    "factor out again, down to its epsilon, but does not bring back what 16 bits lost of the gradient.",
            .access = member<&Layout::optimizer, &OptimizerSpec::lossWeight>(),
            .limits = {1e-12, 1e6, "a loss without weight teaches nothing, and fp32 ends at 3e38"},
        },
        {
            .pointer = "/optimizer/elastic_rho",
            .label = "Elastic ρ",
            .help = "With the exchange easgd, how strongly a replica's weights and the centre pull each other, per "
                    "unit of learning rate. At the largest learning rate, rate × ρ is the share of their distance that "
                    "one exchange takes from each.",
            .access = member<&Layout::optimizer, &OptimizerSpec::elasticRho>(),
            .limits = {0, 1e6, "a pull is not negative"},
        },
    };
    return table;
}

}  // namespace shardlab::layout
