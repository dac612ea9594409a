// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/search/nearest_legal.h"

#include "engine/layout/block_parts.h"
#include "engine/layout/check/check.h"
#include "engine/layout/fields.h"
#include "engine/layout/layout_json.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/recompute.h"
#include "engine/layout/stacks.h"
#include "engine/layout/suggest.h"
#include "engine/layout/mesh/axis.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/search/partition_layout.h"
#include "engine/predict/search/search_axes.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <type_traits>

namespace shardlab::predict {
namespace {

template <class T>
void clamp(const Field& field, T& value) {
    const double wanted = static_cast<double>(value);
    const FieldLimits& limits = field.limits;
    if (wanted >= limits.least && wanted <= limits.most) return;
    value = static_cast<T>(wanted > limits.most ? limits.most : limits.least);
}

/// A fraction below a least that is little more than nothing, as that of a learning rate, takes the value that a layout
/// begins with: nobody means the least.
bool takesUsual(const Field& field, double wanted, double usual) {
    constexpr double little = 1e-3;  // of the usual value
    const FieldLimits& limits = field.limits;
    return wanted < limits.least && limits.least > 0 && limits.least < little * usual && usual <= limits.most;
}

void repair(const Field& field, Layout& layout) {
    std::visit(
        [&](auto access) {
            using Access = decltype(access);
            if constexpr (std::is_same_v<Access, NumberField>) {
                Layout fresh;
                const double usual = isPresent(field, fresh) ? access(fresh) : 0.0;
                if (double& value = access(layout); takesUsual(field, value, usual)) value = usual;
                else clamp(field, value);
            } else if constexpr (std::is_same_v<Access, IntegerField> || std::is_same_v<Access, LongField>) {
                clamp(field, access(layout));
            } else if constexpr (std::is_same_v<Access, IntegerListField> || std::is_same_v<Access, NumberListField>) {
                for (auto& number : access(layout)) clamp(field, number);
            }
        },
        field.access);
}

/// The nearest number of heads that the tensor group, if there is one, can share, and that leaves an even number for
/// each head where whole heads are turned; the larger of two that are as near.
int nearestHeads(const Layout& layout) {
    const BlockParts parts = blockParts(layout.model);
    const int pairs = parts.rotary && !parts.latent && layout.model.hidden % 2 == 0 ? 2 : 1;
    const int width = layout.model.hidden / pairs, wanted = layout.model.heads, tensor = layout.parallel.tensor;
    const int step = tensor >= 1 && width % tensor == 0 ? tensor : 1;
    int best = step;
    for (int heads = step; heads <= width; heads += step)
        if (width % heads == 0 && std::abs(heads - wanted) <= std::abs(best - wanted)) best = heads;
    return best;
}

/// The nearest number of key heads that divides the heads and that the tensor group, if there is one, can share.
int nearestKeyHeads(const ModelSpec& model, int tensor) {
    const int step = tensor >= 1 && model.heads % tensor == 0 ? tensor : 1;
    int best = model.heads;
    for (int heads = step; heads <= model.heads; heads += step)
        if (model.heads % heads == 0 && std::abs(heads - model.block.kvHeads) <= std::abs(best - model.block.kvHeads))
            best = heads;
    return best;
}

/// Sides that can be halved by every block: the next larger ones, where there are any.
void repairImages(Layout& layout) {
    ModelSpec& model = layout.model;
    constexpr int mostBlocks = 10, largest = 1 << mostBlocks;
    model.layers = std::min(model.layers, mostBlocks);
    const int unit = 1 << model.layers;
    model.cnn.image = std::min((model.cnn.image + unit - 1) / unit * unit, largest);
    layout.data.kind = DataKind::Generator;
}

bool isFaulty(const Layout& layout, std::string_view pointer) {
    const std::vector<Fault> faults = check(layout, scheduleMethods());
    return std::ranges::find(faults, pointer, &Fault::pointer) != faults.end();
}

Layout repaired(Layout layout) {
    for (const Field& field : fields())
        if (isPresent(field, layout)) repair(field, layout);
    ModelSpec& model = layout.model;
    const bool latent = blockParts(model).latent, turnsHeads = blockParts(model).rotary && !latent;
    const bool ownWidth = choosesParts(model) && model.block.headWidth > 0;
    if (readsImages(model)) repairImages(layout);
    if (turnsHeads && ownWidth) model.block.headWidth += model.block.headWidth % 2;
    if (turnsHeads && !ownWidth && model.hidden % 2 != 0) ++model.hidden;
    if (!ownWidth && ((hasAttention(model) && model.hidden % model.heads != 0) ||
                      (turnsHeads && model.hidden / model.heads % 2 != 0)))
        model.heads = nearestHeads(layout);
    if (latent) {
        model.block.ropeWidth += model.block.ropeWidth % 2;
        model.block.valueWidth = std::min(model.block.valueWidth, queryWidth(model));
        model.block.queryKeyNorms = false;
    }
    if (turnsHeads && model.block.kvHeads > 0 && model.heads % model.block.kvHeads != 0)
        model.block.kvHeads = nearestKeyHeads(model, layout.parallel.tensor);
    if (layout.data.tokenizer == TokenizerKind::Byte && !readsImages(model))
        model.vocabulary = std::max(model.vocabulary, 256);
    if (!findScheduleMethod(layout.schedule.kind)) {
        std::vector<std::string_view> names;
        for (const ScheduleMethod& method : scheduleMethods()) names.push_back(method.name);
        const std::string_view nearest = nearestWord(layout.schedule.kind, names);
        layout.schedule.kind = nearest.empty() ? "1f1b" : nearest;
    }
    repairStack(layout);
    if (isFaulty(layout, "/precision/products")) layout.precision.products = ProductFormat::Compute;
    // What it does not go with says more of what is wanted.
    if (isFaulty(layout, "/model/rope_base")) model.block.rotary.base = RotarySpec{}.base;
    if (isFaulty(layout, "/model/rope_high")) model.block.rotary.low = RotarySpec{}.low, model.block.rotary.high = 0;
    for (const OffloadKind less : {OffloadKind::Optimizer, OffloadKind::None})
        if (isFaulty(layout, "/memory/offload")) layout.memory.offload = less;
    if (isFaulty(layout, "/precision/exchange")) layout.precision.exchange = ExchangeFormat::Full;
    for (const std::int64_t fewer : {mostLossPieces(layout), std::int64_t{1}})
        if (isFaulty(layout, "/memory/loss_pieces")) layout.memory.lossPieces = static_cast<int>(fewer);
    if (isFaulty(layout, "/memory/swap")) layout.memory.swap = SwapKind::None;
    return layout;
}

/// Fields that change count most, another schedule more than a number, then how much numbers change.
double distance(const Choice& from, const Choice& to) {
    double sum = 0;
    const auto number = [&](int a, int b) {
        if (a != b) sum += 1 + 0.1 * std::abs(std::log2(double(std::max(a, 1)) / std::max(b, 1)));
    };
    const ParallelSpec &p = from.parallel, &q = to.parallel;
    for (const Axis axis : axesAsWritten) number(degree(p, axis), degree(q, axis));
    number(p.zero, q.zero);
    number(from.chunks, to.chunks);
    number(from.micro, to.micro);
    number(from.inFlight, to.inFlight);
    return sum + (p.sequence != q.sequence) + (p.contextKind != q.contextKind) + 1.5 * (from.kind != to.kind) +
           (from.recompute != to.recompute) + (from.partition != to.partition) + (from.stages != to.stages) +
           (from.countEnds != to.countEnds);
}

}  // namespace

std::vector<FieldChange> changesBetween(const Layout& from, const Layout& to) {
    const auto before = layoutToJson(from), after = layoutToJson(to);
    std::vector<FieldChange> changes;
    for (const Field& field : fields()) {
        const nlohmann::ordered_json::json_pointer pointer{std::string(field.pointer)};
        if (!before.contains(pointer) || !after.contains(pointer) || before[pointer] == after[pointer]) continue;
        if (before[pointer].is_object() && after[pointer].is_object()) continue;  // its own fields tell
        const auto text = [](const nlohmann::ordered_json& value) {
            return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
        };
        changes.push_back({std::string(field.pointer), text(before[pointer]), text(after[pointer])});
    }
    return changes;
}

void repairStack(Layout& layout) {
    constexpr std::string_view pointer = "/cluster/pace/stack";
    if (!layout.cluster.pace || !isFaulty(layout, pointer)) return;
    std::string& stack = layout.cluster.pace->stack;
    std::vector<std::string_view> names;
    for (const SoftwareStack& each : stackList().stacks) names.push_back(each.name);
    const std::string_view like = findStack(stack) == nullptr ? nearestWord(stack, names) : "";
    for (const std::string_view name : {like, std::string_view("megatron-core"), std::string_view("megatron-2022")}) {
        if (name.empty()) continue;
        stack = name;
        if (!isFaulty(layout, pointer)) return;
    }
    stack = ownStack;
}

std::optional<LegalLayout> nearestLegal(const Layout& layout) {
    Layout legal = repaired(layout);
    if (!check(legal, scheduleMethods()).empty()) {
        const auto choices = legalChoices(legal);
        if (!choices || choices->empty()) return {};
        const Choice wanted = choiceOf(legal);
        apply(*std::ranges::min_element(*choices, {}, [&](const Choice& c) { return distance(wanted, c); }), legal);
        if (!legal.schedule.stages.empty()) legal.schedule.stages = balancedStages(legal, Mesh(legal));
        if (!check(legal, scheduleMethods()).empty()) return {};
    }
    return LegalLayout{legal, changesBetween(layout, legal)};
}

Sentence sentenceOf(const FieldChange& change) {
    return say("{} {} instead of {}", change.pointer, change.to, change.from);
}

std::string toText(const LegalLayout& legal) {
    std::string text;
    for (const FieldChange& change : legal.changes) text += (text.empty() ? "" : ", ") + sentenceOf(change).english();
    return text;
}

}  // namespace shardlab::predict
