// SPDX-License-Identifier: Apache-2.0
// The optimizers: one table, a row each. What the rest of the program has to know of an optimizer (bytes, time, which
// layouts it takes part in) stands in its row; how it updates is its source in engine/train/optim.
#pragma once

#include "engine/layout/kind_table.h"
#include "engine/layout/words.h"

#include <algorithm>
#include <cstdint>

namespace shardlab::layout {

/// Count is no optimizer.
enum class OptimizerKind : std::uint8_t { AdamW, AdamW8Bit, Sgd, Adafactor, Sm3, Count };

struct OptimizerTraits {
    std::string_view word;
    std::array<std::string_view, 2> fields{};  ///< pointers of fields that have an effect with few optimizers
    int moments = 0;                           ///< numbers that are kept for each element, a velocity not counted
    bool codesMoments = false;                 ///< moments are kept in 8 bits (moment_blocks.h)
    bool factored = false;                     ///< keeps one number for each row and each column of a matrix instead
    int totals = 0;                            ///< factored: numbers of each whole tensor that an update puts together
    int readings = 1;                          ///< of each gradient in an update
    bool plainDescent = false;  ///< without momentum an update takes rate × gradient from the weights, and no more

    constexpr bool takes(std::string_view pointer) const { return std::ranges::find(fields, pointer) != fields.end(); }
};

inline constexpr KindTable<OptimizerKind, OptimizerTraits> optimizerTraits({
    {OptimizerKind::AdamW, {"adamw", {"/optimizer/betas", "/optimizer/epsilon"}, 2}},
    {OptimizerKind::AdamW8Bit, {"adamw-8bit", {"/optimizer/betas", "/optimizer/epsilon"}, 2, true}},
    {OptimizerKind::Sgd, {.word = "sgd", .fields = {"/optimizer/momentum"}, .plainDescent = true}},
    {OptimizerKind::Adafactor,
     {.word = "adafactor",
      .fields = {"/optimizer/decay_rate", "/optimizer/clip_threshold"},
      .factored = true,
      .totals = 2,      // of the sums, and of the update's squares
      .readings = 3}},  // for the sums, for their norm and for the update
    {OptimizerKind::Sm3, {.word = "sm3", .fields = {"/optimizer/momentum"}, .factored = true}},
});
template <>
inline constexpr auto layoutWords<OptimizerKind> = wordsOf(optimizerTraits);

constexpr const OptimizerTraits& traits(OptimizerKind kind) { return optimizerTraits[kind]; }

}  // namespace shardlab::layout
