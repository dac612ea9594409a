// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/megatron_experts.h"

#include "engine/base/visible_text.h"
#include "engine/layout/block_parts.h"
#include "engine/trace/trainers/layer_pattern.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>

namespace shardlab::trace {
namespace {

constexpr int choicesForGroup = 2;  ///< a group counts with so many of its scores

/// 1 for each layer that has experts.
std::vector<int> pattern(const ModelSpec& model) {
    std::vector<int> layers;
    for (int layer = 0; layer < model.layers; ++layer) layers.push_back(hasExperts(model, layer) ? 1 : 0);
    return layers;
}

/// --moe-layer-freq: a number N, of which every N-th layer from the first on has experts, or a list.
std::vector<int> readFrequency(const std::string& text, int layers) {
    if (const auto period = parseNumber<std::int64_t>(text); period && *period > 0) {
        std::vector<int> made;
        for (int layer = 0; layer < layers; ++layer) made.push_back(layer % *period == 0 ? 1 : 0);
        return made;
    }
    return readPattern(text).value_or(std::vector<int>{});
}

/// The model's experts in the layers of the list. False where no layout says so: then all layers have them.
bool place(const std::vector<int>& wanted, ModelSpec& model) {
    const auto first = std::ranges::find(wanted, 1);
    if (first == wanted.end() || std::ssize(wanted) != model.layers) return false;
    const auto second = std::find(first + 1, wanted.end(), 1);
    const auto below = first - wanted.begin();
    const auto every = static_cast<int>(second == wanted.end() ? below + 1 : second - first);
    for (const int dense : {0, static_cast<int>(below)}) {
        model.experts.denseLayers = dense;
        model.experts.every = every;
        if (pattern(model) != wanted) continue;
        if (every == traits(model.kind).expertsEvery) model.experts.every = 0;
        return true;
    }
    model.experts.denseLayers = model.experts.every = 0;
    return false;
}

void readGate(ProgramOptions& options, MoeSpec& experts, std::vector<Sentence>& notes) {
    const int topK = options.integer("moe-router-topk").value_or(2);
    const bool before = options.flag("moe-router-pre-softmax");
    const int groups = options.integer("moe-router-num-groups").value_or(0);
    const int topGroups = options.integer("moe-router-group-topk").value_or(0);
    const double scale = options.number("moe-router-topk-scaling-factor").value_or(1);
    const bool sigmoid = options.text("moe-router-score-function").value_or("softmax") == "sigmoid";
    experts.gate = sigmoid               ? (topGroups > 0 ? sigmoidInGroups : sigmoidTopK)
                   : !before || topK > 1 ? (before ? softmaxTopK : topKSoftmax)
                                         : knownSwitch;
    if (experts.gate != knownSwitch) experts.topK = topK;
    if (experts.gate == sigmoidInGroups) {
        experts.groups = groups;
        experts.topGroups = topGroups;
        if (topGroups > 0 && topK / topGroups != choicesForGroup)
            notes.push_back(
                say("a group counts with its {} best scores; the layout's with {}", topK / topGroups, choicesForGroup));
    } else if (topGroups > 0) {
        notes.push_back(
            say("--moe-router-group-topk {} with softmax: the layout chooses among all experts", topGroups));
    }
    if (sigmoid) experts.scale = scale;
    else if (scale != 1)
        notes.push_back(
            say("--moe-router-topk-scaling-factor {} with softmax: the layout scales nothing", numberText(scale)));
    const double rate = options.number("moe-router-bias-update-rate").value_or(1e-3);
    if (options.flag("moe-router-enable-expert-bias")) experts.biasRate = rate;
}

void readBalance(ProgramOptions& options, MoeSpec& experts, std::vector<Sentence>& notes) {
    const auto kind = options.text("moe-router-load-balancing-type").value_or("aux_loss");
    const double weight = options.number("moe-aux-loss-coeff").value_or(0);
    experts.balance = kind == "sinkhorn" || kind == "none" ? 0 : weight;
    if (kind == "sinkhorn")
        notes.push_back(say("--moe-router-load-balancing-type {}: the layout balances nothing", kind));
    else if (kind != "none" && kind != "seq_aux_loss" && weight > 0)
        notes.push_back(
            say("--moe-router-load-balancing-type {}: the layout balances the tokens of each sample", kind));
}

}  // namespace

void refuseExperts(const Layout& layout, const MegatronWords& words, std::vector<Fault>& faults) {
    const ModelSpec& m = layout.model;
    const MoeSpec& e = m.experts;
    const auto refuse = [&](std::string pointer, const Sentence& what, const Sentence& why, const Instead& legal) {
        refuseField(faults, words.program, std::move(pointer), what, why, legal);
    };
    if (!takesHighest(e.gate))
        refuse("/model/gate", say("the gate {}", wordOf(e.gate)),
               say("its router takes a token's highest scores, without noise, draws or groups that add up"),
               {"switch", "softmax-top-k", "top-k-softmax", "sigmoid-top-k", "sigmoid-in-groups"});
    if (e.gate == topKSoftmax && e.topK == 1)
        refuse("/model/top_k", say("a softmax over one score"), say("it wants the softmax before the choice of one"),
               {say("at least 2; or model.gate switch"), {"2"}});
    if (isSigmoid(e.gate) && e.topK == 1)
        refuse("/model/top_k", say("one expert of scores with a sigmoid"),
               say("it divides the scores of a token by their sum only where there are several"),
               {say("at least 2"), {"2"}});
    if (e.gate == sigmoidInGroups && e.topK / e.topGroups != choicesForGroup)
        refuse("/model/top_groups", say("{} experts of {} groups", e.topK, e.topGroups),
               say("it judges a group by as many of its scores as it takes experts from one, and the layout by {}",
                   choicesForGroup),
               e.topK % choicesForGroup == 0 ? Instead(std::to_string(e.topK / choicesForGroup))
                                             : Instead(say("model.top_k that is even")));
    if (e.scoreBias && !blockParts(m).biases)
        refuse("/model/score_bias", say("scores of experts with a bias"),
               say("its router has one where the products of a block have"),
               {say("false; or model.biases all"), {"false"}});
    if (e.dropout > 0)
        refuse("/model/expert_dropout", numberText(e.dropout), say("its experts have no dropout within"), "0");
    for (const bool withExperts : {false, true})
        if (feedForwardWidths(m, withExperts).size() > 1) {
            refuse("/model/feed_forward", say("feed-forward widths that differ between layers"),
                   say("there is one width without experts, {}, and one with, {}", words.named("--ffn-hidden-size"),
                       words.named("--moe-ffn-hidden-size")),
                   say("one width; and model.expert_width"));
            return;
        }
}

std::vector<MegatronSetting> expertSettings(const Layout& layout) {
    const ModelSpec& m = layout.model;
    const MoeSpec& e = m.experts;
    std::vector<MegatronSetting> settings{{{}, "Experts", {}}};
    const auto add = [&](std::string option, std::string value = {}, std::string chosen = {}) {
        settings.push_back({std::move(option), std::move(value), std::move(chosen)});
    };
    const std::set<int> inside = feedForwardWidths(m, true);
    const int width = inside.empty() ? feedForwardWidth(m, 0) : *inside.begin();
    add("--num-experts", std::to_string(e.count));
    add("--moe-layer-freq", patternText(pattern(m)));
    add("--moe-ffn-hidden-size", std::to_string(width));
    if (e.shared > 0) add("--moe-shared-expert-intermediate-size", std::to_string(e.shared * width));
    if (isSigmoid(e.gate)) add("--moe-router-score-function", "sigmoid");
    add("--moe-router-topk", std::to_string(choicesOf(e)));
    if (e.gate == knownSwitch || e.gate == softmaxTopK) add("--moe-router-pre-softmax");
    if (e.gate == sigmoidInGroups) {
        add("--moe-router-num-groups", std::to_string(e.groups));
        add("--moe-router-group-topk", std::to_string(e.topGroups));
    }
    if (isSigmoid(e.gate) && e.scale != 1) add("--moe-router-topk-scaling-factor", numberText(e.scale));
    if (isSigmoid(e.gate) && e.biasRate > 0) {
        add("--moe-router-enable-expert-bias");
        add("--moe-router-bias-update-rate", numberText(e.biasRate));
    }
    add("--moe-router-dtype", "fp32", "the layout's gates are in fp32 always");
    if (blockParts(m).biases && !e.scoreBias)
        settings.back().chosen += "; its scores have a bias where other products have one, the layout's have none";
    add("--moe-router-load-balancing-type", "seq_aux_loss", "of the tokens of a sample, as in the layout");
    add("--moe-aux-loss-coeff", numberText(e.balance));
    if (!dropless(m)) {
        add("--moe-expert-capacity-factor", numberText(e.capacity));
        add("--moe-token-drop-policy", "position",
            layout.batch.micro > 1 ? "the tokens of a whole microbatch compete for places, here those of a sample"
                                   : "");
    }
    add("--moe-token-dispatcher-type", "alltoall", "tokens go to the ranks of their experts alone");
    if (!blockParts(m).biases) add("--moe-grouped-gemm", "", "the products of a rank's experts are one kernel");
    return settings;
}

void readExperts(ProgramOptions& options, int inner, ModelSpec& model, std::vector<Sentence>& notes) {
    const BlockParts dense = blockParts(model);
    const std::string frequency = options.text("moe-layer-freq").value_or("1");
    const int layers = std::clamp(model.layers, 0, 10'000);
    const std::vector<int> wanted = readFrequency(frequency, layers);
    MoeSpec experts;
    options.read("num-experts", experts.count);
    readGate(options, experts, notes);
    readBalance(options, experts, notes);
    experts.capacity = std::max(0.0, options.number("moe-expert-capacity-factor").value_or(0));
    const int width = options.integer("moe-ffn-hidden-size").value_or(inner);
    if (const int shared = options.integer("moe-shared-expert-intermediate-size").value_or(0); shared > 0) {
        experts.shared = width > 0 ? std::max(1, shared / width) : 1;
        if (width <= 0 || shared % width != 0)
            notes.push_back(say("--moe-shared-expert-intermediate-size {}: the layout's shared experts are as wide as "
                                "the others, {}",
                                shared, width));
    }
    if (options.flag("moe-shared-expert-gate"))
        notes.push_back(say("--moe-shared-expert-gate: the layout's shared experts have no gate"));
    for (const char* name :
         {"moe-token-drop-policy", "moe-router-dtype", "moe-grouped-gemm", "moe-permute-fusion", "moe-router-fusion"})
        options.pass(name);
    model.experts = experts;
    // gpt-moe is a gpt whose every second block has experts.
    model.kind = knownGptMoe;
    const bool plain = blockParts(model) == dense && model.block.window == 0 && experts.gate == knownSwitch &&
                       experts.shared == 0 && place(wanted, model) && model.experts.every == 0 &&
                       model.experts.denseLayers == 0;
    if (!plain) {
        model.kind = knownLlamaMoe;
        model.experts.scoreBias = blockParts(model).biases;
        if (!place(wanted, model))
            notes.push_back(say("--moe-layer-freq {}: the layout has experts in every block", shortened(frequency)));
    }
    if (width != inner) model.experts.width = width;
}

}  // namespace shardlab::trace
