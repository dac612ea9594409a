// SPDX-License-Identifier: Apache-2.0
#include "engine/base/file.h"
#include "engine/base/parse_text.h"
#include "engine/base/visible_text.h"
#include "engine/layout/schedule/custom.h"
#include "engine/layout/schedule/text.h"
#include "engine/trace/trainers/torchtitan.h"
#include "engine/trace/trainers/toml_depth.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>
#include <iterator>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <set>
#include <toml++/toml.h>

namespace shardlab::trace {
namespace {

std::optional<toml::table> parsedToml(std::string_view text) {
    if (nestsTooDeep(text)) return std::nullopt;
    try {
        return toml::parse(text);
    } catch (const toml::parse_error&) {
        return std::nullopt;
    }
}

struct TitanKey {
    std::string_view now, before;
};
/// What keys of 0.2 were called before: in 0.1, and until 2024, when degrees stood among the training's settings.
constexpr TitanKey titanKeysBefore[] = {
    {"training.local_batch_size", "training.batch_size"},
    {"lr_scheduler.warmup_steps", "training.warmup_steps"},
    {"lr_scheduler.min_lr_factor", "lr_scheduler.lr_min"},
    {"checkpoint.enable", "checkpoint.enable_checkpoint"},
    {"parallelism.data_parallel_replicate_degree", "training.data_parallel_replicate_degree"},
    {"parallelism.data_parallel_shard_degree", "training.data_parallel_shard_degree"},
    {"parallelism.data_parallel_shard_degree", "training.data_parallel_degree"},
    {"parallelism.tensor_parallel_degree", "training.tensor_parallel_degree"},
    {"parallelism.context_parallel_degree", "experimental.context_parallel_degree"},
    {"parallelism.pipeline_parallel_degree", "experimental.pipeline_parallel_degree"},
    {"parallelism.pipeline_parallel_schedule", "experimental.pipeline_parallel_schedule"},
    {"parallelism.pipeline_parallel_schedule_csv", "experimental.pipeline_parallel_schedule_csv"},
    {"parallelism.pipeline_parallel_split_points", "experimental.pipeline_parallel_split_points"},
    {"quantize.linear.float8.recipe_name", "float8.recipe_name"},
    {"quantize.linear.float8.enable_fsdp_float8_all_gather", "float8.enable_fsdp_float8_all_gather"},
    {"quantize.linear.float8.precompute_float8_dynamic_scale_for_fsdp",
     "float8.precompute_float8_dynamic_scale_for_fsdp"},
    {"quantize.linear.mx.recipe_name", "mx.recipe_name"},
};

/// The keys of a file as 0.2 calls them, "parallelism.tensor_parallel_degree", and which of them were asked for.
class TomlKeys {
public:
    explicit TomlKeys(const toml::table& root) : root_(root) {}

    toml::node_view<const toml::node> at(const std::string& path) {
        asked_.insert(path);
        if (const auto here = root_.at_path(path)) return here;
        for (const TitanKey& key : titanKeysBefore) {
            if (key.now != path) continue;
            asked_.emplace(key.before);
            if (const auto there = root_.at_path(key.before)) return there;
        }
        return {};
    }
    std::string text(const std::string& path, std::string_view otherwise = {}) {
        return std::string(at(path).value_or(otherwise));
    }
    bool flag(const std::string& path, bool otherwise) { return at(path).value_or(otherwise); }
    double number(const std::string& path, double otherwise) { return at(path).value_or(otherwise); }
    int integer(const std::string& path, int otherwise) {
        const auto value = at(path).value<std::int64_t>();
        const bool fits = value && *value >= 0 && *value <= std::numeric_limits<int>::max();
        return fits ? static_cast<int>(*value) : otherwise;
    }
    /// A sentence for each key that nobody asked for.
    std::vector<Sentence> leftOver() const {
        std::vector<Sentence> lines;
        collect(root_, "", lines);
        return lines;
    }

private:
    void collect(const toml::table& table, const std::string& prefix, std::vector<Sentence>& lines) const {
        for (const auto& [key, node] : table) {
            const std::string path = prefix + std::string(key.str());
            if (asked_.contains(path)) continue;
            if (const toml::table* inner = node.as_table(); inner != nullptr) collect(*inner, path + ".", lines);
            else lines.push_back(say("{} is left out", shortened(path)));
        }
    }

    const toml::table& root_;
    std::set<std::string> asked_;
};

class TitanReader {
public:
    TitanReader(const toml::table& root, const std::filesystem::path& file) : keys_(root), file_(file) {}

    ConfigLayout all(std::string_view text) {
        layout_.name = keys_.text("job.description", file_.filename().replace_extension().string());
        model();
        parallel(text);
        training();
        pipeline();
        recompute();
        precision();
        rest();
        if (Sentence modelled = modelTimes(layout_, stack()); !modelled.empty()) note(std::move(modelled));
        for (const char* known : {"job.dump_folder", "training.dataset", "parallelism.context_parallel_rotate_method",
                                  "experimental.custom_import", "parallelism.pipeline_parallel_schedule_csv",
                                  "training.mixed_precision_reduce"})
            keys_.at(known);
        for (Sentence& line : keys_.leftOver()) notes_.push_back(std::move(line));
        return {std::move(layout_), std::move(notes_)};
    }

private:
    void note(Sentence text) { notes_.push_back(std::move(text)); }

    /// Since 0.2 the loss is compiled too, unless a list says otherwise; until 0.1 a switch of the training's.
    std::string_view stack() {
        const bool before = keys_.flag("training.compile", false);
        if (!keys_.flag("compile.enable", false)) return before ? "torchtitan-compile" : "torchtitan";
        const toml::array* parts = keys_.at("compile.components").as_array();
        const bool loss = parts == nullptr || std::ranges::any_of(*parts, [](const toml::node& part) {
                              return part.value_or(std::string_view()) == "loss";
                          });
        return loss ? "torchtitan-compile-loss" : "torchtitan-compile";
    }

    void model() {
        const std::string family = keys_.text("model.name", "llama3"),
                          flavor = keys_.text("model.flavor", "debugmodel");
        const int sequence = keys_.integer("training.seq_len", 2048);
        const std::optional<TitanFamily> known = titanFamilyNamed(family);
        std::optional<TitanModel> found = known ? titanFlavor(*known, flavor, sequence) : std::nullopt;
        const std::string module = keys_.text("experimental.custom_import");
        if (known && !found && !module.empty() && module.find('/') == std::string::npos) {
            const auto text = readFile(file_.parent_path() / (module + ".py"), 1 << 20);
            if (text) found = readTitanFlavor(*known, *text, sequence);
        }
        if (found) {
            layout_.model = std::move(found->model);
            for (Sentence& line : found->notes) note(say("the flavor {}: {}", shortened(flavor), std::move(line)));
        } else {
            layout_.model.kind = knownLlama;
            note(say("the flavor {} of {} is none whose sizes are known: the model is Shardlab's default llama",
                     shortened(flavor), shortened(family)));
        }
        layout_.model.sequence = sequence;
    }

    /// "--nnodes 2" of the comment on how it is started; torchtitan's own files do not say it.
    static std::optional<int> started(std::string_view text, std::string_view option) {
        const std::string key = fmt::format("{} ", option);
        while (text.starts_with('#')) {
            const std::string_view comment = takePart(text, '\n');
            if (const std::size_t at = comment.find(key); at != std::string_view::npos) {
                std::string_view rest = comment.substr(at + key.size());
                const auto value = parseNumber<std::int64_t>(rest.substr(0, rest.find_first_not_of("0123456789")));
                if (value && *value >= 0 && *value <= 65535) return static_cast<int>(*value);
            }
        }
        return std::nullopt;
    }

    void parallel(std::string_view text) {
        ParallelSpec& p = layout_.parallel;
        const auto degree = [&](const char* key) {
            return std::clamp(keys_.integer(std::string("parallelism.") + key, 1), 0, 1 << 16);
        };
        p.tensor = degree("tensor_parallel_degree");
        p.pipeline = degree("pipeline_parallel_degree");
        p.context = degree("context_parallel_degree");
        p.sequence = p.tensor > 1;
        const int replicas = degree("data_parallel_replicate_degree");
        const auto each = started(text, "--nproc-per-node");
        const int nodes = std::max(1, started(text, "--nnodes").value_or(1));
        const std::int64_t inner = std::max<std::int64_t>(1, std::int64_t{p.tensor} * p.pipeline * p.context);
        const auto given = keys_.at("parallelism.data_parallel_shard_degree").value<std::int64_t>().value_or(-1);
        std::int64_t shards = std::clamp<std::int64_t>(given, -1, 1 << 16);
        if (shards < 0) {
            const std::int64_t others = inner * std::max(1, replicas);
            const std::int64_t passes = keys_.integer("training.global_batch_size", 0) /
                                        std::max(1, keys_.integer("training.local_batch_size", 8)) /
                                        std::max(1, replicas);
            shards = each ? std::int64_t{*each} * nodes / others : std::gcd(unsaidReplicas(others), passes);
            if (!each)
                note(say("the file does not say on how many devices: parallelism.data_parallel_shard_degree is {}",
                         shards));
        }
        p.data = static_cast<int>(std::clamp<std::int64_t>(replicas * shards, 1, 1 << 16));
        if (shards * p.context > 1 && replicas > 1) p.shard = static_cast<int>(shards);
        const std::string reshards = keys_.text("parallelism.fsdp_reshard_after_forward", "default");
        // By default weights are kept between forward and backward where a pipeline would gather them for each
        // microbatch.
        const bool keeps = reshards == "never" || (reshards == "default" && p.pipeline > 1);
        p.zero = shards > 1 || p.context > 1 ? (keeps ? 2 : 3) : 0;
        const std::int64_t ranks = std::min<std::int64_t>(inner * p.data, 1 << 20);
        const bool fits = each && std::int64_t{*each} * nodes == ranks;
        layout_.cluster.hosts = evenHosts(fits ? nodes : 1, static_cast<int>(fits ? *each : ranks));
        layout_.run.maxRestarts = started(text, "--max-restarts").value_or(0);
        p.expert = degree("expert_parallel_degree");
        p.expertTensor = degree("expert_tensor_parallel_degree");
        if (!hasExperts(layout_.model) && p.expert > 1)
            note(say("{}: the layout's model has no experts", "parallelism.expert_parallel_degree"));
        if (!hasExperts(layout_.model)) p.expert = 1;
        if (p.expert < 2 || p.expertTensor == p.tensor) p.expertTensor = 0;
    }

    void training() {
        BatchSpec& b = layout_.batch;
        const int local = keys_.integer("training.local_batch_size", 8);
        const bool pipeline = layout_.parallel.pipeline > 1;
        b.micro = pipeline ? microbatch(local) : local;
        const auto global = keys_.at("training.global_batch_size").value<std::int64_t>().value_or(-1);
        const std::int64_t once = std::int64_t{local} * layout_.parallel.data;
        b.global = static_cast<int>(std::clamp<std::int64_t>(global > 0 ? global : once, 0, 1 << 30));
        if (pipeline && global > 0 && global != once)
            note(say(
                "gradients of {} local batches accumulate: the layout puts all of them into one pass of the pipeline",
                once > 0 ? global / once : 0));
        layout_.run.steps = keys_.integer("training.steps", 10000);
        const bool offloads = keys_.flag("training.enable_cpu_offload", false);
        if (offloads && layout_.parallel.zero == 3) layout_.memory.offload = OffloadKind::Parameters;
        else if (offloads)
            note(say("training.enable_cpu_offload: the layout's parameters lie on the host with ZeRO 3 alone, and stay "
                     "on the device"));
        const double norm = keys_.number("training.max_norm", 1.0);
        layout_.optimizer.clip = std::isinf(norm) ? 0 : norm;
        const auto seed = keys_.at("debug.seed").value<std::int64_t>();
        if (const auto before = keys_.at("training.seed").value<std::int64_t>(); seed || before)
            layout_.run.seed = seed ? *seed : *before;
    }

    /// Until 0.1 a file told how many microbatches there are, as many as stages where it told nothing.
    int microbatch(int local) {
        constexpr const char *count = "experimental.pipeline_parallel_microbatches",
                             *degree = "experimental.pipeline_parallel_degree";
        if (!keys_.at(count) && !keys_.at(degree))
            return keys_.integer("parallelism.pipeline_parallel_microbatch_size", 1);
        const toml::array* points = keys_.at("parallelism.pipeline_parallel_split_points").as_array();
        const int stages = points != nullptr ? static_cast<int>(points->size()) + 1 : layout_.parallel.pipeline;
        const int microbatches = std::max(1, keys_.integer(count, stages));
        if (local % microbatches != 0)
            note(say("a local batch of {} is no multiple of {} microbatches: the layout's hold one sample each", local,
                     microbatches));
        return local % microbatches == 0 ? local / microbatches : 1;
    }

    void pipeline() {
        ScheduleSpec& s = layout_.schedule;
        const int p = layout_.parallel.pipeline;
        const std::string named = keys_.text("parallelism.pipeline_parallel_schedule", "1F1B");
        const toml::array* parts = keys_.at("parallelism.module_fqns_per_model_part").as_array();
        const toml::array* points = keys_.at("parallelism.pipeline_parallel_split_points").as_array();
        if (p < 2) return;
        if (parts != nullptr) split(*parts);
        else if (points != nullptr && !points->empty()) splitAt(*points);
        else byWeights(named);
        if (s.chunks * std::int64_t{p} != static_cast<std::int64_t>(s.stages.size()))
            s.chunks = std::max<int>(1, static_cast<int>(s.stages.size()) / p);
        const auto known = std::ranges::find_if(
            titanSchedules, [&](const TitanSchedule& each) { return plain(each.theirs) == plain(named); });
        if (known != std::end(titanSchedules)) s.kind = known->ours;
        else
            note(say("the schedule {}: the layout's is {}", shortened(named),
                     s.chunks > 1 ? "interleaved-1f1b" : "1f1b"));
        if (known == std::end(titanSchedules) && s.chunks > 1) s.kind = "interleaved-1f1b";
        const std::string csv = keys_.text("parallelism.pipeline_parallel_schedule_csv");
        if (!csv.empty()) order(file_.parent_path() / csv);
        evenly();
    }

    void order(const std::filesystem::path& csv) {
        const auto text = readFile(csv, 1 << 26);
        auto imported = text ? importCsv(*text) : Result<ImportedSchedule>(fail(text.error()));
        if (!imported) return note(say("the schedule of {}: {}", csv.string(), imported.error().told()));
        for (const Sentence& line : imported->notes) note(line);
        layout_ = withOwnSchedule(std::move(layout_), imported->compute);
    }

    /// "interleaved_1f1b", as schedules were called until 0.1, is "Interleaved1F1B".
    static std::string plain(std::string_view name) {
        std::string word;
        for (const char c : name)
            if (c != '_') word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return word;
    }

    /// Until 0.1 a file named the modules that the second stage and those after it begin with: "layers.8".
    void splitAt(const toml::array& points) {
        constexpr std::string_view prefix = "layers.";
        std::vector<int> stages;
        int before = 0;
        for (const toml::node& point : points) {
            const std::string_view name = point.value_or(std::string_view());
            const auto first =
                parseNumber<int>(name.starts_with(prefix) ? name.substr(prefix.size()) : std::string_view());
            if (!first || *first < before || *first > layout_.model.layers || stages.size() >= 65536)
                return note(
                    say("the split point {}: the layout splits its layers evenly", shortened(std::string(name))));
            stages.push_back(*first - before);
            before = *first;
        }
        stages.push_back(layout_.model.layers - before);
        layout_.schedule.stages = std::move(stages);
    }

    void split(const toml::array& parts) {
        std::vector<int>& stages = layout_.schedule.stages;
        for (const toml::node& part : parts) {
            if (stages.size() >= 65536) return;
            int layers = 0;
            if (const toml::array* names = part.as_array(); names != nullptr)
                for (const toml::node& name : *names)
                    layers += name.value_or(std::string_view()).starts_with("layers.");
            stages.push_back(layers);
        }
    }

    /// As torchtitan splits layers where no list says it: embedding and output weigh as much as a layer or more each.
    void byWeights(const std::string& named) {
        const int p = layout_.parallel.pipeline;
        const std::int64_t input = keys_.integer("parallelism.pipeline_parallel_first_stage_less_layers", 1),
                           output = keys_.integer("parallelism.pipeline_parallel_last_stage_less_layers", 1);
        const std::int64_t weight = layout_.model.layers + input + output;
        const int each = keys_.integer("parallelism.pipeline_parallel_layers_per_stage", 0);
        const bool single = plain(named) == "1f1b" || plain(named) == "gpipe";
        const std::int64_t stages = each > 0 ? (weight + each - 1) / each : std::int64_t{p} * (single ? 1 : 2);
        if (stages < 2 || stages > 65536 || stages > weight) return;
        for (std::int64_t stage = 0; stage < stages; ++stage) {
            std::int64_t layers = weight / stages + (stage < weight % stages ? 1 : 0);
            if (stage == 0) layers -= input;
            if (stage + 1 == stages) layers -= output;
            layout_.schedule.stages.push_back(static_cast<int>(std::clamp<std::int64_t>(layers, 0, 1 << 20)));
        }
    }

    /// An even split needs no list.
    void evenly() {
        Layout even = layout_;
        even.schedule.stages.clear();
        if (stageLayers(even) == layout_.schedule.stages) layout_ = std::move(even);
    }

    void precision() {
        PrecisionSpec& p = layout_.precision;
        const std::string parameters = keys_.text("training.mixed_precision_param", "bfloat16");
        const std::string stored = keys_.text("training.dtype", "float32");
        if (stored != "float32") note(say("training.dtype {}: the layout keeps weights in fp32", shortened(stored)));
        if (parameters == "bfloat16") {
            p.compute = NumberFormat::Bf16;
            if (hasExperts(layout_.model) && titanFamily(layout_.model) == TitanFamily::GptOss)
                p.weights = WeightStorage::Alone;  // the family keeps its blocks in bf16
            else if (titanShards(layout_)) p.gradients = GradientFormat::Fp32;
            else p.weights = WeightStorage::Fp32;
        }
        products();
    }

    /// A list, or as 0.1 has it words with commas; until 2024 a switch.
    std::vector<std::string> converters() {
        const auto given = keys_.at("model.converters");
        std::vector<std::string> names;
        if (const toml::array* list = given.as_array(); list != nullptr)
            for (const toml::node& each : *list) names.emplace_back(each.value_or(std::string_view()));
        for (std::string_view words = given.value_or(std::string_view()); !words.empty();)
            names.emplace_back(trimmed(takePart(words, ',')));
        for (const char* before : {"float8.enable_float8_linear", "training.enable_fp8_linear"})
            if (keys_.flag(before, false)) names.emplace_back("float8");
        return names;
    }

    void products() {
        for (const std::string& name : converters()) {
            const bool fp8 = name.find("float8") != std::string::npos, mx = name.find("mx") != std::string::npos;
            if ((!fp8 && !mx) || layout_.precision.compute == NumberFormat::Fp32) {
                note(say("the converter {} is left out", shortened(name)));
                continue;
            }
            const TitanProducts* products =
                std::ranges::find(titanProducts, fp8 ? ProductFormat::Fp8 : ProductFormat::MxFp8, &TitanProducts::ours);
            for (const char* key : titanGatherCodes) keys_.flag(std::string(products->section) + "." + key, false);
            const std::string recipe = keys_.text(std::string(products->section) + ".recipe_name");
            const auto* const named = std::ranges::find(titanProducts, recipe, &TitanProducts::recipe);
            if (named != std::end(titanProducts) && named->section == products->section) products = named;
            else if (fp8 && !recipe.empty())
                note(say("the recipe {}: the layout has a scale for each tensor", shortened(recipe)));
            layout_.precision.products = products->ours;
        }
    }

    void rest() {
        OptimizerSpec& o = layout_.optimizer;
        const std::string kind = keys_.text("optimizer.name", "AdamW");
        if (kind != "AdamW") note(say("the optimizer {}: the layout's is adamw", shortened(kind)));
        o.learningRate = keys_.number("optimizer.lr", 8e-4);
        o.adamw = {{keys_.number("optimizer.beta1", 0.9), keys_.number("optimizer.beta2", 0.95)},
                   keys_.number("optimizer.eps", 1e-8)};
        o.weightDecay = keys_.number("optimizer.weight_decay", 0.1);
        o.warmup = keys_.integer("lr_scheduler.warmup_steps", 200);
        const auto ratio = keys_.at("lr_scheduler.decay_ratio").value<double>();
        const std::string decay = keys_.text("lr_scheduler.decay_type", "linear");
        const double factor = keys_.number("lr_scheduler.min_lr_factor", 0);
        if (!ratio || *ratio > 0) {
            o.schedule = decay == "cosine" ? RateSchedule::Cosine : RateSchedule::Linear;
            o.minimum = rounded(factor * o.learningRate);
            if (decay != "cosine" && decay != "linear")
                note(say("the decay {}: the layout's is linear", shortened(decay)));
            if (ratio && *ratio < 1)
                note(say("lr_scheduler.decay_ratio: the layout's learning rate falls from the warm-up on"));
        }
        CheckpointSpec& c = layout_.checkpoint;
        if (!keys_.flag("checkpoint.enable", false)) return;
        c.every = keys_.integer("checkpoint.interval", 500);
        c.keep = keys_.integer("checkpoint.keep_latest_k", 10);
        if (c.keep == 0) c.keep = 1'000'000;  // torchtitan's word for all of them
        c.first = keys_.flag("checkpoint.enable_first_step_checkpoint", false);
        c.path = keys_.text("checkpoint.folder", "checkpoint");
    }

    /// A layout counts the blocks of each stage that are computed again, the lowest ones.
    void recompute() {
        const std::string mode = keys_.text("activation_checkpoint.mode", "selective");
        const std::string option = keys_.text("activation_checkpoint.selective_ac_option", "2");
        MemorySpec& memory = layout_.memory;
        if (mode == "none") return;
        if (mode == "full") {
            memory.recompute = RecomputeKind::Full;
            return;
        }
        if (mode == "selective" && option == "op") {
            memory.recompute = RecomputeKind::Operations;
            return;
        }
        int every = 0;
        const auto [end, error] = std::from_chars(option.data(), option.data() + option.size(), every);
        if (mode != "selective" || error != std::errc{} || end != option.data() + option.size() || every < 0)
            return note(say("activation_checkpoint {} {}: the layout computes nothing again", shortened(mode),
                            shortened(mode == "selective" ? option : "")));
        const std::vector<int> stages = stageLayers(layout_);
        const int fewest = *std::ranges::min_element(stages);
        if (every > fewest)
            return note(say("activation_checkpoint.selective_ac_option {}: a stage of the layout has {} blocks, "
                            "and it computes nothing again",
                            every, fewest));
        memory.recompute = RecomputeKind::Full;
        if (every < 2) return;
        memory.recomputeBlocks = fewest / every;
        if (!std::ranges::all_of(stages, [&](int blocks) { return blocks == fewest && blocks % every == 0; }))
            note(say("activation_checkpoint.selective_ac_option {}: the layout computes {} blocks of each stage "
                     "again",
                     every, memory.recomputeBlocks));
    }

    TomlKeys keys_;
    std::filesystem::path file_;
    Layout layout_;
    std::vector<Sentence> notes_;
};

}  // namespace

bool looksLikeTitan(std::string_view text) {
    if (text.find('[') == std::string_view::npos) return false;
    const std::optional<toml::table> root = parsedToml(text);
    return root &&
           ((*root)["parallelism"].is_table() || ((*root)["training"].is_table() && (*root)["model"].is_table()));
}

Result<ConfigLayout> readTitan(const std::filesystem::path& file, std::string_view text) {
    const std::optional<toml::table> root = parsedToml(text);
    if (!root)
        return fail(
            Error{say("cannot make a layout"), file.string(), say("it is no TOML"), say("a TOML of torchtitan")});
    return TitanReader(*root, file).all(text);
}

}  // namespace shardlab::trace
