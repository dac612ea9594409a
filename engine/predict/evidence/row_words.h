// SPDX-License-Identifier: Apache-2.0
// What the cells of published runs say, in the words of their sources: "A100-80GB", "bf16/fp8", "ZeRO-1". A word that
// says more than one thing, or one that is not known, is refused; what a word does not say is never filled in silently.
#pragma once

#include "engine/layout/devices.h"
#include "engine/layout/layout.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::predict {

/// Why a row is no layout.
struct Refusal {
    std::string why;
};

/// Letters small, as in "h100 sxm"; for cells that are compared with words.
std::string lower(std::string_view text);

/// The device of a shipped name, or of the longest shipped name that the text begins with ("a100-sxm-80"); else the one
/// whose family, memory (GB) and form the text names. Throws Refusal where there is none, or more than one.
const layout::DevicePreset& deviceOf(std::string_view text);

/// What an activation's and a product's numbers are. Throws Refusal.
struct RowFormats {
    layout::NumberFormat compute = layout::NumberFormat::Bf16;
    layout::ProductFormat products = layout::ProductFormat::Compute;
};
RowFormats formatsOf(std::string_view text);

/// "1", "ZeRO-1", "stage 2", "fsdp", "fsdp 16" (16 ranks share, copies of which make up the rest), "hsdp". Throws
/// Refusal.
struct RowSharding {
    int zero = 0;
    bool withinHosts = false;  ///< PyTorch's HYBRID_SHARD
    int ranks = 0;             ///< that share what is divided; 0: all
};
RowSharding shardingOf(std::string_view text);

/// "gpt", "moe", or a model of a family: "llama-3.1", "Mixtral". Throws Refusal.
layout::ModelKind modelKindOf(std::string_view text);

/// What a row's recomputation is, of stages with so many blocks. Throws Refusal.
struct RowRecompute {
    layout::RecomputeKind kind = layout::RecomputeKind::None;
    int blocks = 0;                                     ///< of a stage; 0: all
    layout::WordSet<layout::RecomputePart> parts = {};  ///< where the kind is Parts
};
RowRecompute recomputeOf(std::string_view text, const layout::ModelSpec& model, int stages);

/// A generated schedule's name. Throws Refusal.
std::string scheduleOf(std::string_view text, int chunks);

}  // namespace shardlab::predict
