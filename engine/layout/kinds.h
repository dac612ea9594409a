// SPDX-License-Identifier: Apache-2.0
// Every choice among a fixed set of methods that a layout makes: the enum, and beside it the words of the layout file
// in the order of the enum's values. Models, gates and optimizers have a file each; schedules and devices to model are
// registries instead (schedule/registry.h, devices.h).
#pragma once

#include "engine/layout/gate_method.h"
#include "engine/layout/model_kind.h"
#include "engine/layout/optimizer_kind.h"
#include "engine/layout/product_format.h"
#include "engine/layout/words.h"

#include <cstdint>
#include <string_view>

namespace shardlab::layout {

// `Default` stands for what the model's kind has (block_parts.h).

enum class NormKind : std::uint8_t { Default, Layer, Rms };
template <>
inline constexpr std::string_view layoutWords<NormKind>[] = {"default", "layer", "rms"};

enum class PositionKind : std::uint8_t {
    Default,
    Learned,  ///< a table that is added to the token embedding
    Rotary,   ///< queries and keys are turned
    Alibi,    ///< a score falls with the distance, in each head by a slope of its own (2108.12409)
};
template <>
inline constexpr std::string_view layoutWords<PositionKind>[] = {"default", "learned", "rotary", "alibi"};

/// Which products of a block add a bias.
enum class BiasKind : std::uint8_t { Default, None, Qkv, All };
template <>
inline constexpr std::string_view layoutWords<BiasKind>[] = {"default", "none", "qkv", "all"};

/// What a feed-forward block has between its products; those with GLU in their name are gates (2002.05202).
enum class ActivationKind : std::uint8_t {
    Default,
    Gelu,
    GeluTanh,
    SwiGlu,
    GeGlu,
    GeGluTanh,
    SquaredRelu,
    ClampedSwiGlu,  ///< a gate between bounds, whose value has 1 added (GPT-OSS)
};
template <>
inline constexpr std::string_view layoutWords<ActivationKind>[] = {
    "default", "gelu", "gelu-tanh", "swiglu", "geglu", "geglu-tanh", "relu2", "swiglu-clamped"};

/// The weight of the output projection.
enum class OutputKind : std::uint8_t {
    Default,
    Tied,      ///< the token embedding
    Separate,  ///< a matrix of its own
};
template <>
inline constexpr std::string_view layoutWords<OutputKind>[] = {"default", "tied", "separate"};

/// How rotary positions are stretched for longer sequences than a model was first trained with.
enum class RotaryScaling : std::uint8_t {
    None,
    Llama3,  ///< by how often a pair turns over the original sequence
    Yarn,    ///< as Llama3, with whole pairs as borders, and with larger scores (2309.00071)
};
template <>
inline constexpr std::string_view layoutWords<RotaryScaling>[] = {"none", "llama3", "yarn"};

enum class DataKind : std::uint8_t { Generator, Text, Tokens, JsonLines };
template <>
inline constexpr std::string_view layoutWords<DataKind>[] = {"generator", "text", "tokens", "jsonl"};

enum class TokenizerKind : std::uint8_t { Byte, Gpt2, Json };
template <>
inline constexpr std::string_view layoutWords<TokenizerKind>[] = {"bytes", "gpt2", "tokenizer.json"};

/// What happens where one document of the data ends and the next begins.
enum class DocumentBorders : std::uint8_t {
    Joined,  ///< a sample may reach from one document into the next
    Apart,   ///< a sample lies in one document; what fills no sample at a document's end is left out
};
template <>
inline constexpr std::string_view layoutWords<DocumentBorders>[] = {"joined", "apart"};

/// What happens to the last windows of an epoch where they do not fill a global batch.
enum class LastBatch : std::uint8_t {
    Carry,  ///< the first windows of the next epoch fill it up
    Pad,    ///< the first windows of the same epoch come a second time
    Drop,   ///< they are left out
};
template <>
inline constexpr std::string_view layoutWords<LastBatch>[] = {"carry", "pad", "drop"};

/// What the ranks compute on.
enum class DeviceKind : std::uint8_t { Cpu, Cuda };
template <>
inline constexpr std::string_view layoutWords<DeviceKind>[] = {"cpu", "cuda"};

/// How ZeRO 3 divides the parameters among the replicas.
enum class PartitionKind : std::uint8_t {
    Flat,    ///< every replica has a part of every layer
    Layers,  ///< every layer belongs whole to one replica
};
template <>
inline constexpr std::string_view layoutWords<PartitionKind>[] = {"flat", "layers"};

enum class AllReduceKind : std::uint8_t {
    Backend,  ///< the communication library's own
    Ring,     ///< a ring of sends and receives
};
template <>
inline constexpr std::string_view layoutWords<AllReduceKind>[] = {"backend", "ring"};

/// How the attention of a context group sees the tokens that other members hold.
enum class ContextKind : std::uint8_t {
    Ring,     ///< keys and values travel round the members (ring attention, 2310.01889)
    Ulysses,  ///< an all-to-all gives each member all tokens of some heads, another gives the outputs back (2309.14509)
};
template <>
inline constexpr std::string_view layoutWords<ContextKind>[] = {"ring", "ulysses"};

/// What the replicas exchange in a step, and with whom.
enum class Exchange : std::uint8_t {
    AllReduce,  ///< gradients are averaged over all replicas, and each of them updates
    /// Replica 0 is the parameter server, and a worker like the others. It sums up the gradients of all, updates alone,
    /// with the only optimizer state there is, and sends each of the others the new weights.
    Server,
    /// Replica 0 is a parameter server and nothing else, so that its time is its own; the others are workers. Each
    /// computes the gradient of its share of a batch at its own pace, waits until the server takes no other worker's
    /// (the lock), pushes it, and pulls the weights that the server has updated with it alone. A step is as many
    /// updates as there are workers, so that it has as many samples as with any other exchange.
    AsyncServer,
    /// EASGD: each replica i trains by itself; in step t replica j = t mod D and the centre W̄, which replica 0 keeps
    /// beside its own weights, pull each other: Wⱼ ← Wⱼ − ηρ(Wⱼ − W̄), W̄ ← W̄ + ηρ(Wⱼ − W̄), both with the weights
    /// from before the step. Then every replica takes its own gradient: W ← W − ηΔW.
    Elastic,
    /// There is no server and no lock. All workers of one host write the same weights, which replica 0's memory holds.
    /// Each reads them into a copy of its own, takes a gradient there, and writes w ← w − γg element by element, where
    /// g is not zero (arXiv 1106.5730). A step of a worker is one update of its own; steps of other workers lie at
    /// other times.
    Hogwild,
};
template <>
inline constexpr std::string_view layoutWords<Exchange>[] = {"allreduce", "server", "async-server", "easgd", "hogwild"};

enum class NumberFormat : std::uint8_t { Fp32, Bf16, Fp16 };
template <>
inline constexpr std::string_view layoutWords<NumberFormat>[] = {"fp32", "bf16", "fp16"};

/// Which copies of the weights exist where layers compute in 16 bits (formats.h).
enum class WeightStorage : std::uint8_t {
    Master,  ///< 16 bits for the layers, and fp32 master weights for the optimizer
    Fp32,    ///< fp32 only, rounded for every product
    Alone,   ///< 16 bits only
};
template <>
inline constexpr std::string_view layoutWords<WeightStorage>[] = {"master", "fp32", "alone"};

/// What the scale of a tensor in 8 bits comes from.
enum class ProductScaling : std::uint8_t {
    Current,  ///< its own largest magnitude
    Delayed,  ///< the largest magnitude that the same tensor of a layer had in the steps before
};
template <>
inline constexpr std::string_view layoutWords<ProductScaling>[] = {"current", "delayed"};

/// In which format the gradients of weights are summed up.
enum class GradientFormat : std::uint8_t {
    Compute,  ///< the format that the layers compute in, unless the weights are fp32 only
    Fp32,
};
template <>
inline constexpr std::string_view layoutWords<GradientFormat>[] = {"compute", "fp32"};

/// How gradients travel among the replicas (coded_exchange.h).
enum class ExchangeFormat : std::uint8_t { Full, Bits8, Bits4, Bits1 };
template <>
inline constexpr std::string_view layoutWords<ExchangeFormat>[] = {"full", "8-bit", "4-bit", "1-bit"};

enum class LossScaling : std::uint8_t { None, Static, Dynamic };
template <>
inline constexpr std::string_view layoutWords<LossScaling>[] = {"none", "static", "dynamic"};

/// How the learning rate falls after its warm-up.
enum class RateSchedule : std::uint8_t { Constant, Cosine, Linear };
template <>
inline constexpr std::string_view layoutWords<RateSchedule>[] = {"constant", "cosine", "linear"};

/// Which activations a backward computes again (recompute.h).
enum class RecomputeKind : std::uint8_t {
    None,
    Selective,   ///< attention's probabilities
    Full,        ///< everything but the input of each block
    Sqrt,        ///< everything but the inputs of segments as long as the root of the stage's blocks
    Every,       ///< everything but the inputs of segments of MemorySpec::recomputeEvery blocks
    Mlp,         ///< everything but the input of the second half of each block
    Latent,      ///< queries, keys and values that a latent attention makes of its latents
    Pointwise,   ///< what norms and activations make
    Operations,  ///< besides, every second product of a block
    Parts,       ///< those of MemorySpec::recomputeParts
};
template <>
inline constexpr std::string_view layoutWords<RecomputeKind>[] = {
    "none", "selective", "full", "sqrt", "every", "mlp", "latent", "pointwise", "operations", "parts"};

/// Parts of a block that its backward can compute again without the rest (recompute.h).
enum class RecomputePart : std::uint8_t {
    Core,         ///< attention's probabilities
    Heads,        ///< queries, keys and values that a latent attention makes of its latents
    Norms,        ///< what the norm in front of each half makes
    Activations,  ///< what the activation between two products makes
    FeedForward,  ///< everything but the input of a feed-forward block
    Experts,      ///< everything but the input of a layer with experts
};
template <>
inline constexpr std::string_view layoutWords<RecomputePart>[] = {"core",        "heads",        "norms",
                                                                  "activations", "feed-forward", "experts"};

/// How a cnn keeps its activations for the backward (kept_activations.h).
enum class ActivationStorage : std::uint8_t { Kept, Lossless, Lossy16, Lossy10, Lossy8 };
template <>
inline constexpr std::string_view layoutWords<ActivationStorage>[] = {"kept", "lossless", "lossy-16", "lossy-10",
                                                                      "lossy-8"};

/// What lies in the host's memory for good.
enum class OffloadKind : std::uint8_t {
    None,
    Optimizer,   ///< fp32 weights and the optimizer's state, updated there (ZeRO-Offload)
    Parameters,  ///< besides, a rank's shards of the weights, which visit the device layer by layer (ZeRO-Infinity)
};
template <>
inline constexpr std::string_view layoutWords<OffloadKind>[] = {"none", "optimizer", "parameters"};

/// What goes to the host's memory for a while.
enum class SwapKind : std::uint8_t {
    None,
    Activations,  ///< what a forward left, until its backward (GeePS)
};
template <>
inline constexpr std::string_view layoutWords<SwapKind>[] = {"none", "activations"};

}  // namespace shardlab::layout
