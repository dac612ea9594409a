// SPDX-License-Identifier: Apache-2.0
// The gates of a layer with experts: one table, a row each. How a gate chooses is in kernels/gate.h.
#pragma once

#include "engine/layout/kind_table.h"
#include "engine/layout/words.h"

#include <cstdint>

namespace shardlab::layout {

/// How a gate chooses among the experts of a layer. Count is no gate.
enum class GateMethod : std::uint8_t {
    Switch,
    NoisyTopK,
    Hierarchical,
    GShard,
    ExpertChoice,
    CappedExpertChoice,
    SoftmaxTopK,
    TopKSoftmax,
    SigmoidTopK,
    SigmoidInGroups,
    Count
};

struct GateTraits {
    std::string_view word;
    int choices = 1;             ///< experts of a token, where it is not the layout that says how many
    bool takesTopK = false;      ///< model.top_k says it
    bool groups = false;         ///< it chooses groups of experts first
    bool inGroups = false;       ///< it chooses all experts of a token from the best groups
    bool scales = false;         ///< model.route_scale is a factor of its weights
    bool noise = false;          ///< it adds noise, whose size is learned, to the scores
    bool draws = false;          ///< a token's last choice is drawn at random
    bool expertsChoose = false;  ///< each expert takes tokens, instead of each token experts
    bool capsTokens = false;     ///< it limits how many experts take the same token
};

inline constexpr KindTable<GateMethod, GateTraits> gateTraits({
    {GateMethod::Switch, {.word = "switch"}},
    {GateMethod::NoisyTopK, {.word = "noisy-top-k", .takesTopK = true, .noise = true}},
    {GateMethod::Hierarchical, {.word = "hierarchical", .takesTopK = true, .groups = true, .noise = true}},
    {GateMethod::GShard, {.word = "gshard", .choices = 2, .draws = true}},
    {GateMethod::ExpertChoice, {.word = "expert-choice", .expertsChoose = true}},
    {GateMethod::CappedExpertChoice, {.word = "capped-expert-choice", .expertsChoose = true, .capsTokens = true}},
    {GateMethod::SoftmaxTopK, {.word = "softmax-top-k", .takesTopK = true}},
    {GateMethod::TopKSoftmax, {.word = "top-k-softmax", .takesTopK = true}},
    {GateMethod::SigmoidTopK, {.word = "sigmoid-top-k", .takesTopK = true, .scales = true}},
    {GateMethod::SigmoidInGroups, {.word = "sigmoid-in-groups", .takesTopK = true, .inGroups = true, .scales = true}},
});
template <>
inline constexpr auto layoutWords<GateMethod> = wordsOf(gateTraits);

constexpr const GateTraits& traits(GateMethod gate) { return gateTraits[gate]; }

}  // namespace shardlab::layout
