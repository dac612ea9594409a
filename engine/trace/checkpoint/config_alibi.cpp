// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/checkpoint/config_alibi.h"

#include <fmt/format.h>

namespace shardlab::trace {

std::string AlibiRows::named(const char* name, const char* other) {
    if (!config_.contains(name) && config_.contains(other)) return other;
    made_.names.insert(other);  // transformers keeps both
    return name;
}

void AlibiRows::alibi(bool theirs, const char* name) {
    const std::string_view ours = parts_.alibi ? "alibi" : parts_.rotary ? "rotary" : "learned";
    part(name, theirs, theirs == parts_.alibi, "model.positions", ours, theirs ? "alibi" : "learned",
         [](ModelSpec& model, const Json& taken) {
             model.block.positions = taken == true ? PositionKind::Alibi : PositionKind::Default;
         });
}

void AlibiRows::bloom() {
    number("n_layer", 2, "model.layers", model_.layers, &ModelSpec::layers);
    number(named("hidden_size", "n_embed"), 64, "model.hidden", model_.hidden, &ModelSpec::hidden);
    number(named("n_head", "num_attention_heads"), 8, "model.heads", model_.heads, &ModelSpec::heads);
    number("vocab_size", 250880, "model.vocabulary", model_.vocabulary, &ModelSpec::vocabulary);
    width("n_inner", 4 * model_.hidden);
    window("seq_length", nullptr, positions);
    epsilon("layer_norm_epsilon", 1e-5);
    alibi(true, "model_type");
    part("model_type", "bloom", parts_.activation == ActivationKind::GeluTanh, "model.activation",
         wordOf(parts_.activation), wordOf(ActivationKind::GeluTanh), [](ModelSpec&, const Json&) {});
    part("model_type", "bloom", parts_.biases, "model.biases", parts_.qkvBias ? "qkv" : "none", "all",
         [](ModelSpec&, const Json&) {});
    is("apply_residual_connection_post_layernorm", false, {false});
    is("tie_word_embeddings", true, {true});
    for (const char* howItRuns :
         {"slow_but_exact", "attention_softmax_in_fp32", "masked_softmax_fusion", "bias_dropout_fusion", "offset_alibi",
          "skip_bias_add", "skip_bias_add_qkv", "unk_token_id"})
        made_.names.insert(howItRuns);
    differ("model_type",
           say("a Bloom has a norm of its token embedding (word_embeddings_layernorm), a layout's model has none"),
           say("weights of a model without a norm of its token embedding"));
}

void AlibiRows::mpt() {
    number("n_layers", 24, "model.layers", model_.layers, &ModelSpec::layers);
    number("d_model", 2048, "model.hidden", model_.hidden, &ModelSpec::hidden);
    number("n_heads", 16, "model.heads", model_.heads, &ModelSpec::heads);
    number("vocab_size", 50368, "model.vocabulary", model_.vocabulary, &ModelSpec::vocabulary);
    window("max_seq_len", 2048, positions);
    made_.rows.back().fits = true;
    epsilon("layer_norm_epsilon", 1e-5);
    const Json attention = value("attn_config", Json::object());
    const auto inner = [&](const char* name, const Json& usual) {
        return attention.is_object() && attention.contains(name) && !attention[name].is_null() ? attention[name]
                                                                                               : usual;
    };
    alibi(inner("alibi", true) == true, "attn_config.alibi");
    isOne("attn_config.alibi_bias_max", inner("alibi_bias_max", 8), {8});
    isOne("attn_config.attn_type", inner("attn_type", "multihead_attention"), {"multihead_attention"});
    for (const char* none : {"clip_qkv", "softmax_scale"})
        isOne(fmt::format("attn_config.{}", none), inner(none, nullptr), {nullptr});
    for (const char* off : {"prefix_lm", "qk_ln", "attn_uses_sequence_id"})
        isOne(fmt::format("attn_config.{}", off), inner(off, false), {false});
    // Transformers knows ratios but computes with 4.
    is("expansion_ratio", 4, {4});
    is("no_bias", true, {true});
    part("no_bias", true, !parts_.qkvBias && !parts_.biases, "model.biases", parts_.biases ? "all" : "qkv", "none",
         [](ModelSpec& model, const Json&) { model.block.biases = BiasKind::None; });
    part("model_type", "mpt", parts_.activation == ActivationKind::Gelu, "model.activation", wordOf(parts_.activation),
         wordOf(ActivationKind::Gelu),
         [](ModelSpec& model, const Json&) { model.block.activation = ActivationKind::Gelu; });
    is("tie_word_embeddings", true, {true});
    for (const char* howItRuns : {"learned_pos_emb", "emb_pdrop", "resid_pdrop", "init_device", "embedding_fraction",
                                  "norm_type", "verbose", "init_config", "max_position_embeddings"})
        made_.names.insert(howItRuns);
    differ("model_type", say("the norms of an Mpt have no shift, layer norms of a layout's model learn one"),
           say("weights of a model whose layer norms have a shift"));
}

}  // namespace shardlab::trace
