// SPDX-License-Identifier: Apache-2.0
// The Layout: everything a run is made from, as a plain value. Undo is the previous value.
// Defaults are the default layout; {} is a legal layout file. Field names in JSON are in fields.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab {

struct ModelSpec {
    std::string kind = "gpt";  ///< gpt | mlp | gpt-moe | llama | cnn
    int layers = 4;
    int hidden = 128;
    int heads = 4;
    int sequence = 128;    ///< tokens of one sample
    int vocabulary = 256;  ///< bytes by default
    double dropout = 0.0;
    std::vector<int>
        feedForward;  ///< width inside each layer's feed-forward block; one number = in all; empty = 4 · hidden in all
    std::string weights;  ///< file or folder of GPT-2's or Llama's weights to start from; empty = random ones
    // llama
    int kvHeads = 0;  ///< heads of keys and values, each met by heads ÷ kvHeads of queries; 0 = as many as heads
    double ropeBase = 10000;  ///< of the rotary embedding: pair i of a head turns by position · base^(−2i ÷ width)
    // gpt-moe: every second block, the second, fourth …, has experts in place of its feed-forward block.
    int experts = 8;
    std::string gate =
        "switch";            ///< switch | noisy-top-k | hierarchical | gshard | expert-choice | capped-expert-choice
    int topK = 2;            ///< noisy-top-k: experts of a token; hierarchical: in each of its groups
    int expertGroups = 4;    ///< hierarchical: of the experts, neighbours
    int topGroups = 2;       ///< hierarchical: groups of a token
    int tokenExperts = 2;    ///< capped-expert-choice: most experts of a token
    double entropy = 0.1;    ///< capped-expert-choice: weight of the entropy of who takes whom
    double capacity = 1.25;  ///< places of the experts for each place that tokens ask for
    double balance = 0.01;   ///< weight of the loss that evens out the experts' load
    double expertDropout = 0.0;  ///< within experts
    // cnn: layers blocks of convolutions, of which the first has hidden channels (cnn_shape.h).
    int image = 16;        ///< pixels of an image's side
    int channels = 1;      ///< of a pixel
    int convolutions = 2;  ///< of each block
    int classes = 10;      ///< that images are told apart by
    bool operator==(const ModelSpec&) const = default;
};

struct DataSpec {
    std::string kind = "generator";   ///< generator | text | tokens
    std::string path;                 ///< of a UTF-8 file, or of .bin files of tokens, relative to the layout file
    std::string tokenizer = "bytes";  ///< bytes | gpt2
    double validation = 0.1;          ///< share of the text kept for validation, in [0, 0.5]
    std::string tokenizerPath;        ///< folder with vocab.json and merges.txt; for gpt2
    std::string lastBatch = "carry";  ///< carry | pad | drop: an epoch's last windows, where they fill no global batch
    bool operator==(const DataSpec&) const = default;
};

struct HostSpec {
    std::string name = "localhost";
    int devices = 4;
    bool operator==(const HostSpec&) const = default;
};

/// Every rank does its real mathematics, then waits until the modelled device would have finished.
struct PaceSpec {
    std::string device = "h100-sxm";  ///< a device preset
    double stepSeconds = 1.0;         ///< modelled time is stretched so that one step lasts this long
    bool operator==(const PaceSpec&) const = default;
};

struct ClusterSpec {
    std::vector<HostSpec> hosts{HostSpec{}};
    std::string device = "cpu";  ///< cpu
    std::optional<PaceSpec> pace;
    std::string agent;    ///< the program that runs a command on another host, and its arguments; empty = ssh
    std::string network;  ///< that joins the hosts: 10.1.0.0/16, or names of interfaces; empty = any
    bool operator==(const ClusterSpec&) const = default;
};

/// Degrees; the product of all but expert is the number of devices used.
struct ParallelSpec {
    int data = 2;
    int pipeline = 2;
    int tensor = 1;
    int expert = 1;  ///< of the data ranks, so many that are neighbours hold all experts once; divides data
    int context = 1;
    bool sequence = false;
    int zero = 0;
    std::string partition = "flat";  ///< of parameters, with ZeRO 3: flat | layers
    double bucket = 25;              ///< megabytes of gradients that are reduced together; 0 = all after the backward
    std::string allReduce = "backend";   ///< backend | ring
    std::string exchange = "allreduce";  ///< what replicas exchange, and with whom: exchange.h
    bool operator==(const ParallelSpec&) const = default;
};

struct ScheduleSpec {
    std::string kind = "1f1b";
    int chunks = 1;           ///< virtual stages per rank
    std::vector<int> stages;  ///< layers of each stage; empty = even split
    int inFlight = 0;         ///< most microbatches a rank holds, for schedules that take a limit; 0 = pipeline
    std::vector<std::string> actions;  ///< kind custom: what each rank computes in order, "0F0,0F1,0B0,0B1"
    bool verticalSync = false;         ///< a microbatch uses one weight version in all stages; pipedream
    bool operator==(const ScheduleSpec&) const = default;
};

struct BatchSpec {
    int global = 16;  ///< samples of one optimizer step, over all data replicas
    int micro = 2;    ///< samples of one microbatch
    bool operator==(const BatchSpec&) const = default;
};

struct PrecisionSpec {
    std::string compute = "fp32";       ///< fp32 | bf16 | fp16
    std::string weights = "master";     ///< in 16 bits: master | fp32 | alone; formats.h says what that means
    std::string gradients = "compute";  ///< of weights: compute | fp32
    std::string lossScale = "none";     ///< none | static | dynamic
    double scale = 65536;               ///< of the loss; where dynamic, the first
    int scaleWindow = 200;              ///< steps without overflow after which a dynamic scale doubles
    bool operator==(const PrecisionSpec&) const = default;
};

struct OptimizerSpec {
    std::string kind = "adamw";  ///< adamw | adamw-8bit | sgd | adafactor | sm3
    double learningRate = 3e-3;
    int warmup = 20;  ///< steps over which the learning rate rises linearly to its value; 0 = from the start
    std::string schedule = "constant";     ///< constant | cosine | linear: how it falls after that
    double minimum = 0;                    ///< what it falls to
    std::vector<double> betas{0.9, 0.95};  ///< adamw, adamw-8bit
    double epsilon = 1e-8;                 ///< adamw, adamw-8bit
    double momentum = 0.0;                 ///< sgd, sm3
    double decayRate = 0.8;                ///< adafactor: β₂ of update t is 1 − t^−decayRate
    double clipThreshold = 1.0;            ///< adafactor: largest root mean square of an update
    double weightDecay = 0.1;
    double clip = 1.0;        ///< largest global gradient norm; 0 = no clipping
    double lossWeight = 1.0;  ///< what the loss is multiplied by before its gradient is taken
    double elasticRho = 1.0;  ///< ρ of easgd: pull of a replica's weights to the centre, per unit of learning rate
    bool operator==(const OptimizerSpec&) const = default;
};

struct MemorySpec {
    std::string recompute = "none";     ///< none | selective | full | sqrt | every
    int recomputeEvery = 2;             ///< blocks of a segment; for every
    bool partitionActivations = false;  ///< of a segment's input each tensor member keeps its part (ZeRO-R)
    std::string activations =
        "kept";  ///< of a cnn: kept | lossless | lossy-16 | lossy-10 | lossy-8 (kept_activations.h)
    std::string offload =
        "none";  ///< none | optimizer: fp32 weights and state of the optimizer lie on the host (ZeRO-Offload)
    std::string swap = "none";  ///< none | activations: what a forward left lies on the host until its backward (GeePS)
    double reserve = 0.06;      ///< share of a device's memory that a layout leaves free, in [0, 0.5] (memory_limit.h)
    bool operator==(const MemorySpec&) const = default;
};

struct RunSpec {
    int steps = 200;
    std::int64_t seed = 1;
    int validateEvery = 20;     ///< steps between validations; 0 = only after the last step
    int validationBatches = 1;  ///< global batches of one validation
    int deadline = 0;     ///< seconds after which a rank that stands still ends the run; 0 = from how long steps take
    int maxRestarts = 0;  ///< from the last checkpoint, where a rank dies or hangs
    int minData = 0;      ///< elastic: fewest replicas that it goes on with (elastic_sizes.h); 0 = always parallel.data
    std::vector<std::string> faults;  ///< on purpose: "kill 1 after 12" (injected_fault.h)
    std::int64_t sizeLimit = 0;       ///< bytes of the run file; 0 = none, every event is kept
    int keepLast = 50;                ///< with a limit: steps at the end whose events are kept whole
    int keepEvery = 100;              ///< with a limit: of the steps before, every k-th too; 0 = none
    bool operator==(const RunSpec&) const = default;
};

struct CheckpointSpec {
    int every = 0;     ///< steps between checkpoints, and one at the end; 0 = only when asked for
    int keep = 2;      ///< newest ones that stay
    std::string path;  ///< folder, relative to the layout file; empty = beside the run file
    bool operator==(const CheckpointSpec&) const = default;
};

struct Layout {
    std::string name = "untitled";
    ModelSpec model;
    DataSpec data;
    ClusterSpec cluster;
    ParallelSpec parallel;
    ScheduleSpec schedule;
    BatchSpec batch;
    PrecisionSpec precision;
    OptimizerSpec optimizer;
    MemorySpec memory;
    RunSpec run;
    CheckpointSpec checkpoint;
    bool operator==(const Layout&) const = default;
};

/// Width inside the feed-forward block of a layer, counted from 0.
int feedForwardWidth(const ModelSpec& model, int layer);
/// Heads of keys and of values of an attention; all models but llama have as many as of queries.
int keyHeads(const ModelSpec& model);
/// A sample is an image and its class instead of a row of tokens.
bool readsImages(const ModelSpec& model);
/// Numbers of a sample that the first stage takes: tokens, or bytes of an image's pixels.
int sampleInputs(const ModelSpec& model);
/// Numbers of a sample that the last stage is to say: the tokens that follow each, or the class.
int sampleTargets(const ModelSpec& model);
/// Different ones of these.
int targetKinds(const ModelSpec& model);
/// First and last stage share the token embedding; llama and cnn have an output projection of their own.
bool tiesEmbedding(const ModelSpec& model);
/// Whether the layer, counted from 0, has experts.
bool hasExperts(const ModelSpec& model, int layer);
/// Layers are alike, but for the width of their feed-forward blocks: each is what the other is.
bool sameKind(const ModelSpec& model, int layer, int other);
/// All layers have the same shapes.
bool evenLayers(const ModelSpec& model);
/// With gates by which an expert takes tokens, instead of a token experts.
bool expertsChoose(const ModelSpec& model);
/// With a gate by which they take hardly more than so many experts for a token.
bool capsTokens(const ModelSpec& model);
/// With a gate that chooses groups of experts first.
bool hasGroups(const ModelSpec& model);
/// With gates that add noise to scores, learned per score.
bool noisyGate(const ModelSpec& model);
/// Experts that a token may go to: all of them where experts choose.
int expertChoices(const ModelSpec& model);
/// Experts that a token asks for on average, capacity being 1: its choices, or 1 where experts choose.
int expertsPerToken(const ModelSpec& model);
/// Tokens of one sample that an expert has a place for: ⌈capacity · expertsPerToken · sequence ÷ experts⌉; at least
/// one, at most all. The group whose tokens compete for places is a sample.
int expertCapacity(const ModelSpec& model);
/// The optimizer, its state and its weights in fp32 are on the host.
bool offloadsOptimizer(const MemorySpec& memory);
/// Activations that are unused for a while are on the host meanwhile.
bool swapsActivations(const MemorySpec& memory);
/// Something of a rank lies on its device's host.
bool usesHost(const MemorySpec& memory);
/// Product of all degrees but expert = number of ranks mpirun starts.
int rankCount(const Layout& layout);
/// Number of pipeline stages over all chunks.
int stageCount(const Layout& layout);
/// m = global ÷ (data × micro), where a server is no worker one replica less; 0 where that does not divide.
int microbatches(const Layout& layout);
/// Layers of each global stage: schedule.stages, or the even split. Empty where layers do not divide.
std::vector<int> stageLayers(const Layout& layout);
/// What tokensPerStep counts: "tokens" or "images".
std::string_view countedInputs(const ModelSpec& model);
/// Tokens of one optimizer step; of a cnn images.
std::int64_t tokensPerStep(const Layout& layout);

}  // namespace shardlab
