// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/stacks.h"

#include "engine/base/file.h"
#include "engine/base/resources.h"
#include "engine/layout/figure_fields.h"
#include "engine/layout/json_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace shardlab::layout {
namespace {

constexpr FigureKind architectureKind{"architecture", "resources/architectures/hopper.json"};
constexpr FigureKind stackKind{"software stack", "resources/stacks/megatron-core.json"};
constexpr std::array<const char*, attentionKernels> kernelNames{"materialised", "flash-1", "flash-2", "fused"};
constexpr double longestSeconds = 1;

AttentionKernel kernelOf(const std::string& name, std::optional<Error>& error, const std::string& file) {
    const auto found = std::ranges::find(kernelNames, std::string_view(name));
    if (found == kernelNames.end() && !error)
        error = Error{say("cannot use the software stack"), file, say("/attention: there is no kernel \"{}\"", name),
                      say("Legal: {}", fmt::join(kernelNames, ", "))};
    return static_cast<AttentionKernel>(found == kernelNames.end() ? 0 : found - kernelNames.begin());
}

int tileSide(FigureFields& fields, const char* key) {
    return static_cast<int>(fields.number(key, 0, 1024, "rows or columns, from 1 to 1024"));
}

Result<Architecture> architectureOf(std::string_view name, const nlohmann::json& root, const std::string& file) {
    FigureFields fields(root, architectureKind, file);
    Architecture it;
    it.name = name;
    it.title = fields.text("title");
    it.tileRows = tileSide(fields, "tile_rows");
    it.tileColumns = tileSide(fields, "tile_columns");
    it.tileOverhead = fields.positive("tile_overhead", "an inner width, more than 0");
    const auto relative = [&](const char* key) { return fields.positiveOr(key, "a factor, more than 0", 1); };
    it.fp8Share = relative("fp8_share");
    it.blockShare = relative("block_scale_share");
    it.rowShare = relative("row_scale_share");
    it.fp4Share = relative("fp4_share");
    it.memoryShare = fields.share("memory_share");
    it.inNodeShare = fields.share("in_node_share");
    it.betweenNodesShare = fields.share("between_nodes_share");
    it.inNodeLatency = fields.number("in_node_latency_seconds", 0, longestSeconds, "seconds, more than 0");
    it.betweenNodesLatency = fields.number("between_nodes_latency_seconds", 0, longestSeconds, "seconds, more than 0");
    FigureFields attention = fields.inside("attention");
    for (std::size_t kernel = 0; kernel < attentionKernels; ++kernel)
        if (attention.has(kernelNames[kernel])) it.attention[kernel] = attention.share(kernelNames[kernel]);
    it.attentionBackward = attention.share("backward");
    fields.close(attention);
    it.source = fields.text("source");
    fields.close();
    if (fields.error()) return fail(*fields.error());
    return it;
}

Result<SoftwareStack> stackOf(std::string_view name, const nlohmann::json& root, const std::string& file) {
    FigureFields fields(root, stackKind, file);
    constexpr auto factor = "a factor, from 1 to 10";
    SoftwareStack it;
    it.name = name;
    it.title = fields.text("title");
    std::optional<Error> unknown;
    it.attention = kernelOf(fields.text("attention"), unknown, file);
    it.passes = fields.number("passes", 0, 10, "a share of the passes of a stack that fuses nothing, more than 0");
    it.kernelSeconds = fields.number("kernel_seconds", 0, longestSeconds, "seconds, more than 0");
    it.logitBytes = fields.number("logit_bytes", 0, 100, "bytes for each logit, more than 0");
    it.logitMemory = fields.number("logit_memory_bytes", 0, 100, "bytes for each logit, more than 0");
    it.splitLogitMemory = fields.number("split_logit_memory_bytes", 0, 100, "bytes for each logit, more than 0");
    it.cachedBytes = fields.number("cached_bytes", -1e-300, 100, "bytes for each parameter, from 0 to 100");
    it.updateBytes = fields.number("update_bytes", -1e-300, 100, "bytes for each parameter, from 0 to 100");
    it.bucketElements = fields.number("bucket_elements", -1e-300, 1e12, "numbers, from 0 to 1e12");
    it.fragmentation = fields.number("fragmentation", -1e-300, 1, "a share, from 0 to 1");
    it.contextBytes = fields.number("context_bytes", -1e-300, 1e11, "bytes, from 0 to 1e11");
    it.overhead = fields.number("overhead", 0.999, 10, factor);
    it.tensorHidden = fields.number("tensor_hidden", -1e-300, 1, "a share, from 0 to 1");
    it.gatherShare = fields.share("gather_share");
    it.ownerShare = fields.numberOr("owner_share", 0, 1, "a share, more than 0 and at most 1", 1);
    it.besideGathers = fields.number("beside_gathers", 0.999, 10, factor);
    it.blockingSends = fields.flag("blocking_sends");
    it.exchangeHidden = fields.number("exchange_hidden", -1e-300, 1, "a share, from 0 to 1");
    it.routingKernels = fields.number("routing_kernels", -1e-300, 1e4, "kernels of a layer, from 0 to 10000");
    it.expertKernels = fields.number("expert_kernels", -1e-300, 1e4, "kernels of an expert, from 0 to 10000");
    it.mergesRows = fields.flag("merges_rows");
    it.splitsMessages = fields.flag("splits_messages");
    it.keepsGradients = fields.flag("keeps_gradients");
    it.keepsStandIns = fields.flag("keeps_stand_ins");
    it.keepsRounded = fields.flag("keeps_rounded");
    it.gathersRounded = fields.flag("gathers_rounded");
    it.keepsGathered = fields.flag("keeps_gathered");
    it.keepsUnread = fields.flag("keeps_unread");
    it.splitsProducts = fields.flag("splits_products");
    it.eager = fields.flag("eager");
    it.copiesShards = fields.flag("copies_shards");
    it.zero = static_cast<int>(fields.numberOr("zero", -1e-300, 3, "a stage of ZeRO, from 0 to 3", 0));
    it.source = fields.text("source");
    it.schedules = fields.texts("schedules");
    fields.close();
    if (fields.error()) return fail(*fields.error());
    if (unknown) return fail(*unknown);
    return it;
}

template <class Figures>
Status readInto(std::vector<Figures>& all, const std::filesystem::path& folder, FigureKind kind,
                Result<Figures> (*make)(std::string_view, const nlohmann::json&, const std::string&)) {
    for (const std::filesystem::path& file : jsonFiles(folder)) {
        const Result<std::string> text = readFile(file, largestJson);
        if (!text) return fail(text.error());
        const Result<nlohmann::json> root = parseFigures(*text, kind, file.string());
        if (!root) return fail(root.error());
        Result<Figures> made = make(file.stem().string(), *root, file.string());
        if (!made) return fail(made.error());
        all.push_back(std::move(*made));
    }
    if (!all.empty()) return {};
    return fail({say("no {}s found", kind.name), folder.string(), say("the folder has no file that is one"),
                 say("{} is an example", kind.example)});
}

StackList& usedStacks() {
    // Resources are part of the program: without them the installation is broken, which no caller can mend.
    static StackList list = [] {
        Result<StackList> read = readStacks(resourcesFolder());
        if (!read) throw std::runtime_error(read.error().text());
        return std::move(*read);
    }();
    return list;
}

template <class Figures>
const Figures* named(const std::vector<Figures>& all, std::string_view name) {
    const auto found = std::ranges::find(all, name, &Figures::name);
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

Result<Architecture> parseArchitecture(std::string_view name, std::string_view json) {
    const Result<nlohmann::json> root = parseFigures(json, architectureKind, std::string(name));
    return root ? architectureOf(name, *root, std::string(name)) : fail(root.error());
}

Result<SoftwareStack> parseStack(std::string_view name, std::string_view json) {
    const Result<nlohmann::json> root = parseFigures(json, stackKind, std::string(name));
    return root ? stackOf(name, *root, std::string(name)) : fail(root.error());
}

Result<StackList> readStacks(const std::filesystem::path& folder) {
    StackList list;
    if (const Status read = readInto(list.stacks, folder / "stacks", stackKind, stackOf); !read)
        return fail(read.error());
    if (const Status read = readInto(list.architectures, folder / "architectures", architectureKind, architectureOf);
        !read)
        return fail(read.error());
    return list;
}

const StackList& stackList() { return usedStacks(); }
bool hasAttention(const Architecture& architecture, const SoftwareStack& stack) {
    return architecture.attention[std::size_t(stack.attention)] > 0;
}

std::string_view wordOf(AttentionKernel kernel) { return kernelNames[std::size_t(kernel)]; }

const SoftwareStack* findStack(std::string_view name) { return named(usedStacks().stacks, name); }
const SoftwareStack* modelledStack(const Layout& layout) {
    return layout.cluster.pace ? findStack(layout.cluster.pace->stack) : nullptr;
}
bool hasSchedule(const Layout& layout, std::string_view schedule) {
    const SoftwareStack* stack = modelledStack(layout);
    return stack == nullptr || layout.parallel.pipeline == 1 ||
           std::ranges::find(stack->schedules, schedule) != stack->schedules.end();
}
const Architecture* findArchitecture(std::string_view name) { return named(usedStacks().architectures, name); }
void useStacks(StackList list) { usedStacks() = std::move(list); }

}  // namespace shardlab::layout
