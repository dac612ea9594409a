// SPDX-License-Identifier: Apache-2.0
// The Layout: everything a run is made from, as a plain value. Undo is the previous value.
// Defaults are the default layout; {} is a legal layout file. What a field means and what it is called in JSON is in
// the table of fields.h; the words of an enum are in kinds.h.
#pragma once

#include "engine/layout/kinds.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::layout {

/// How rotary positions turn queries and keys: at position p pair i of a head turns by p · fᵢ, fᵢ = base^(−2i ÷ width).
/// Where they are scaled, slow pairs turn `factor` times slower (kernels/rotary.h).
struct RotarySpec {
    double base = 10000;
    RotaryScaling scaling = RotaryScaling::None;
    double factor = 8;
    double low = 1;        ///< pairs that turn at most so often over `original` positions are slowed down by the factor
    double high = 0;       ///< pairs that turn at least so often stay as they are; 0 = 4 with llama3, 32 with yarn
    int original = 8192;   ///< tokens of the sequences that the model was first trained with
    bool truncate = true;  ///< yarn: the pairs between which angles change are whole numbers, rounded outwards
    bool operator==(const RotarySpec&) const = default;
};

/// What the blocks of the models gpt, llama and llama-moe are made of. The model's kind says what `Default` stands for,
/// and blockParts() puts it in.
struct BlockSpec {
    int kvHeads = 0;    ///< heads of keys and values, each read by heads ÷ kvHeads of queries; 0 = as many as heads
    int headWidth = 0;  ///< columns of a head; 0 = hidden ÷ heads
    NormKind norm = NormKind::Default;
    double normEpsilon = 1e-5;  ///< added to the variance, or to the mean square
    PositionKind positions = PositionKind::Default;
    BiasKind biases = BiasKind::Default;
    ActivationKind activation = ActivationKind::Default;
    OutputKind output = OutputKind::Default;
    bool queryKeyNorms = false;  ///< RMSNorm of each head's query and of each key, before they are turned
    RotarySpec rotary;
    int window = 0;      ///< most tokens that a token attends to, itself among them; 0 = all up to itself
    int fullEvery = 0;   ///< with a window: every so many layers one attends to all tokens all the same; 0 = none does
    int kvRank = 0;      ///< columns of the latent that keys and values are made from; 0 = no latent attention
    int queryRank = 0;   ///< latent attention: of the latent that queries are made from; 0 = straight from hidden
    int ropeWidth = 64;  ///< latent attention: columns of a head that are turned, beside headWidth that are not
    int valueWidth = 0;  ///< latent attention: columns of a head's value; 0 = head width
    bool sinks = false;  ///< each head has a learnt score beside those of the tokens, which has no value (GPT-OSS)
    double attentionCap = 0;  ///< scores s of an attention become cap · tanh(s ÷ cap); 0 = they stay (Gemma 2)
    double logitCap = 0;      ///< logits s become cap · tanh(s ÷ cap); 0 = they stay
    double gluLimit = 7;      ///< swiglu-clamped: bound of gates from above, and of values from both sides
    double gluAlpha = 1.702;  ///< swiglu-clamped: factor of a gate within its sigmoid
    bool operator==(const BlockSpec&) const = default;
};

/// Read by the models gpt-moe and llama-moe, some of whose blocks have experts in place of their feed-forward block.
struct MoeSpec {
    int count = 8;
    GateMethod gate = GateMethod::Switch;
    int topK = 2;            ///< experts of a token; hierarchical: in each of its groups
    int groups = 4;          ///< gates that choose among groups: groups of neighbouring experts
    int topGroups = 2;       ///< gates that choose among groups: groups of a token
    int tokenExperts = 2;    ///< capped-expert-choice: most experts of a token
    double entropy = 0.1;    ///< capped-expert-choice: weight of the entropy of the assignment of tokens to experts
    double capacity = 1.25;  ///< places of the experts for each place that tokens ask for; 0 = as many as they ask for
    double balance = 0.01;   ///< weight of the balance loss
    double dropout = 0.0;    ///< within experts
    int every = 0;           ///< every so many blocks one has experts; 0 = 2 in gpt-moe, 1 in llama-moe
    int denseLayers = 0;     ///< lowest blocks that have none
    int width = 0;           ///< inside an expert; 0 = that of the feed-forward block in whose place it is
    int shared = 0;          ///< experts beside the others that every token goes to
    double scale = 1;        ///< gates with sigmoid: factor of the weights
    double biasRate = 0;     ///< gates with sigmoid: by how much a step moves the bias of a choice; 0 = there is none
    bool scoreBias = false;  ///< the scores of experts add a bias that is learned
    bool operator==(const MoeSpec&) const = default;
};

/// Read by the model cnn alone, whose layers are blocks of convolutions; the first has ModelSpec::hidden channels
/// (cnn_shape.h).
struct CnnSpec {
    int image = 16;        ///< pixels of an image's side
    int channels = 1;      ///< numbers of a pixel
    int convolutions = 2;  ///< convolutions of each block
    int classes = 10;      ///< kinds of images that are told apart
    bool operator==(const CnnSpec&) const = default;
};

/// What several models read, and beside it a struct for each model that has more. Those of other models than `kind`
/// keep their values, without an effect, so that a layout which changes its model and changes it back is what it was.
struct ModelSpec {
    ModelKind kind = ModelKind::Gpt;
    int layers = 4;
    int hidden = 128;
    int heads = 4;
    int sequence = 128;    ///< tokens of one sample
    int vocabulary = 256;  ///< different tokens; 256 are enough for bytes
    double dropout = 0.0;
    std::vector<int> feedForward;  ///< width inside each layer's feed-forward block; one number = in all layers;
                                   ///< empty = 4 · hidden in all
    std::string weights;  ///< file or folder of weights of GPT-2 or Llama to start from; empty = random weights
    BlockSpec block;
    MoeSpec experts;
    CnnSpec cnn;
    int predictedTokens = 0;        ///< tokens after the next one that are predicted too, by a module each; 0 = none
    double predictionWeight = 0.3;  ///< λ: weight of the mean of these modules' losses
    bool operator==(const ModelSpec&) const = default;
};

struct DataSpec {
    DataKind kind = DataKind::Generator;
    std::string path;  ///< a file of text, or .bin files of tokens, relative to the layout file
    TokenizerKind tokenizer = TokenizerKind::Byte;
    double validation = 0.1;  ///< share of the text kept for validation, in [0, 0.5]
    std::string
        tokenizerPath;  ///< gpt2: folder with vocab.json and merges.txt; tokenizer.json: the file, or its folder
    LastBatch lastBatch = LastBatch::Carry;
    std::string textField = "text";  ///< jsonl: the field of each line that is the text
    DocumentBorders documents = DocumentBorders::Joined;
    bool operator==(const DataSpec&) const = default;
};

struct HostSpec {
    std::string name = "localhost";
    int devices = 4;
    bool operator==(const HostSpec&) const = default;
};

/// Every rank does its real mathematics, then waits until the modelled device would have finished.
struct PaceSpec {
    std::string device = "h100-sxm";  ///< the name of a device to model (devices.h)
    double stepSeconds = 1.0;         ///< modelled time is stretched so that one step lasts this long
    std::string stack = "shardlab";   ///< the name of the software stack whose times are modelled (stacks.h)
    double nodeLink = 0;              ///< GB/s of the link within a node, one direction; 0 = the device's own
    double network = 0;               ///< Gbit/s of the network for each device; 0 = the device's own
    bool operator==(const PaceSpec&) const = default;
};

struct ClusterSpec {
    std::vector<HostSpec> hosts{HostSpec{}};
    DeviceKind device = DeviceKind::Cpu;
    std::optional<PaceSpec> pace;  ///< absent: the run goes at full speed
    std::string agent;             ///< the program that runs a command on another host, and its arguments; empty = ssh
    std::string network;           ///< networks or interfaces that join the hosts, "10.1.0.0/16"; empty = any
    bool operator==(const ClusterSpec&) const = default;
};

/// Degrees; the product of all but expert is the number of devices used.
struct ParallelSpec {
    int data = 2;
    int pipeline = 2;
    int tensor = 1;
    int expert = 1;  ///< so many neighbouring data ranks hold all experts once; divides data
    int context = 1;
    bool sequence = false;
    int zero = 0;
    PartitionKind partition = PartitionKind::Flat;  ///< how ZeRO 3 divides the parameters
    double bucket = 25;  ///< megabytes of gradients that are reduced together; 0 = all after the backward
    AllReduceKind allReduce = AllReduceKind::Backend;
    Exchange exchange = Exchange::AllReduce;
    int shard = 0;  ///< so many neighbouring data ranks share one copy of what ZeRO divides (HSDP); 0 = all of them
    ContextKind contextKind = ContextKind::Ring;
    int expertTensor = 0;  ///< tensor degree of the experts, which divides tensor; 0 = tensor (MoE parallel folding)
    bool operator==(const ParallelSpec&) const = default;
};

struct ScheduleSpec {
    std::string kind = "1f1b";  ///< the name of a method in schedule/registry.h
    int chunks = 1;             ///< virtual stages per rank
    std::vector<int> stages;    ///< layers of each stage; empty = even split
    int inFlight = 0;           ///< most microbatches a rank holds, for schedules that take a limit; 0 = pipeline
    std::vector<std::string> actions;  ///< schedule custom: what each rank computes in order, "0F0,0F1,0B0,0B1"
    bool verticalSync = false;         ///< pipedream: a microbatch uses one weight version in all stages
    bool countEnds = false;            ///< the even split counts the embedding and the output as a layer each
    bool operator==(const ScheduleSpec&) const = default;
};

struct BatchSpec {
    int global = 16;  ///< samples of one optimizer step, over all data replicas
    int micro = 2;    ///< samples of one microbatch
    bool operator==(const BatchSpec&) const = default;
};

struct PrecisionSpec {
    NumberFormat compute = NumberFormat::Fp32;
    WeightStorage weights = WeightStorage::Master;  ///< counts where compute has 16 bits
    GradientFormat gradients = GradientFormat::Compute;
    ProductFormat products = ProductFormat::Compute;  ///< of the linear layers of blocks
    LossScaling lossScale = LossScaling::None;
    double scale = 65536;   ///< the static loss scale, or the first dynamic one
    int scaleWindow = 200;  ///< steps without overflow after which a dynamic loss scale doubles
    ProductScaling scaling = ProductScaling::Current;  ///< of products in fp8
    int amaxHistory = 16;                              ///< scaling delayed: steps whose largest magnitudes count
    int margin = 0;  ///< scaling delayed: powers of two by which a scale stays below what the largest would fill
    ExchangeFormat exchange = ExchangeFormat::Full;  ///< of gradients between replicas
    bool operator==(const PrecisionSpec&) const = default;
};

/// Read by AdamW, with its moments in fp32 or in 8 bits.
struct AdamWSpec {
    std::vector<double> betas{0.9, 0.95};  ///< decay of the first and of the second moment
    double epsilon = 1e-8;
    bool operator==(const AdamWSpec&) const = default;
};

struct AdafactorSpec {
    double decayRate = 0.8;      ///< β₂ of update t is 1 − t^−decayRate
    double clipThreshold = 1.0;  ///< largest root mean square of an update
    bool operator==(const AdafactorSpec&) const = default;
};

/// What several optimizers read, and beside it a struct for each that has more, as in ModelSpec.
struct OptimizerSpec {
    OptimizerKind kind = OptimizerKind::AdamW;
    double learningRate = 3e-3;
    int warmup = 20;  ///< steps over which the learning rate rises linearly to its value; 0 = from the start
    RateSchedule schedule = RateSchedule::Constant;
    double minimum = 0;     ///< learning rate that a falling schedule ends with
    double momentum = 0.0;  ///< SGD and SM3; 0 = no momentum
    double weightDecay = 0.1;
    double clip = 1.0;        ///< largest global gradient norm; 0 = no clipping
    double lossWeight = 1.0;  ///< factor of the loss before its gradient is taken
    double elasticRho = 1.0;  ///< exchange easgd, ρ: how strongly weights and centre pull each other, per learning rate
    AdamWSpec adamw;
    AdafactorSpec adafactor;
    bool operator==(const OptimizerSpec&) const = default;
};

struct MemorySpec {
    RecomputeKind recompute = RecomputeKind::None;
    int recomputeEvery = 2;             ///< blocks of a segment, where recompute is Every
    int recomputeBlocks = 0;            ///< lowest blocks of each stage that segments cover; 0 = all
    bool partitionActivations = false;  ///< each rank of a tensor group keeps its part of a segment's input (ZeRO-R)
    ActivationStorage activations = ActivationStorage::Kept;
    OffloadKind offload = OffloadKind::None;
    SwapKind swap = SwapKind::None;
    double reserve = 0.06;  ///< share of a device's memory that a layout leaves free, in [0, 0.5] (memory_limit.h)
    WordSet<RecomputePart> recomputeParts = {};  ///< where recompute is Parts
    int lossPieces = 1;  ///< of a microbatch's tokens, whose logits are made one piece after the other
    bool operator==(const MemorySpec&) const = default;
};

struct RunSpec {
    int steps = 200;
    std::int64_t seed = 1;
    int validateEvery = 20;     ///< steps between validations; 0 = only after the last step
    int validationBatches = 1;  ///< global batches of one validation
    int deadline = 0;     ///< seconds after which a rank that stands still ends the run; 0 = from how long steps take
    int maxRestarts = 0;  ///< restarts from the last checkpoint, where a rank dies or hangs
    int minData = 0;      ///< fewest replicas that an elastic run goes on with (elastic_sizes.h); 0 = it is not elastic
    std::vector<std::string> faults;  ///< faults brought about on purpose: "kill 1 after 12" (injected_fault.h)
    std::int64_t sizeLimit = 0;       ///< bytes of the run file; 0 = there is no limit, and every event is kept
    int keepLast = 50;                ///< with a size limit: steps at the end whose events are all kept
    int keepEvery = 100;              ///< with a size limit: every k-th of the steps before is kept too; 0 = none
    bool operator==(const RunSpec&) const = default;
};

struct CheckpointSpec {
    int every = 0;       ///< steps between checkpoints, with one at the end; 0 = only when asked for
    int keep = 2;        ///< newest checkpoints that stay
    bool first = false;  ///< with `every`: one more before the first step, which stays beside the newest
    std::string path;    ///< folder, relative to the layout file; empty = beside the run file
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

/// Width inside the feed-forward block of a layer, counted from 0, or inside each of its experts. Above the highest
/// layer, in the blocks of modules (predictionModules), it is that of the highest.
int feedForwardWidth(const ModelSpec& model, int layer);
/// Heads of keys and of values in an attention; without rotary positions they are as many as the heads of queries.
int keyHeads(const ModelSpec& model);
/// Heads of queries that read one head of keys.
inline int queriesOfKey(const ModelSpec& model) { return std::max(1, model.heads / std::max(1, keyHeads(model))); }
/// Columns of one head of an attention; in latent attention those that are not turned (attention_shape.h).
int headWidth(const ModelSpec& model);
/// Most tokens that a token attends to in the attention of a layer, itself among them; at most the sequence.
int attendedTokens(const ModelSpec& model, int layer);
/// RotarySpec::high, with what 0 stands for put in.
double rotaryHigh(const RotarySpec& rotary);
/// A sample is an image and its class instead of a row of tokens.
bool readsImages(const ModelSpec& model);
/// Numbers of a sample that the first stage takes: tokens, or bytes of an image's pixels.
int sampleInputs(const ModelSpec& model);
/// Numbers of a sample that the last stage predicts: the token after each token, or the class.
int sampleTargets(const ModelSpec& model);
/// Different values that a target can have: the vocabulary, or the classes.
int targetKinds(const ModelSpec& model);
/// The data is text that files of a tokenizer turn into tokens.
bool readsTokenizer(const Layout& layout);
/// The output projection is the token embedding; else the last stage has one of its own.
bool tiesEmbedding(const ModelSpec& model);
inline constexpr int mostPredictionModules = 8;
/// Modules that predict a token further ahead each (multi-token prediction, 2412.19437): D, at most
/// mostPredictionModules. Models whose parts the layout does not choose have none.
int predictionModules(const ModelSpec& model);
/// Blocks with those of the modules, which are counted on above the model's own: layers + D.
int blockCount(const ModelSpec& model);
/// The block is that of a module. In front of its attention it joins two inputs.
bool ofModule(const ModelSpec& model, int layer);
/// First and last stage each have a copy of the token embedding: as the output projection, or for a module's inputs.
bool sharesEmbedding(const ModelSpec& model);
/// The model has layers with experts.
bool hasExperts(const ModelSpec& model);
/// Whether the layer, counted from 0, has experts.
bool hasExperts(const ModelSpec& model, int layer);
/// Whether some block of the model, or of a module above it, has experts; or whether some has none.
bool hasBlocks(const ModelSpec& model, bool experts);
/// Two layers have the same parts, see as many tokens, and differ at most in the width of their feed-forward blocks.
bool sameKind(const ModelSpec& model, int layer, int other);
/// Two layers are of the same kind and have feed-forward blocks of the same width: what one costs, the other does.
bool sameShapes(const ModelSpec& model, int layer, int other);
/// All blocks have the same shapes, and see as many tokens; no module lies above them.
bool evenLayers(const ModelSpec& model);
/// The gate lets each expert take tokens, instead of each token experts.
bool expertsChoose(const ModelSpec& model);
/// The gate limits how many experts take the same token.
bool capsTokens(const ModelSpec& model);
/// Width inside the block that every token of a layer with experts goes to: that of all shared experts; 0 = none.
int sharedWidth(const ModelSpec& model, int layer);
/// Every token finds a place at each of its experts, which have as many rows as are asked for.
bool dropless(const ModelSpec& model);
/// The gate chooses groups of experts first.
bool hasGroups(const ModelSpec& model);
/// The gate adds a bias to each expert's score for the choice alone, which steps move towards an even load.
bool biasesChoice(const ModelSpec& model);
/// The gate chooses all experts of a token from the token's best groups.
bool choosesInGroups(const ModelSpec& model);
/// The gate adds noise, whose size is learned, to the scores.
bool noisyGate(const ModelSpec& model);
/// Experts that a token may go to: all of them where experts choose.
int expertChoices(const ModelSpec& model);
/// Experts that a token asks for on average where capacity is 1: its choices, or 1 where experts choose.
int expertsPerToken(const ModelSpec& model);
/// Tokens of one sample that an expert has a place for: ⌈capacity · expertsPerToken · sequence ÷ experts⌉; at least
/// one, at most all, and all where dropless. The tokens of one sample compete for places.
int expertCapacity(const ModelSpec& model);
/// The optimizer keeps a number for each element of what it repeats of earlier updates.
bool keepsVelocity(const OptimizerSpec& optimizer);
/// The optimizer, its state and its weights in fp32 are on the host.
bool offloadsOptimizer(const MemorySpec& memory);
/// Besides, the weights that a rank owns are on the host, and come to the device layer by layer.
bool offloadsParameters(const MemorySpec& memory);
/// Activations that are unused for a while are on the host meanwhile.
bool swapsActivations(const MemorySpec& memory);
/// Something that belongs to a rank lies on its device's host.
bool usesHost(const MemorySpec& memory);
/// Product of all degrees but expert = number of ranks mpirun starts.
int rankCount(const Layout& layout);
/// Number of pipeline stages over all chunks.
int stageCount(const Layout& layout);
/// m = global ÷ (data × micro), with one replica less where a server is no worker; 0 where that does not divide.
int microbatches(const Layout& layout);
/// Layers of each global stage: schedule.stages, or the even split. Empty where layers do not divide. Where embedding
/// and output count as layers, layers that are left over go to the stages in the middle, one each, and the first and
/// the last stage may have no layer.
std::vector<int> stageLayers(const Layout& layout);
/// What tokensPerStep counts: "tokens" or "images".
std::string_view countedInputs(const ModelSpec& model);
/// Tokens of one optimizer step, or images of a cnn.
std::int64_t tokensPerStep(const Layout& layout);

}  // namespace shardlab::layout
