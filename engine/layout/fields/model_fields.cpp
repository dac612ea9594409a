// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/fields/sections.h"

namespace shardlab::layout {
namespace {

constexpr std::string_view capReason = "a cap is a size, and beyond the largest one fp32 would lose the numbers below";

}  // namespace

std::span<const Field> modelFields() {
    static constexpr Field table[] = {
        {
            .pointer = "/model/kind",
            .label = "Model",
            .help = "gpt is a transformer with the shape of GPT-2. mlp is the same without attention. gpt-moe is a gpt "
                    "with experts in every second block, of which each token takes a few. llama has RMSNorm, rotary "
                    "positions, SwiGLU and heads that share keys and values, and no biases; llama-moe is a llama with "
                    "experts in every block. The fields below change the parts of gpt, llama and llama-moe one by one. "
                    "cnn classifies images: its "
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
            .help =
                "Attention heads of a layer; they divide the hidden width among themselves, unless each has a width "
                "of its own.",
            .access = member<&Layout::model, &ModelSpec::heads>(),
            .limits = {1, 1024, sizeReason},
        },
        {
            .pointer = "/model/kv_heads",
            .label = "Key/value heads",
            .help = "Heads of keys and of values where positions are rotary; each is read by equally many heads of "
                    "queries (grouped-query attention). Where a tensor group has more members than these, equally many "
                    "members share each: every one makes some columns of it, and they gather them.",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::kvHeads>(),
            .limits = {0, 1024, sizeReason},
            .zero = "as many as heads",
        },
        {
            .pointer = "/model/head_width",
            .label = "Head width",
            .help = "Columns of each head of queries, of keys and of values.",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::headWidth>(),
            .limits = {0, 65536, sizeReason},
            .zero = "hidden ÷ heads",
        },
        {
            .pointer = "/model/kv_rank",
            .label = "Key/value rank",
            .help = "Columns of the latent that the keys and values of all heads are made from where positions are "
                    "rotary (multi-head latent attention, DeepSeek-V2): a token's keys and values are one narrow "
                    "row, with an RMSNorm, that a second product expands. Its products have no biases.",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::kvRank>(),
            .limits = {0, 65536, sizeReason},
            .zero = "no latents",
        },
        {
            .pointer = "/model/q_rank",
            .label = "Query rank",
            .help = "Columns of the latent that the queries of a latent attention are made from, with an RMSNorm. "
                    "Without it queries are made straight from the hidden width.",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::queryRank>(),
            .limits = {0, 65536, sizeReason},
            .zero = "no latents",
        },
        {
            .pointer = "/model/rope_width",
            .label = "RoPE width",
            .help = "Columns of each head's query and key that are turned by their position in a latent attention, "
                    "beside model.head_width that are not. The turned columns of the key are the same for all heads.",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::ropeWidth>(),
            .limits = {2, 65536, "a pair is turned at least, or positions were not told apart"},
        },
        {
            .pointer = "/model/value_width",
            .label = "Value width",
            .help = "Columns of each head's value in a latent attention.",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::valueWidth>(),
            .limits = {0, 65536, sizeReason},
            .zero = "as head width",
        },
        {
            .pointer = "/model/norm",
            .label = "Norm",
            .help = "layer subtracts a mean, divides by the deviation and adds a shift that is learned; rms divides by "
                    "the root of the mean square alone. default is layer in gpt and rms in llama.",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::norm>(),
        },
        {
            .pointer = "/model/norm_epsilon",
            .label = "Norm epsilon",
            .help = "What norms add to the variance or mean square before they take its root.",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::normEpsilon>(),
            .limits = {1e-12, 0.1,
                       "without it a row of zeros would be divided by zero, and with much of it no row has "
                       "the size that a norm gives it"},
        },
        {
            .pointer = "/model/qk_norm",
            .label = "Query/key norms",
            .help = "Whether an RMSNorm, learned once for all heads of a layer, is applied to each head's query and to "
                    "each key before they are turned (Qwen3).",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::queryKeyNorms>(),
        },
        {
            .pointer = "/model/positions",
            .label = "Positions",
            .help = "learned adds a table of positions to the token embedding; rotary turns queries and keys by their "
                    "position; alibi lowers the score of a key with its distance, in each head by a slope of its own "
                    "(BLOOM, MPT). default is learned in gpt and rotary in llama and llama-moe.",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::positions>(),
        },
        {
            .pointer = "/model/sinks",
            .label = "Sinks",
            .help = "Whether each head of an attention has a learned score that takes part in the softmax over the "
                    "scores of the tokens and has no value (GPT-OSS): a head may attend to nothing.",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::sinks>(),
        },
        {
            .pointer = "/model/attention_cap",
            .label = "Attention cap",
            .help = "Scores s of an attention become cap × tanh(s ÷ cap), and stay between −cap and cap (Gemma 2 has "
                    "50).",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::attentionCap>(),
            .limits = {0, 1e6, capReason},
            .zero = "no cap",
        },
        {
            .pointer = "/model/logit_cap",
            .label = "Logit cap",
            .help = "Logits l become cap × tanh(l ÷ cap), and stay between −cap and cap (Gemma 2 has 30).",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::logitCap>(),
            .limits = {0, 1e6, capReason},
            .zero = "no cap",
        },
        {
            .pointer = "/model/rope_base",
            .label = "RoPE base",
            .help =
                "Base of the rotary embedding: pair i of a head's numbers turns by position × base^(−2i ÷ width). A "
                "larger base tells positions apart that are further from each other.",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::rotary, &RotarySpec::base>(),
            .limits = {1, 1e12, "below 1, angles would grow with the pair instead of falling"},
        },
        {
            .pointer = "/model/rope_scaling",
            .label = "RoPE scaling",
            .help = "How the rotary embedding is stretched for longer sequences than the model was first trained with: "
                    "pairs that turn seldom turn slower by the factor, those that turn often stay as they are. llama3 "
                    "goes by how often a pair turns; yarn has whole pairs as borders and makes scores larger.",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::rotary, &RotarySpec::scaling>(),
        },
        {
            .pointer = "/model/rope_factor",
            .label = "RoPE factor",
            .help = "How many times slower the slow pairs of a scaled rotary embedding turn.",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::rotary, &RotarySpec::factor>(),
            .limits = {1, 1e6, "below 1, sequences would be pressed together instead of stretched"},
        },
        {
            .pointer = "/model/rope_low",
            .label = "RoPE low",
            .help = "Pairs that turn at most so often over the original sequence are slowed down by the whole factor.",
            .unit = "turns",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::rotary, &RotarySpec::low>(),
            .limits = {0.001, 1e6, "some pairs turn less than once, and none more often than once a token"},
        },
        {
            .pointer = "/model/rope_high",
            .label = "RoPE high",
            .help = "Pairs that turn at least so often over the original sequence stay as they are. That of llama3 "
                    "is 4, that of yarn 32.",
            .unit = "turns",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::rotary, &RotarySpec::high>(),
            .limits = {0, 1e6, "no pair turns more often than once a token"},
            .zero = "the scaling's own",
        },
        {
            .pointer = "/model/rope_original",
            .label = "RoPE original",
            .help = "Tokens of the sequences that the model was first trained with, before its rotary embedding was "
                    "scaled.",
            .unit = "tokens",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::rotary, &RotarySpec::original>(),
            .limits = {1, 1 << 24, sizeReason},
        },
        {
            .pointer = "/model/rope_truncate",
            .label = "RoPE truncate",
            .help = "Whether the two pairs between which yarn changes from pairs that stay to pairs that are slowed "
                    "down are rounded to whole pairs, away from each other. GPT-OSS does not round them.",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::rotary, &RotarySpec::truncate>(),
        },
        {
            .pointer = "/model/window",
            .label = "Window",
            .help = "Most tokens that a token attends to, itself among them (a sliding window, Mistral 7B).",
            .unit = "tokens",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::window>(),
            .limits = {0, 1 << 24, sizeReason},
            .zero = "all",
        },
        {
            .pointer = "/model/full_every",
            .label = "Full every",
            .help = "With a window, every so many layers one attends to all tokens all the same: 6 is five layers "
                    "with the window, then one without.",
            .unit = "layers",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::fullEvery>(),
            .limits = {0, 10000, sizeReason},
            .zero = "none",
        },
        {
            .pointer = "/model/biases",
            .label = "Biases",
            .help = "Which products of a block add a bias that is learned: none, qkv (the one that makes queries, keys "
                    "and values, as in Qwen2) or all. default is all in gpt and none in llama and llama-moe.",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::biases>(),
        },
        {
            .pointer = "/model/activation",
            .label = "Activation",
            .help = "What feed-forward blocks have between their products: GELU (exact, or with tanh as GPT-2), a gate "
                    "of SiLU (swiglu) or of GELU (geglu, geglu-tanh) that multiplies as many columns again, the "
                    "square of ReLU (relu2), or a gate with bounds (swiglu-clamped, GPT-OSS): g × sigmoid(alpha × g) × "
                    "(v + 1), where a gate g is at most the limit and a value v between −limit and limit. default is "
                    "gelu-tanh in gpt and swiglu in llama.",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::activation>(),
        },
        {
            .pointer = "/model/swiglu_limit",
            .label = "SwiGLU limit",
            .help = "Largest number that a gate of swiglu-clamped takes, and largest size of the value that it "
                    "multiplies; what is beyond counts as the limit, and its gradient as 0.",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::gluLimit>(),
            .limits = {0.01, 1e6, "with a limit near 0 all gates would be shut"},
        },
        {
            .pointer = "/model/swiglu_alpha",
            .label = "SwiGLU alpha",
            .help = "Factor of a gate within the sigmoid of swiglu-clamped: 1 is SiLU, 1.702 nearly GELU.",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::gluAlpha>(),
            .limits = {0.01, 100, "near 0 every gate is half open, and far above 1 it is a step"},
        },
        {
            .pointer = "/model/output",
            .label = "Output projection",
            .help = "tied projects onto the vocabulary with the token embedding, separate with a matrix of its own. "
                    "default is tied in gpt and separate in llama and llama-moe.",
            .access = member<&Layout::model, &ModelSpec::block, &BlockSpec::output>(),
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
            .help =
                "Share of activations that are set to zero while training. Which ones, the seed and a token's place in "
                "its sample decide, so that they are the same however ranks share the work.",
            .access = member<&Layout::model, &ModelSpec::dropout>(),
            .limits = {0, 0.99, "it is a share, and something must be left"},
        },
        {
            .pointer = "/model/feed_forward",
            .label = "Feed-forward",
            .help = "Width inside each layer's feed-forward block: one number for each layer, or one for all.",
            .access = member<&Layout::model, &ModelSpec::feedForward>(),
            .limits = {1, 262144, sizeReason},
            .empty = "4 × hidden",
        },
        {
            .pointer = "/model/weights",
            .label = "Start from",
            .help = "Weights to start from, of GPT-2 or, for llama, of Llama, Mistral, Qwen2 or Qwen3, for llama-moe "
                    "of Mixtral, Qwen3-MoE, DeepSeek-V3 or GPT-OSS, in the safetensors of Hugging Face: a "
                    "file, or its folder. Their tensors, and a config.json beside them, must be those of the model.",
            .access = member<&Layout::model, &ModelSpec::weights>(),
            .empty = "random weights",
        },
        {
            .pointer = "/model/predicted_tokens",
            .label = "Tokens ahead",
            .help = "Tokens behind the next one that are predicted too, each by a module above the model: a block "
                    "that joins what the block below makes with the embedding of the token that is known by then "
                    "(multi-token prediction, DeepSeek-V3). Embedding and output projection are the model's own.",
            .unit = "tokens",
            .access = member<&Layout::model, &ModelSpec::predictedTokens>(),
            .limits = {0, mostPredictionModules, "each has a block of its own, and published models have one"},
            .zero = "none",
        },
        {
            .pointer = "/model/predicted_tokens_weight",
            .label = "Weight ahead",
            .help = "λ: what the mean of the modules' losses is multiplied by before it is added to the loss.",
            .access = member<&Layout::model, &ModelSpec::predictionWeight>(),
            .limits = {0, 1000, "it is a weight beside the loss's own, which is 1"},
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
