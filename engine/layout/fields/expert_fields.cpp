// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/fields/sections.h"

namespace shardlab::layout {

std::span<const Field> expertFields() {
    static constexpr Field table[] = {
        {
            .pointer = "/model/experts",
            .label = "Experts",
            .help =
                "Feed-forward blocks side by side, among which a gate chooses for each token. They are in every "
                "second block of gpt-moe, the second, the fourth and so on, and in every block of llama-moe, unless "
                "experts_every and dense_layers say otherwise.",
            .access = member<&Layout::model, &ModelSpec::experts, &MoeSpec::count>(),
            .limits = {2, 1024, "a gate chooses among two or more, and each has kernels of its own"},
        },
        {
            .pointer = "/model/gate",
            .label = "Gate",
            .help =
                "How experts are chosen. switch: a token goes to the expert with its highest score. noisy-top-k: "
                "it goes to the few with the highest scores, to which noise is added. hierarchical: it goes to the "
                "few best experts in each of the few best groups, with noise too. gshard: it goes to the best "
                "expert, and to the second best with a probability that depends on its weight. expert-choice: each "
                "expert takes the tokens with the highest scores, whatever their place in the text. "
                "capped-expert-choice: the same, but few experts take the same token. softmax-top-k: a token goes to "
                "the top_k experts with the highest softmax over all, which are their weights (DeepSeek-V2). "
                "top-k-softmax: the same, with the softmax over these experts alone as weights (Mixtral, Qwen3). "
                "sigmoid-top-k: each score goes through a sigmoid by itself, and the weights are shares of the sum "
                "over the experts of the token (DeepSeek-V3). sigmoid-in-groups: the same, but the experts of a "
                "token lie in its few best groups.",
            .access = member<&Layout::model, &ModelSpec::experts, &MoeSpec::gate>(),
        },
        {
            .pointer = "/model/top_k",
            .label = "Top k",
            .help =
                "Experts of each token with a gate that chooses several; with the gate hierarchical, in each of the "
                "token's groups.",
            .unit = "experts",
            .access = member<&Layout::model, &ModelSpec::experts, &MoeSpec::topK>(),
            .limits = {2, 64,
                       "with one expert a softmax over it alone is always 1 and nothing is learned; more are for dense "
                       "models"},
        },
        {
            .pointer = "/model/expert_groups",
            .label = "Expert groups",
            .help = "Groups of neighbouring experts, among which the gates hierarchical and sigmoid-in-groups choose "
                    "first. The number divides that of experts.",
            .unit = "groups",
            .access = member<&Layout::model, &ModelSpec::experts, &MoeSpec::groups>(),
            .limits = {2, 512, "a gate chooses among two or more, of two experts or more each"},
        },
        {
            .pointer = "/model/top_groups",
            .label = "Top groups",
            .help = "Groups of each token. With the gate hierarchical it goes to top_k experts in each of them, with "
                    "sigmoid-in-groups to top_k experts in all of them together.",
            .unit = "groups",
            .access = member<&Layout::model, &ModelSpec::experts, &MoeSpec::topGroups>(),
            .limits = {2, 16,
                       "with one group the weight of groups is always 1 and is not learned; more are for dense models"},
        },
        {
            .pointer = "/model/token_experts",
            .label = "Token experts",
            .help = "Most experts of a token with the gate capped-expert-choice. The assignment of tokens to experts "
                    "keeps this limit, and each expert then takes the tokens that are assigned to it most.",
            .unit = "experts",
            .access = member<&Layout::model, &ModelSpec::experts, &MoeSpec::tokenExperts>(),
            .limits = {1, 1024, "a token can be taken by at least one expert"},
        },
        {
            .pointer = "/model/entropy",
            .label = "Entropy",
            .help = "Weight of the assignment's entropy with the gate capped-expert-choice. With a larger weight "
                    "tokens are spread more evenly, and the assignment is found sooner.",
            .access = member<&Layout::model, &ModelSpec::experts, &MoeSpec::entropy>(),
            .limits = {0.1, 100, "with less the assignment is found too slowly"},
        },
        {
            .pointer = "/model/capacity",
            .label = "Capacity",
            .help = "Places of all experts together for each place that the tokens of a sample ask for. A token "
                    "whose expert is full is dropped: it passes the block by unchanged. With expert-choice and "
                    "capped-expert-choice it is the number of experts of a token on average. Without a limit experts "
                    "have as many rows as tokens choose them, and no token is dropped.",
            .access = member<&Layout::model, &ModelSpec::experts, &MoeSpec::capacity>(),
            .limits = {0, 1024, "an expert has a place, and no more of them than a sample has tokens"},
            .zero = "no limit",
        },
        {
            .pointer = "/model/balance",
            .label = "Balance",
            .help = "Weight of the balance loss, which grows where experts are used unevenly. With switch it is n·Σ "
                    "f·p, the share of the choices times their mean probability, with gshard the same for first "
                    "choices, and with softmax, top-k and sigmoid for all choices of a token. With noisy-top-k and "
                    "hierarchical it is the squared coefficient of variation of the summed gate weights.",
            .access = member<&Layout::model, &ModelSpec::experts, &MoeSpec::balance>(),
            .limits = {0, 100, "a negative weight would drive all tokens to one expert"},
            .zero = "off",
        },
        {
            .pointer = "/model/expert_dropout",
            .label = "Expert dropout",
            .help = "Share of activations within experts that are set to zero while training. Experts that see few "
                    "tokens each need more dropout than other layers.",
            .access = member<&Layout::model, &ModelSpec::experts, &MoeSpec::dropout>(),
            .limits = {0, 0.99, "it is a share, and something must be left"},
        },
        {
            .pointer = "/model/experts_every",
            .label = "Experts every",
            .help = "Every so many blocks one has experts: 2 is the second, the fourth and so on. That of gpt-moe is "
                    "2, that of llama-moe 1.",
            .unit = "blocks",
            .access = member<&Layout::model, &ModelSpec::experts, &MoeSpec::every>(),
            .limits = {0, 10000, sizeReason},
            .zero = "the model's own",
        },
        {
            .pointer = "/model/dense_layers",
            .label = "Dense layers",
            .help = "Lowest blocks that have a feed-forward block instead of experts all the same (3 in DeepSeek-V3).",
            .unit = "blocks",
            .access = member<&Layout::model, &ModelSpec::experts, &MoeSpec::denseLayers>(),
            .limits = {0, 10000, sizeReason},
        },
        {
            .pointer = "/model/expert_width",
            .label = "Expert width",
            .help = "Width inside each expert. It stands in place of a feed-forward block.",
            .access = member<&Layout::model, &ModelSpec::experts, &MoeSpec::width>(),
            .limits = {0, 262144, sizeReason},
            .zero = "as feed-forward",
        },
        {
            .pointer = "/model/shared_experts",
            .label = "Shared experts",
            .help =
                "Experts beside the others that every token goes to, without a gate. They are computed as one block "
                "of their widths together (DeepSeek-V2, DeepSeek-V3).",
            .unit = "experts",
            .access = member<&Layout::model, &ModelSpec::experts, &MoeSpec::shared>(),
            .limits = {0, 64, sizeReason},
        },
        {
            .pointer = "/model/bias_rate",
            .label = "Bias rate",
            .help = "With a gate of sigmoids: by how much a step moves the bias that each expert's score has for the "
                    "choice alone. It falls where more tokens chose the expert than the mean, and rises where fewer "
                    "did, which evens out the load without a loss (DeepSeek-V3: 0.001).",
            .access = member<&Layout::model, &ModelSpec::experts, &MoeSpec::biasRate>(),
            .limits = {0, 1, "a negative rate would drive all tokens to few experts, and scores lie between 0 and 1"},
            .zero = "no bias",
        },
        {
            .pointer = "/model/route_scale",
            .label = "Route scale",
            .help = "Factor of the weights of a token's experts with a gate of sigmoids (2.5 in DeepSeek-V3).",
            .access = member<&Layout::model, &ModelSpec::experts, &MoeSpec::scale>(),
            .limits = {0.001, 1000, "with 0 no token would go anywhere"},
        },
        {
            .pointer = "/model/score_bias",
            .label = "Score bias",
            .help = "Whether the score that a gate gives each expert has a bias that is learned, which counts for the "
                    "choice and for the weights (GPT-OSS). Scores of groups, and what makes noise, have none.",
            .access = member<&Layout::model, &ModelSpec::experts, &MoeSpec::scoreBias>(),
        },
    };
    return table;
}

}  // namespace shardlab::layout
