// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/evidence/published_run.h"

#include "engine/base/parse_text.h"
#include "engine/base/words.h"
#include "engine/layout/check/check.h"
#include "engine/layout/devices.h"
#include "engine/layout/formats.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/stacks.h"
#include "engine/predict/evidence/link_words.h"
#include "engine/predict/evidence/row_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace shardlab::predict {
namespace {

/// The cells of a row, with their meanings.
class Row {
public:
    Row(const CsvTable& table, std::size_t row) : table_(table), row_(row) {}

    std::string_view text(std::string_view column) const { return table_.cell(row_, column); }
    std::optional<double> number(std::string_view column) const { return parseNumber<double>(text(column)); }
    int count(std::string_view column) const {
        const auto value = number(column);
        if (!value || *value < 1 || *value > 1e9 || *value != std::floor(*value))
            throw Refusal{fmt::format("{} is {}", column, text(column).empty() ? "not stated" : "no count")};
        return static_cast<int>(*value);
    }
    /// Empty where the column is.
    std::optional<bool> yes(std::string_view column) const {
        const std::vector<std::string> words = wordsOf(text(column));
        if (words.empty()) return std::nullopt;
        for (const std::string_view word : {"yes", "true", "on"})
            if (words.front() == word) return true;
        for (const std::string_view word : {"no", "false", "off"})
            if (words.front() == word) return false;
        throw Refusal{fmt::format("{} is neither yes nor no: {}", column, text(column))};
    }
    int countOr(std::string_view column, int otherwise) const {
        return text(column).empty() ? otherwise : count(column);
    }
    /// Whether the flags, or what the row says of source and attention, have a word.
    bool says(std::string_view word) const {
        const std::string all =
            lower(fmt::format("{};{};{};{}", text("other_flags"), text("source"), text("attention"), text("schedule")));
        return all.find(lower(word)) != std::string::npos;
    }
    /// The number that follows a word of the flags, after "=" or a space; empty where none does.
    std::optional<int> numberAfter(std::string_view word) const {
        const std::string flags = lower(text("other_flags"));
        const auto at = flags.find(word);
        if (at == std::string::npos) return std::nullopt;
        const auto number = flags.find_first_not_of("= ", at + word.size());
        if (number == std::string::npos || !std::isdigit(static_cast<unsigned char>(flags[number])))
            return std::nullopt;
        return std::atoi(flags.c_str() + number);
    }

private:
    const CsvTable& table_;
    std::size_t row_;
};

/// A row says nothing of the width of heads. Where its parameters are those of the model with another width than
/// hidden ÷ heads, the width is that one.
void readHeadWidth(const Row& row, ModelSpec& model) {
    const auto stated = row.number("params_b");
    if (!stated || *stated <= 0 || row.says("trimmed")) return;
    const auto off = [&] { return std::abs(static_cast<double>(modelParameters(model)) / (*stated * 1e9) - 1); };
    constexpr double mostOff = 0.02;
    const bool divides = model.hidden % model.heads == 0;
    if (divides && off() <= mostOff) return;
    const int given = model.block.headWidth;
    for (const int width : {64, 128, 256}) {
        model.block.headWidth = width;
        if (off() <= mostOff) return;
    }
    model.block.headWidth = divides ? given : 128;
}

/// The shipped model that has the row's experts, of which a row names some parts only; the row's layers.
const ModelSpec* shippedModel(const Row& row) {
    static const std::vector<Preset> shipped = presets().value_or(std::vector<Preset>{});
    for (const Preset& preset : shipped) {
        const ModelSpec& model = preset.layout.model;
        if (!hasExperts(model) || model.hidden != row.count("hidden") || model.heads != row.count("heads") ||
            model.experts.count != row.count("experts") || expertsPerToken(model) != row.count("top_k") ||
            model.vocabulary != row.countOr("vocabulary", model.vocabulary) ||
            feedForwardWidth(model, model.layers - 1) != row.count("ffn"))
            continue;
        if (model.layers == row.count("layers") || row.says("trimmed")) return &model;
    }
    return nullptr;
}

/// A model each of whose blocks has experts, of which a token takes the best few.
void readExperts(const Row& row, ModelSpec& model) {
    if (const ModelSpec* shipped = shippedModel(row)) {
        const int sequence = row.count("sequence"), layers = row.count("layers");
        model = *shipped;
        model.layers = layers;
        model.sequence = sequence;
    } else {
        model.experts.count = row.count("experts");
        const int each = row.count("top_k");
        // A softmax over a token's only expert would always be 1.
        model.experts.gate = kindOf<GateMethod>(each == 1 ? "switch" : "top-k-softmax").value();
        if (each > 1) model.experts.topK = each;
        readHeadWidth(row, model);
    }
    // Tokens beyond a capacity are dropped; without one there is no limit.
    model.experts.capacity = row.says("capacity factor 1") ? 1 : 0;
}

void readModel(const Row& row, Layout& layout) {
    ModelSpec& model = layout.model;
    model.kind = modelKindOf(row.text("model_kind"));
    if (!row.text("experts").empty() && !hasExperts(model)) {
        if (model.kind != ModelKind::Llama) throw Refusal{"its model has experts, and its kind has none"};
        model.kind = ModelKind::LlamaMoe;
    }
    model.layers = row.count("layers");
    model.hidden = row.count("hidden");
    constexpr int usualHeadWidth = 128;
    model.heads = row.countOr("heads", std::max(1, model.hidden / usualHeadWidth));
    model.sequence = row.count("sequence");
    constexpr int vocabularyOfGpt2 = 50257;
    model.vocabulary = row.countOr("vocabulary", vocabularyOfGpt2);
    model.feedForward = {row.countOr("ffn", 4 * model.hidden)};
    model.block.kvHeads = row.countOr("kv_heads", model.heads);
    // Heads that share keys came with rotary positions.
    if (model.block.kvHeads != model.heads) model.block.positions = PositionKind::Rotary;
    if (const auto tied = row.yes("tied")) model.block.output = *tied ? OutputKind::Tied : OutputKind::Separate;
    if (hasExperts(model)) readExperts(row, model);
    model.predictedTokens = row.numberAfter("mtp_num_layers").value_or(row.says("w/ mtp") ? 1 : 0);
    // A vocabulary is padded so that its parts are equal.
    const int tensor = row.countOr("tp", 1);
    model.vocabulary = (model.vocabulary + tensor - 1) / tensor * tensor;
}

void readPrecision(const Row& row, Layout& layout) {
    const RowFormats formats = formatsOf(row.text("precision"));
    layout.precision.compute = formats.compute;
    const bool rows = formats.products == ProductFormat::Fp8 && row.says("rowwise");
    layout.precision.products = rows ? ProductFormat::Fp8Rows : formats.products;
    const std::string& stack = layout.cluster.pace->stack;
    // Megatron sums gradients in fp32; the recipes of NeMo do not.
    // DeepSpeed sums those of bf16 in fp32 wherever weights are whole.
    const bool sums = stack.starts_with("megatron-deepspeed") && layout.precision.compute == NumberFormat::Bf16 &&
                      shardingOf(row.text("zero")).zero < 2;
    const bool wide = (stack.starts_with("megatron-core") && !row.says("nemo")) || stack == "nanotron" || sums;
    layout.precision.gradients = wide ? GradientFormat::Fp32 : GradientFormat::Compute;
}

void readSchedule(const Row& row, Layout& layout) {
    ScheduleSpec& schedule = layout.schedule;
    const int pipeline = layout.parallel.pipeline;
    schedule.chunks = row.countOr("vpp", 1);
    schedule.kind = scheduleOf(row.text("schedule"), schedule.chunks);
    if (const ScheduleMethod* method = findScheduleMethod(schedule.kind))
        schedule.chunks = std::max(schedule.chunks, method->minChunks);
    if (schedule.kind == "zb-greedy") schedule.inFlight = 2 * pipeline;
    const int stages = pipeline * schedule.chunks;
    const bool ends = row.says("one layer few") || row.says("pp_layout") || row.says("partition");
    const int left = layout.model.layers % stages;
    if (left > 0 && layout.cluster.pace->stack == "internevo") {  // which gives them to its last stages
        schedule.stages.assign(static_cast<std::size_t>(stages - left), layout.model.layers / stages);
        schedule.stages.resize(static_cast<std::size_t>(stages), layout.model.layers / stages + 1);
        return;
    }
    schedule.countEnds = pipeline > 1 && (ends || left > 0);
}

/// The tensor degree of experts that the flags name: "ETP=1", "ETP 1", "expert_tensor_parallel_size=1"; 0: none.
int expertTensorOf(const Row& row) {
    return row.numberAfter("expert_tensor_parallel_size").value_or(row.numberAfter("etp").value_or(0));
}

/// Where the flags name no tensor degree of experts, those of each are divided as all else is, or are whole if the
/// ranks that spread them could not lie otherwise.
void readExpertGroups(const Row& row, Layout& layout) {
    ParallelSpec& parallel = layout.parallel;
    parallel.expert = row.countOr("ep", 1);
    const int own = expertTensorOf(row), replicas = parallel.data * parallel.context;
    const bool whole = own == 0 && replicas % parallel.expert != 0 && replicas * parallel.tensor % parallel.expert == 0;
    parallel.expertTensor = whole ? 1 : own == parallel.tensor ? 0 : own;
}

/// How many ranks share, from "FSDP group 64" among the flags; 0: they do not say.
int fsdpGroupOf(const Row& row) {
    const std::vector<std::string> words = wordsOf(row.text("other_flags"));
    for (std::size_t i = 0; i + 2 < words.size(); ++i)
        if (words[i] == "fsdp" && words[i + 1] == "group") return std::atoi(words[i + 2].c_str());
    return 0;
}

void readKept(const Row& row, Layout& layout) {
    MemorySpec& memory = layout.memory;
    const RowRecompute again =
        recomputeOf(row.text("recompute"), layout.model, layout.parallel.pipeline * layout.schedule.chunks);
    memory.recompute = again.kind;
    memory.recomputeBlocks = again.blocks;
    memory.recomputeParts = again.parts;
    const bool all = row.says("full cpu offload") || row.says("param cpu offload");
    memory.offload = all                                 ? OffloadKind::Parameters
                     : row.says("optimizer cpu offload") ? OffloadKind::Optimizer
                                                         : OffloadKind::None;
    memory.reserve = 0;
}

/// Megabytes of a bucket of the distributed optimizer, which grows with the ranks so that their ring's steps do not
/// count: max(40 000 000, 1 000 000 · data) numbers (megatron/core/distributed/distributed_data_parallel.py).
double megatronBucket(const Layout& layout) {
    constexpr double least = 40, ofReplica = 1;  // million numbers
    const double numbers = std::max(least, ofReplica * replicaCount(layout.parallel));
    return numbers * static_cast<double>(numberFormats(layout.precision).gradientBytes());
}

Layout layoutOf(const Row& row, const std::string& stack) {
    Layout layout;
    layout.name = std::string(row.text("id"));
    const DevicePreset& device = deviceOf(row.text("device"));
    layout.cluster.pace = PaceSpec{device.name, 1, stack};
    const int gpus = row.count("gpus");
    constexpr int usualHost = 8;
    const int onHost = std::min(gpus, device.domain > 0 ? device.domain : row.countOr("gpus_per_node", usualHost));
    layout.cluster.pace->network = networkOf(row.text("inter_link"), onHost);
    layout.cluster.pace->nodeLink = nodeLinkOf(row.text("intra_link"), device.inNode.bandwidth / 1e9);
    layout.cluster.hosts.clear();
    for (int left = gpus, host = 1; left > 0; left -= onHost, ++host)
        layout.cluster.hosts.push_back({fmt::format("node{}", host), std::min(left, onHost)});
    readModel(row, layout);
    readPrecision(row, layout);
    ParallelSpec& parallel = layout.parallel;
    parallel.tensor = row.countOr("tp", 1);
    parallel.pipeline = row.countOr("pp", 1);
    parallel.context = row.countOr("cp", 1);
    if (row.says("cp a2a") || row.says("cp_comm_type=a2a") || row.says("ulysses"))
        parallel.contextKind = ContextKind::Ulysses;
    const int others = parallel.tensor * parallel.pipeline * parallel.context;
    if (gpus % others != 0) throw Refusal{fmt::format("its groups of {} do not divide {} devices", others, gpus)};
    parallel.data = gpus / others;
    if (hasExperts(layout.model)) readExpertGroups(row, layout);
    RowSharding sharding = shardingOf(row.text("zero"));
    if (sharding.ranks == 0 && !sharding.withinHosts) sharding.ranks = fsdpGroupOf(row);
    const bool alone = parallel.data * parallel.context == 1;
    // FSDP shards all unless told otherwise, over the ranks of a context group too.
    const bool fully = row.text("zero").empty() && row.says("fsdp");
    parallel.zero = alone ? 0 : fully ? 3 : sharding.zero;
    if (sharding.withinHosts && !alone)
        parallel.shard = std::min(parallel.data, onHost / (parallel.tensor * parallel.context));
    if (const int ranks = sharding.ranks; ranks > 0 && !alone) {
        if (ranks % parallel.context != 0)
            throw Refusal{fmt::format("{} ranks that share are no multiple of its context groups", ranks)};
        parallel.shard = ranks / parallel.context == parallel.data ? 0 : ranks / parallel.context;
    }
    const bool splitsByDefault = stack.starts_with("megatron-core") || stack.starts_with("torchtitan");
    parallel.sequence = parallel.tensor > 1 && row.yes("sequence_parallel").value_or(splitsByDefault);
    const bool overlaps = stack != "megatron-2021" && stack != "megatron-2022" &&
                          !stack.starts_with("megatron-deepspeed") && stack != "megatron-core-serial";
    // Megatron's distributed optimizer scatters gradients once a step, whatever stage of ZeRO its users call that.
    if (parallel.zero == 2 && (stack.starts_with("megatron-core") || stack == "megatron-2022")) parallel.zero = 1;
    if (!overlaps && parallel.zero < 2) parallel.bucket = 0;
    else if (stack.starts_with("megatron-core")) parallel.bucket = megatronBucket(layout);
    readSchedule(row, layout);
    readKept(row, layout);
    layout.batch.micro = row.count("micro_batch");
    layout.batch.global = row.count("global_batch");
    // Megatron's default, which published runs with materialised attention have.
    if (modelledStack(layout)->attention == AttentionKernel::Materialised) layout.model.dropout = 0.1;
    layout.optimizer.clip = 1;
    return layout;
}

/// ZeRO 3, or FSDP that gathers weights once for both passes (SHARD_GRAD_OP); a row whose sharding is not known is
/// refused later.
bool sharesWeights(const Row& row) {
    try {
        const int zero = shardingOf(row.text("zero")).zero;
        return zero == 3 || (zero == 2 && row.says("fsdp"));
    } catch (const Refusal&) {
        return false;
    }
}

}  // namespace

std::string stackOfRow(const CsvTable& table, std::size_t index) {
    const Row row(table, index);
    const std::string flags = lower(row.text("other_flags"));
    const std::string date(row.text("date"));
    const bool sharded = sharesWeights(row);
    if (flags.find("yafsdp") != std::string::npos && flags.find("pytorch fsdp") == std::string::npos) return "yafsdp";
    if (row.says("fsdp2") || row.says("torchtitan") || row.says("torch.compile")) {
        if (!row.says("torch.compile")) return "torchtitan";
        return row.says("torchtitan") && date >= "2025-06" ? "torchtitan-compile-loss" : "torchtitan-compile";
    }
    if (row.says("nanotron")) return "nanotron";
    if (row.says("internevo")) return "internevo";
    if (row.says("deepspeed")) {
        // The scripts of BLOOM's training let launches block, without which its runs hung.
        const bool blocks =
            row.says("launch_blocking") || row.text("source_ref").find("tr11-176B-ml") != std::string::npos;
        return blocks ? "megatron-deepspeed-blocking" : "megatron-deepspeed";
    }
    if (sharded && row.says("triton")) return "fsdp";
    if (sharded && !row.says("te)")) return "fsdp-eager";
    const bool materialised = row.says("standard");
    if (!materialised && (row.says("overlap disabled"))) return "megatron-core-serial";
    if (!materialised && row.says("cuda_graph_impl=full_iteration")) return "megatron-core-graphs";
    if (!materialised && row.says("moe_a2a_overlap=true")) return "megatron-core-overlap";
    if (!materialised && date >= "2023-06") return "megatron-core";
    if (row.text("sequence_parallel").starts_with("yes") || date >= "2022-05") return "megatron-2022";
    return "megatron-2021";
}

PublishedRun publishedRun(const CsvTable& table, std::size_t index) {
    const Row row(table, index);
    PublishedRun run;
    run.id = row.text("id");
    run.source = row.text("source");
    run.device = row.text("device");
    run.quality = row.text("quality").empty() ? 'C' : row.text("quality").front();
    run.missing = row.text("missing");
    run.seconds = row.number("derived_step_seconds");
    if (!run.seconds) run.seconds = row.number("step_seconds");
    run.gib = row.number("memory_gib");
    run.memoryDefinition = row.text("memory_definition");
    try {
        run.layout = layoutOf(row, stackOfRow(table, index));
        const std::vector<Fault> faults = check(run.layout, scheduleMethods());
        if (!faults.empty()) run.refused = toText(faults.front());
    } catch (const Refusal& refusal) {
        run.refused = refusal.why;
    }
    return run;
}

}  // namespace shardlab::predict
