// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/trainer_text.h"

#include "engine/layout/attention_shape.h"
#include "engine/layout/block_parts.h"
#include "engine/layout/formats.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/suggest.h"
#include "engine/layout/tensor_extents.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace shardlab::trace {

std::string numberText(double value) { return fmt::format("{}", value); }

std::string realText(double value) {
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    std::string text = numberText(value);
    if (text.find('.') != std::string::npos) return text;
    const std::size_t exponent = text.find('e');
    return exponent == std::string::npos ? text + ".0" : text.insert(exponent, ".0");
}

std::string inComment(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    return text;
}

std::string doubleQuoted(std::string_view text, char escape, int digits) {
    std::string quoted = "\"";
    for (const char c : text)
        if (c == '"' || c == '\\') quoted += {'\\', c};
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            quoted += fmt::format("\\{}{:0{}x}", escape, int(c), digits);
        else quoted += c;
    return quoted + '"';
}

std::string pythonString(std::string_view text) { return doubleQuoted(text, 'x', 2); }

std::string pythonName(std::string_view stem) {
    std::string name;
    for (const char c : stem) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name = "_" + name;
    return name;
}

std::optional<double> readNumber(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto value = parseNumber<double>(text);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

double rounded(double value) {
    const auto text = fmt::format("{:.14g}", value);
    return readNumber(text).value_or(value);
}

std::vector<HostSpec> evenHosts(int nodes, int devices) {
    if (nodes == 1) return {HostSpec{"localhost", devices}};
    std::vector<HostSpec> hosts;
    for (int node = 0; node < nodes; ++node) hosts.push_back({fmt::format("node{}", node), devices});
    return hosts;
}

void refuseField(std::vector<Fault>& faults, std::string_view program, std::string pointer, const Sentence& what,
                 const Sentence& why, const Instead& instead) {
    faults.push_back({.pointer = std::move(pointer),
                      .what = say("{} for {}", what, program),
                      .why = why,
                      .legal = instead.told,
                      .values = instead.values});
}

void refuseUnevenHosts(const Layout& layout, std::string_view program, std::vector<Fault>& faults) {
    const std::vector<HostSpec>& hosts = layout.cluster.hosts;
    for (std::size_t i = 1; i < hosts.size(); ++i)
        if (hosts[i].devices != hosts.front().devices) {
            faults.push_back({fmt::format("/cluster/hosts/{}/devices", i),
                              say("{} devices beside a host with {}", hosts[i].devices, hosts.front().devices),
                              say("{} is started with the same number of processes on each node", program),
                              say("{} on every host", hosts.front().devices),
                              {},
                              {std::to_string(hosts.front().devices)}});
            return;
        }
}

void refuseExchanges(const Layout& layout, std::string_view program, std::vector<Fault>& faults) {
    const ParallelSpec& p = layout.parallel;
    if (p.exchange != Exchange::AllReduce)
        refuseField(faults, program, "/parallel/exchange", wordOf(p.exchange),
                    say("{} averages the gradients of all replicas in every step", program), "allreduce");
    if (const ExchangeFormat format = layout.precision.exchange; format != ExchangeFormat::Full)
        refuseField(faults, program, "/precision/exchange", say("gradients in {}", wordOf(format)),
                    say("what is written for {} reduces gradients in a number format, without error feedback", program),
                    "full");
    if (p.partition != PartitionKind::Flat && p.zero == 3)
        refuseField(faults, program, "/parallel/partition", wordOf(p.partition),
                    say("{} gives every replica a part of every layer", program), "flat");
}

void refuseSequence(const ParallelSpec& parallel, std::string_view program, std::vector<Fault>& faults) {
    if (parallel.tensor > 1 && parallel.sequence)
        refuseField(faults, program, "/parallel/sequence", say("sequence parallelism"),
                    say("its tensor ranks hold all tokens between the blocks"), "false");
}

void refuseDecayWithMomentum(const OptimizerSpec& optimizer, std::string_view program, std::vector<Fault>& faults) {
    if (optimizer.kind == knownSgd && optimizer.momentum > 0 && optimizer.weightDecay > 0)
        refuseField(faults, program, "/optimizer/weight_decay", say("weight decay beside the momentum of sgd"),
                    say("it adds the decay to the gradient, so that the momentum repeats it"),
                    {say("0; or optimizer.momentum 0"), {"0"}});
}

void refuseScores(const ModelSpec& model, std::string_view program, std::vector<Fault>& faults) {
    const BlockParts parts = blockParts(model);
    if (parts.sinks)
        refuseField(faults, program, "/model/sinks", say("heads with sinks"),
                    say("what is written for {} has a softmax over the scores of tokens alone", program), "false");
    if (parts.attentionCap > 0)
        refuseField(faults, program, "/model/attention_cap", say("scores with a cap"),
                    say("what is written for {} has scores as they are", program), "0");
    if (parts.logitCap > 0)
        refuseField(faults, program, "/model/logit_cap", say("logits with a cap"),
                    say("what is written for {} has logits as they are", program), "0");
}

void refuseUnevenShares(const Layout& layout, std::string_view program, bool sharesKeyHeads,
                        std::vector<Fault>& faults) {
    const std::vector<TensorExtent> extents = tensorExtents(layout);
    const int keys = hasAttention(layout.model) ? keyHeads(layout.model) : 0, tensor = layout.parallel.tensor;
    const bool shared = !sharesKeyHeads && keySharers(keys, tensor) > 1;
    std::map<std::string_view, std::int64_t> common;  // by the degree that divides
    if (shared) common["/parallel/tensor"] = keys;
    for (const TensorExtent& each : extents) common[each.pointer] = std::gcd(common[each.pointer], each.extent);
    const auto refuse = [&](std::string_view pointer, const Sentence& what, int tried, const Sentence& why) {
        const auto of = common.find(pointer);
        if (of == common.end()) return;
        std::vector<std::string> fewer;
        for (std::int64_t members = tried - 1; members > 0; --members)
            if (of->second % members == 0) fewer.push_back(std::to_string(members));
        refuseField(faults, program, std::string(pointer), say("{} over {} ranks", what, tried), why,
                    {divisorText(of->second, tried), std::move(fewer)});
        common.erase(of);
    };
    if (shared)
        refuse("/parallel/tensor", keys == 1 ? say("1 head of keys") : say("{} heads of keys", keys), tensor,
               say("the ranks of its tensor groups hold whole heads of keys"));
    for (const TensorExtent& each : extents)
        if (!each.even())
            refuse(each.pointer, each.what, each.members, say("the ranks of its tensor groups hold equal shares"));
}

Sentence modelTimes(Layout& layout, std::string_view stack) {
    if (layout.precision.compute == NumberFormat::Fp32) return {};
    const char* device = scalesInHardware(layout.precision.products) ? "b200" : "h100-sxm";
    layout.cluster.pace = PaceSpec{.device = device, .stack = std::string(stack)};
    return say("times are those of {} on {}, as cluster.pace says", stack, device);
}

int unsaidReplicas(std::int64_t inner) { return static_cast<int>(std::max<std::int64_t>(2, 8 / inner)); }

bool runsAs(const Layout& layout, std::string_view kind) {
    if (layout.schedule.kind == kind) return true;
    const ScheduleMethod* method = findScheduleMethod(layout.schedule.kind);
    if (method == nullptr || !method->flushes || layout.schedule.chunks != 1) return false;
    const auto ours = generateSchedule(layout.schedule.kind, scheduleShape(layout));
    ScheduleShape shape = scheduleShape(layout);
    shape.actions.clear();
    shape.inFlight = 0;
    const auto theirs = generateSchedule(kind, shape);
    return ours && theirs && ours->ranks == theirs->ranks;
}

double gradientBytes(const PrecisionSpec& precision) {
    return static_cast<double>(numberFormats(precision).gradientBytes());
}

std::optional<int> evenWidth(const ModelSpec& model) {
    for (int layer = 1; layer < model.layers; ++layer)
        if (feedForwardWidth(model, layer) != feedForwardWidth(model, 0)) return std::nullopt;
    return feedForwardWidth(model, 0);
}

std::set<int> feedForwardWidths(const ModelSpec& model, bool withExperts) {
    std::set<int> found;
    for (int layer = 0; layer < model.layers; ++layer)
        if (hasExperts(model, layer) == withExperts) found.insert(feedForwardWidth(model, layer));
    return found;
}

void chooseParts(ModelSpec& model) {
    if (!choosesParts(model)) return;
    const BlockParts meant = blockParts(model);
    const auto simpler = [&](auto& part) {
        const auto chosen = std::exchange(part, std::decay_t<decltype(part)>::Default);
        if (!(blockParts(model) == meant)) part = chosen;
    };
    simpler(model.block.norm);
    simpler(model.block.positions);
    simpler(model.block.biases);
    simpler(model.block.activation);
    simpler(model.block.output);
}

}  // namespace shardlab::trace
