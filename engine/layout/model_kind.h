// SPDX-License-Identifier: Apache-2.0
// The models: one table, a row each. What the rest of the program has to know of a model stands in its row; how a stage
// of it is built is its source in engine/train/model.
#pragma once

#include "engine/layout/kind_table.h"
#include "engine/layout/words.h"

#include <cstdint>

namespace shardlab::layout {

/// Count is no model.
enum class ModelKind : std::uint8_t { Gpt, Mlp, GptMoe, Llama, Cnn, LlamaMoe, Count };

/// Weights of other programs that a model can start from, and be written as.
enum class WeightsFormat : std::uint8_t { None, Gpt2, Llama };

struct ModelTraits {
    std::string_view word;
    bool attention = false;  ///< its blocks have one
    int expertsEvery = 0;    ///< every so many blocks one has experts, unless the layout says otherwise; 0 = none has
    bool images = false;     ///< a sample is an image and its class instead of a row of tokens
    bool choosesParts = false;  ///< a layout may choose the parts of its blocks (block_parts.h)
    bool llamaParts = false;    ///< where it chooses none they are a llama's, else a gpt's
    WeightsFormat weights = WeightsFormat::None;
};

inline constexpr KindTable<ModelKind, ModelTraits> modelTraits({
    {ModelKind::Gpt, {.word = "gpt", .attention = true, .choosesParts = true, .weights = WeightsFormat::Gpt2}},
    {ModelKind::Mlp, {.word = "mlp"}},
    {ModelKind::GptMoe, {.word = "gpt-moe", .attention = true, .expertsEvery = 2}},
    {ModelKind::Llama,
     {.word = "llama", .attention = true, .choosesParts = true, .llamaParts = true, .weights = WeightsFormat::Llama}},
    {ModelKind::Cnn, {.word = "cnn", .images = true}},
    {ModelKind::LlamaMoe,
     {.word = "llama-moe",
      .attention = true,
      .expertsEvery = 1,
      .choosesParts = true,
      .llamaParts = true,
      .weights = WeightsFormat::Llama}},
});
template <>
inline constexpr auto layoutWords<ModelKind> = wordsOf(modelTraits);

constexpr const ModelTraits& traits(ModelKind kind) { return modelTraits[kind]; }

}  // namespace shardlab::layout
