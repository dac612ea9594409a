// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/checkpoint/config_rows.h"

#include "engine/base/json_fields.h"

#include <algorithm>
#include <cmath>

namespace shardlab::trace {
namespace {

using Json = nlohmann::json;

/// Tokens of a sample, where a layout is made for a model that could have more: what comes after costs memory and time.
constexpr int longestTaken = 4096;

}  // namespace

Sentence anyOf(const std::vector<std::string_view>& words) {
    Sentence all;
    for (const std::string_view word : words) all = all.empty() ? Sentence(word) : say("{} or {}", all, word);
    return all;
}

bool sameValue(const Json& a, const Json& b) {
    if (!a.is_number() || !b.is_number()) return a == b;
    const double x = a.get<double>(), y = b.get<double>();
    return std::abs(x - y) <= 1e-9 * std::abs(y);
}

std::optional<int> positiveInteger(const Json& value) {
    if (!value.is_number_integer() || value < 1 || value > std::numeric_limits<int>::max()) return std::nullopt;
    return value.get<int>();
}

ConfigRows::ConfigRows(const Json& config, const ModelSpec& model)
    : model_(model), family_([&]() -> const ConfigFamily& {
          const ConfigFamily* const known = configFamilyOf(config, model.kind);
          const bool same = known != nullptr && traits(known->kind).weights == traits(model.kind).weights;
          return same ? *known : configFamily(model);
      }()),
      config_(config) {
    for (const auto& [name, alias] : family_.aliases) {
        made_.names.insert(alias);
        if (!config_.contains(name) && config_.contains(alias)) config_[name] = config_[alias];
    }
}

void ConfigRows::sizes() {
    number("num_hidden_layers", family_.layers, "model.layers", model_.layers, &ModelSpec::layers);
    number("hidden_size", family_.hidden, "model.hidden", model_.hidden, &ModelSpec::hidden);
    number("num_attention_heads", family_.heads, "model.heads", model_.heads, &ModelSpec::heads);
    number("vocab_size", family_.vocabulary, "model.vocabulary", model_.vocabulary, &ModelSpec::vocabulary);
    // Positions are turned, not learned: there is one for any sequence.
    window("max_position_embeddings", family_.positions, positions);
    made_.rows.back().fits = true;
    epsilon(family_.epsilonName, family_.epsilon);
}

void ConfigRows::always(bool fits, std::string_view field, std::string_view ours, std::string_view legal,
                        std::function<void(ModelSpec& model)> take) {
    part("model_type", config_.value("model_type", Json(family_.type)), fits, field, ours, legal,
         [take = std::move(take)](ModelSpec& model, const Json&) { take(model); });
}

Json ConfigRows::value(const std::string& name, const Json& fallback) {
    made_.names.insert(name);
    const auto found = config_.find(name);
    return found == config_.end() || found->is_null() ? fallback : *found;
}

Sentence ConfigRows::stated(const std::string& name, const Json& effective) const {
    const bool inner = name.find('.') != std::string::npos;  // one of rope_parameters, say, which is there
    const bool said = inner || (config_.contains(name) && !config_[name].is_null());
    return said ? say("{} is {}", name, shownValue(effective))
                : say("{} is {} where it is not given", name, shownValue(effective));
}

void ConfigRows::differ(const std::string& name, Sentence what, Sentence legal) {
    made_.rows.push_back({name, false, std::move(what), std::move(legal), nullptr});
}

void ConfigRows::row(const std::string& name, const Json& fallback, std::string_view field, const Json& ours,
                     Take take) {
    add(name, value(name, fallback), field, ours, std::move(take));
}

void ConfigRows::add(const std::string& name, const Json& theirs, std::string_view field, const Json& ours, Take take) {
    made_.rows.push_back({name, sameValue(theirs, ours),
                          say("{}, {} is {}", stated(name, theirs), field, shownValue(ours)),
                          say("{} {}", field, shownValue(theirs)), ours,
                          [theirs, take = std::move(take)](ModelSpec& model) { take(model, theirs); }});
}

void ConfigRows::part(const std::string& name, const Json& theirs, bool fits, std::string_view field,
                      std::string_view ours, std::string_view legal, Take take) {
    made_.rows.push_back({name, fits, say("{}, {} is {}", stated(name, theirs), field, ours),
                          say("{} {}", field, legal), nullptr,
                          [theirs, take = std::move(take)](ModelSpec& model) { take(model, theirs); }});
}

void ConfigRows::activation(const std::string& name, const std::vector<ConfigActivation>& known, ActivationKind usual) {
    const Json theirs = value(name, std::ranges::find(known, usual, &ConfigActivation::kind)->names.front());
    const auto named = std::ranges::find_if(known, [&](const ConfigActivation& each) {
        return std::ranges::any_of(each.names, [&](std::string_view word) { return theirs == word; });
    });
    std::vector<std::string_view> legal;
    for (const ConfigActivation& each : known) legal.push_back(each.names.front());
    const ActivationKind ours = parts_.activation;
    if (named == known.end())
        differ(name, say("{}, model.activation is {}", stated(name, theirs), wordOf(ours)),
               say("weights whose {} is {}", name, anyOf(legal)));
    else
        part(name, theirs, named->kind == ours, "model.activation", wordOf(ours), wordOf(named->kind),
             [kind = named->kind](ModelSpec& model, const Json&) {
                 model.block.activation = ActivationKind::Default;
                 if (blockParts(model).activation != kind) model.block.activation = kind;
             });
    const auto written = std::ranges::find(known, ours, &ConfigActivation::kind);
    if (written != known.end()) made_.rows.back().ours = written->names.front();
}

void ConfigRows::epsilon(const std::string& name, double fallback) {
    number(name, fallback, "model.norm_epsilon", parts_.normEpsilon, &BlockSpec::normEpsilon);
}

void ConfigRows::width(const std::string& name, int fallback) {
    const bool said = config_.contains(name) && !config_[name].is_null();
    const Json theirs = value(name, fallback);
    ConfigField made{name, true, {}, {}, feedForwardWidth(model_, 0), [theirs, said](ModelSpec& model) {
                         const auto taken = positiveInteger(theirs);
                         if (taken && (said || traits(model.kind).weights == WeightsFormat::Llama))
                             model.feedForward = {*taken};
                     }};
    const int widths = std::max(1, static_cast<int>(model_.feedForward.size()));
    for (int layer = 0; layer < std::min(widths, model_.layers) && made.fits; ++layer) {
        const int ours = feedForwardWidth(model_, layer);
        if (sameValue(theirs, ours)) continue;
        made.fits = false;
        made.what = say("{}, the width of the layout's layer {} is {}", stated(name, theirs), layer, ours);
        made.legal = "model.feed_forward [" + shownValue(theirs) + "]";
    }
    made_.rows.push_back(std::move(made));
}

void ConfigRows::positions(ModelSpec& model, const Json& theirs) {
    if (const auto taken = positiveInteger(theirs)) model.sequence = std::min(*taken, longestTaken);
}

void ConfigRows::shorter(ModelSpec& model, const Json& theirs) {
    if (const auto taken = positiveInteger(theirs)) model.sequence = std::min(*taken, model.sequence);
}

void ConfigRows::window(const std::string& name, const Json& fallback, Take take) {
    const Json theirs = value(name, fallback);
    const bool fits = theirs.is_null() || (theirs.is_number() && theirs.get<double>() >= model_.sequence);
    made_.rows.push_back({name, fits, say("{}, model.sequence is {}", stated(name, theirs), model_.sequence),
                          say("model.sequence of at most {}", shownValue(theirs)),
                          fallback.is_null() ? Json() : Json(model_.sequence),
                          [theirs, take = std::move(take)](ModelSpec& model) { take(model, theirs); }});
}

void ConfigRows::is(const std::string& name, const Json& fallback, const std::vector<Json>& legal) {
    const Json theirs = value(name, fallback);
    isOne(name, theirs.is_null() ? legal.front() : theirs, legal);
    made_.rows.back().ours = fallback.is_null() ? Json() : legal.front();
}

void ConfigRows::isOne(const std::string& name, const Json& theirs, const std::vector<Json>& legal) {
    const bool fits = std::ranges::any_of(legal, [&](const Json& each) { return sameValue(theirs, each); });
    made_.rows.push_back(
        {name, fits,
         say("{}, the {} model has {}", stated(name, theirs), wordOf(model_.kind), shownValue(legal.front())),
         say("weights whose {} is {}", name, shownValue(legal.front())), nullptr});
}

void ConfigRows::base(const std::string& name, const Json& theirs) {
    add(name, theirs, "model.rope_base", model_.block.rotary.base, [](ModelSpec& model, const Json& taken) {
        if (taken.is_number()) model.block.rotary.base = taken.get<double>();
    });
}

}  // namespace shardlab::trace
