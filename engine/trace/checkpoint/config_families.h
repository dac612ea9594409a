// SPDX-License-Identifier: Apache-2.0
// The models of transformers, a row a family: which model of a layout each is, what its config.json calls what the rows
// of config_fields.h compare, and what transformers takes where a file says nothing; and those that no layout can say.
#pragma once

#include "engine/base/sentence.h"
#include "engine/layout/layout.h"
#include "engine/trace/checkpoint/llama_storage.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlab::trace {

/// A field that says which products of a block add biases.
struct ConfigBias {
    const char* name;                ///< "model_type": all models of the family have them
    BiasKind gives = BiasKind::All;  ///< what `true` means; None: only false is legal
    bool usual = false;              ///< where a file does not say it
};

/// How the experts of a family are told, beside the fields that all families with experts have.
struct ConfigExperts {
    enum class Gate : std::uint8_t {
        TopKSoftmax,  ///< the softmax of the highest scores
        Shares,       ///< norm_topk_prob says whether the highest shares of a softmax are divided by their sum
        Sigmoid,      ///< sigmoids with a bias of the choice
        Softmax       ///< the highest shares of a softmax as they are
    };
    Gate gate = Gate::TopKSoftmax;
    int count = 8, topK = 2;
    int width = 0;   ///< moe_intermediate_size; 0 = intermediate_size is that of an expert
    int shared = 0;  ///< n_shared_experts
    int groups = 1, topGroups = 1;
    double scale = 1;
    int dense = 0;      ///< first_k_dense_replace
    bool sums = false;  ///< norm_topk_prob where it is not given
};

struct ConfigFamily {
    enum class Window : std::uint8_t {
        None,      ///< a sliding_window that a file has shortens the sequence
        All,       ///< that of all layers
        Optional,  ///< as None, where use_sliding_window is true
        Types      ///< of the layers that layer_types names
    };

    std::string_view type;  ///< model_type
    ModelKind kind{};
    std::string_view architecture;
    bool weights = true;  ///< a layout's model can compute what such a model does, and start from its weights

    // What transformers takes where a file says nothing.
    int layers = 32, hidden = 4096, heads = 32;
    int keyHeads = 0;   ///< 0 = as many as heads
    int headWidth = 0;  ///< 0 = hidden ÷ heads
    int vocabulary = 32000, width = 11008, positions = 2048;
    double epsilon = 1e-6, base = 1e4;
    bool tied = false;
    nlohmann::json scaling;  ///< rope_parameters
    nlohmann::json usual;    ///< other fields that no layout has, where that is not what a layout's model does

    // What its models are made of.
    const char* epsilonName = "rms_norm_eps";
    NormKind norm = NormKind::Rms;
    /// Where a file names none; it may name another with a gate where this has one, and without where not.
    ActivationKind activation = ActivationKind::SwiGlu;
    bool latent = false;
    bool queryKeyNorms = false;
    std::vector<ConfigBias> biases{{"attention_bias"}, {"mlp_bias"}};
    Window window = Window::None;
    int windowLength = 0;                                                ///< sliding_window; 0 = none
    bool (*seesAll)(const nlohmann::json& config, int layer) = nullptr;  ///< where there are no layer_types
    ConfigExperts experts = {};
    /// What the file may call a field, beside its name.
    std::vector<std::pair<const char*, const char*>> aliases = {};

    LlamaStorage storage = {};
};

const std::vector<ConfigFamily>& configFamilies();
/// The family that a gpt or a llama is written as: the first of all that has such blocks.
const ConfigFamily& configFamily(const ModelSpec& model);
/// The family of a file's model_type, for a model of this kind where there are several; nullptr: it is unknown.
const ConfigFamily* configFamilyOf(const nlohmann::json& config, std::optional<ModelKind> kind = {});

/// Families that no layout's model can say, what they have that it has not, and which of configFamilies() comes
/// nearest.
struct UnsaidFamilies {
    std::string_view types;
    std::string_view nearest;
    Sentence what;
};
const std::vector<UnsaidFamilies>& unsaidFamilies();
/// nullptr: there is no such type among them.
const UnsaidFamilies* unsaidFamily(std::string_view type);

}  // namespace shardlab::trace
