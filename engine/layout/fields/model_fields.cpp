// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/fields/sections.h"

namespace shardlab::layout {

std::span<const Field> modelFields() {
    static constexpr Field table[] = {
        {
            .pointer = "/model/kind",
            .label = "Model",
            .help = "gpt is a transformer with the shape of GPT-2. mlp is the same without attention. gpt-moe is a gpt "
                    "with experts in every second block, of which each token takes a few. llama has RMSNorm, rotary "
                    "positions, SwiGLU and heads that share keys and values, and no biases. cnn classifies images: its "
                    "blocks are convolutions 3×3 with ReLU, each block followed by a max-pool 2×2, and a linear "
                    "classifier ends it.",
            .access = member<&Layout::model, &ModelSpec::kind>(),
        },
        {
            .pointer = "/model/layers",
            .label = "Layers",
            .help =
                "Blocks of the model, without embeddings and output. Each block of a cnn halves the sides of its maps.",
            .access = member<&Layout::model, &ModelSpec::layers>(),
            .limits = {1, 10000, sizeReason},
        },
        {
            .pointer = "/model/hidden",
            .label = "Hidden",
            .help = "Width of the model: numbers per token between layers. In a cnn it is the number of channels of "
                    "the first block; each further block has twice as many as the one before, up to 8 times as many as "
                    "the first.",
            .access = member<&Layout::model, &ModelSpec::hidden>(),
            .limits = {1, 65536, sizeReason},
        },
        {
            .pointer = "/model/heads",
            .label = "Heads",
            .help = "Attention heads of a layer; they divide the hidden width among themselves.",
            .access = member<&Layout::model, &ModelSpec::heads>(),
            .limits = {1, 1024, sizeReason},
        },
        {
            .pointer = "/model/kv_heads",
            .label = "Key/value heads",
            .help = "Heads of keys and of values of a llama; each is read by equally many heads of queries "
                    "(grouped-query attention). 0 stands for as many as heads.",
            .access = member<&Layout::model, &ModelSpec::llama, &LlamaSpec::kvHeads>(),
            .limits = {0, 1024, sizeReason},
        },
        {
            .pointer = "/model/rope_base",
            .label = "RoPE base",
            .help = "Base of the rotary embedding of a llama: pair i of a head's numbers turns by position × base^(−2i "
                    "÷ width). A larger base tells positions apart that are further from each other.",
            .access = member<&Layout::model, &ModelSpec::llama, &LlamaSpec::ropeBase>(),
            .limits = {1, 1e12, "below 1, angles would grow with the pair instead of falling"},
        },
        {
            .pointer = "/model/sequence",
            .label = "Sequence",
            .help = "Tokens of one sample.",
            .unit = "tokens",
            .access = member<&Layout::model, &ModelSpec::sequence>(),
            .limits = {1, 1048576, "there is at least one token, and every position of a gpt has a learned vector"},
        },
        {
            .pointer = "/model/vocabulary",
            .label = "Vocabulary",
            .help = "Different tokens that the model knows.",
            .unit = "tokens",
            .access = member<&Layout::model, &ModelSpec::vocabulary>(),
            .limits = {1, 1048576, sizeReason},
        },
        {
            .pointer = "/model/dropout",
            .label = "Dropout",
            .help = "Share of activations that are set to zero while training.",
            .access = member<&Layout::model, &ModelSpec::dropout>(),
            .limits = {0, 0.99, "it is a share, and something must be left"},
        },
        {
            .pointer = "/model/feed_forward",
            .label = "Feed-forward",
            .help = "Width inside each layer's feed-forward block: one number for each layer, or one for all. Empty "
                    "stands for 4 × hidden in all layers.",
            .access = member<&Layout::model, &ModelSpec::feedForward>(),
            .limits = {1, 262144, sizeReason},
        },
        {
            .pointer = "/model/weights",
            .label = "Start from",
            .help = "Weights to start from, of GPT-2 or, for llama, of Llama, in the safetensors of Hugging Face: a "
                    "file, or its folder. Empty stands for random weights. Their tensors, and a config.json beside "
                    "them, must be those of the model.",
            .access = member<&Layout::model, &ModelSpec::weights>(),
        },
        {
            .pointer = "/model/experts",
            .label = "Experts",
            .help = "Feed-forward blocks side by side, among which a gate chooses for each token. They are in every "
                    "second block of gpt-moe: the second, the fourth and so on.",
            .access = member<&Layout::model, &ModelSpec::experts, &GptMoeSpec::count>(),
            .limits = {2, 1024, "a gate chooses among two or more, and each has kernels of its own"},
        },
        {
            .pointer = "/model/gate",
            .label = "Gate",
            .help = "How experts are chosen. switch: a token goes to the expert with its highest score. noisy-top-k: "
                    "it goes to the few with the highest scores, to which noise is added. hierarchical: it goes to the "
                    "few best experts in each of the few best groups, with noise too. gshard: it goes to the best "
                    "expert, and to the second best with a probability that depends on its weight. expert-choice: each "
                    "expert takes the tokens with the highest scores, whatever their place in the text. "
                    "capped-expert-choice: the same, but few experts take the same token.",
            .access = member<&Layout::model, &ModelSpec::experts, &GptMoeSpec::gate>(),
        },
        {
            .pointer = "/model/top_k",
            .label = "Top k",
            .help = "Experts of each token with the gate noisy-top-k; with the gate hierarchical, experts of each "
                    "token in each of its groups.",
            .unit = "experts",
            .access = member<&Layout::model, &ModelSpec::experts, &GptMoeSpec::topK>(),
            .limits =
                {2, 16,
                 "with one expert the gate's weight is always 1 and it learns nothing; more are for dense models"},
        },
        {
            .pointer = "/model/expert_groups",
            .label = "Expert groups",
            .help = "Groups of neighbouring experts, among which the gate hierarchical chooses first. The number "
                    "divides that of experts.",
            .unit = "groups",
            .access = member<&Layout::model, &ModelSpec::experts, &GptMoeSpec::groups>(),
            .limits = {2, 512, "a gate chooses among two or more, of two experts or more each"},
        },
        {
            .pointer = "/model/top_groups",
            .label = "Top groups",
            .help = "Groups of each token with the gate hierarchical; the token goes to top_k experts in each of them.",
            .unit = "groups",
            .access = member<&Layout::model, &ModelSpec::experts, &GptMoeSpec::topGroups>(),
            .limits = {2, 16,
                       "with one group the weight of groups is always 1 and is not learned; more are for dense models"},
        },
        {
            .pointer = "/model/token_experts",
            .label = "Token experts",
            .help = "Most experts of a token with the gate capped-expert-choice. The assignment of tokens to experts "
                    "keeps this limit, and each expert then takes the tokens that are assigned to it most.",
            .unit = "experts",
            .access = member<&Layout::model, &ModelSpec::experts, &GptMoeSpec::tokenExperts>(),
            .limits = {1, 1024, "a token can be taken by at least one expert"},
        },
        {
            .pointer = "/model/entropy",
            .label = "Entropy",
            .help = "Weight of the assignment's entropy with the gate capped-expert-choice. With a larger weight "
                    "tokens are spread more evenly, and the assignment is found sooner.",
            .access = member<&Layout::model, &ModelSpec::experts, &GptMoeSpec::entropy>(),
            .limits = {0.1, 100, "with less the assignment is found too slowly"},
        },
        {
            .pointer = "/model/capacity",
            .label = "Capacity",
            .help = "Places of all experts together for each place that the tokens of a sample ask for. A token whose "
                    "expert is full is dropped: it passes the block by unchanged. With expert-choice and "
                    "capped-expert-choice it is the number of experts of a token on average.",
            .access = member<&Layout::model, &ModelSpec::experts, &GptMoeSpec::capacity>(),
            .limits = {0.05, 1024, "an expert has a place, and no more of them than a sample has tokens"},
        },
        {
            .pointer = "/model/balance",
            .label = "Balance",
            .help = "Weight of the balance loss, which grows where experts are used unevenly. With switch it is n·Σ "
                    "f·p, the share of the tokens times their mean probability, and with gshard the same for first "
                    "choices. With noisy-top-k and hierarchical it is the squared coefficient of variation of the "
                    "summed gate weights. 0 stands for no such loss.",
            .access = member<&Layout::model, &ModelSpec::experts, &GptMoeSpec::balance>(),
            .limits = {0, 100, "a negative weight would drive all tokens to one expert"},
        },
        {
            .pointer = "/model/expert_dropout",
            .label = "Expert dropout",
            .help = "Share of activations within experts that are set to zero while training. Experts that see few "
                    "tokens each need more dropout than other layers.",
            .access = member<&Layout::model, &ModelSpec::experts, &GptMoeSpec::dropout>(),
            .limits = {0, 0.99, "it is a share, and something must be left"},
        },
        {
            .pointer = "/model/image",
            .label = "Image",
            .help = "Pixels of an image's side, for cnn. It can be halved as often as there are layers.",
            .unit = "pixels",
            .access = member<&Layout::model, &ModelSpec::cnn, &CnnSpec::image>(),
            .limits = {2, 1024, "it can be halved, and the maps of a block stay countable"},
        },
        {
            .pointer = "/model/channels",
            .label = "Channels",
            .help = "Numbers of a pixel, for cnn: 1 is grey, 3 are colours.",
            .access = member<&Layout::model, &ModelSpec::cnn, &CnnSpec::channels>(),
            .limits = {1, 64, "a pixel has at least one number"},
        },
        {
            .pointer = "/model/convolutions",
            .label = "Convolutions",
            .help = "Convolutions with ReLU in each block of a cnn, before its max-pool.",
            .access = member<&Layout::model, &ModelSpec::cnn, &CnnSpec::convolutions>(),
            .limits = {1, 16, "a block has one at least, and each has weights of its own"},
        },
        {
            .pointer = "/model/classes",
            .label = "Classes",
            .help = "Kinds of images that a cnn tells apart.",
            .access = member<&Layout::model, &ModelSpec::cnn, &CnnSpec::classes>(),
            .limits = {2, 65536, "a single class is known without looking, and classes are numbered with 16 bits"},
        },
    };
    return table;
}

}  // namespace shardlab::layout
