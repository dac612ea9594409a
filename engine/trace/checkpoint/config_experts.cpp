// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/checkpoint/config_experts.h"

#include "engine/base/json_fields.h"

namespace shardlab::trace {

void ExpertRows::topKExperts() {
    const bool mixtral = family_.experts.gate == ConfigExperts::Gate::TopKSoftmax;
    const MoeSpec& ours = model_.experts;
    const Json type = config_.value("model_type", Json(family_.type));
    // Newer files of a Qwen3-MoE have a Mixtral's name.
    const bool named = mixtral || config_.contains("num_local_experts");
    number(named ? "num_local_experts" : "num_experts", family_.experts.count, "model.experts", ours.count,
           &MoeSpec::count);
    number("num_experts_per_tok", family_.experts.topK, "model.top_k", expertsPerToken(model_), &MoeSpec::topK);
    const Json shares = mixtral ? Json(true) : value("norm_topk_prob", family_.experts.sums);
    const GateMethod gate = shares == true ? GateMethod::TopKSoftmax : GateMethod::SoftmaxTopK;
    part(mixtral ? "model_type" : "norm_topk_prob", mixtral ? type : shares, ours.gate == gate, "model.gate",
         wordOf(ours.gate), wordOf(gate), [gate](ModelSpec& model, const Json&) {
             model.experts.gate = gate;
             model.experts.capacity = 0;
         });
    if (!mixtral) made_.rows.back().ours = ours.gate == GateMethod::TopKSoftmax;
    if (mixtral) return is("router_jitter_noise", 0.0, {0.0});
    made_.names.insert("intermediate_size");  // of blocks without experts, of which there are none
    is("decoder_sparse_step", 1, {1});
    is("mlp_only_layers", nullptr, {Json::array()});
}

void ExpertRows::sharedExperts() {
    const Json dense = value("first_k_dense_replace", family_.experts.dense),
               layers = value("num_hidden_layers", family_.layers);
    const bool all = dense.is_number() && layers.is_number() && dense.get<double>() >= layers.get<double>();
    const int ours = hasExperts(model_) ? model_.experts.denseLayers : model_.layers;
    made_.rows.push_back({"first_k_dense_replace", hasExperts(model_) ? sameValue(dense, ours) : all,
                          hasExperts(model_)
                              ? say("{}, model.dense_layers is {}", stated("first_k_dense_replace", dense), ours)
                              : say("{}, and layers from there on have experts, as the layout's have not",
                                    stated("first_k_dense_replace", dense)),
                          hasExperts(model_) ? say("{} {}", "model.dense_layers", shownValue(dense))
                                             : say("weights whose layers are all dense; or model.kind llama-moe"),
                          ours, [dense](ModelSpec& model) {
                              if (hasExperts(model)) model.experts.denseLayers = positiveInteger(dense).value_or(0);
                          }});
    // What predicts further tokens has weights of its own, behind the last layer, which a layout may leave out.
    made_.names.insert("num_mtp_layers");
    const Json modules = value("num_nextn_predict_layers", 1);
    const int own = predictionModules(model_);
    made_.rows.push_back({"num_nextn_predict_layers", own == 0 || sameValue(modules, own),
                          say("{}, model.predicted_tokens is {}", stated("num_nextn_predict_layers", modules), own),
                          say("model.predicted_tokens {}; or 0 to leave them out", shownValue(modules)),
                          own > 0 ? Json(own) : Json(), nullptr});
    for (const char* training : {"ep_size", "aux_loss_alpha", "seq_aux", "output_router_logits"})
        made_.names.insert(training);
    if (hasExperts(model_)) return routedExperts();
    if (!all) return;
    for (const char* ofExperts :
         {"moe_intermediate_size", "n_shared_experts", "n_routed_experts", "routed_scaling_factor", "n_group",
          "topk_group", "num_experts_per_tok", "norm_topk_prob", "moe_layer_freq", "scoring_func", "topk_method",
          "num_local_experts"})
        made_.names.insert(ofExperts);
}

void ExpertRows::routedExperts() {
    const MoeSpec& ours = model_.experts;
    const ConfigExperts& theirs = family_.experts;
    const auto given = [](int usual) { return usual > 0 ? Json(usual) : Json(); };
    number(config_.contains("num_local_experts") ? "num_local_experts" : "n_routed_experts", given(theirs.count),
           "model.experts", ours.count, &MoeSpec::count);
    made_.names.insert("n_routed_experts");
    number("moe_intermediate_size", theirs.width, "model.expert_width", ours.width, &MoeSpec::width);
    number("n_shared_experts", given(theirs.shared), "model.shared_experts", ours.shared, &MoeSpec::shared);
    number("num_experts_per_tok", given(theirs.topK), "model.top_k", ours.topK, &MoeSpec::topK);
    is("moe_layer_freq", nullptr, {1});
    if (theirs.gate == ConfigExperts::Gate::Sigmoid) sigmoids();
    else shares();
}

void ExpertRows::shares() {
    constexpr GateMethod gate = GateMethod::SoftmaxTopK;
    always(model_.experts.gate == gate, "model.gate", wordOf(model_.experts.gate), wordOf(gate), [](ModelSpec& model) {
        model.experts.gate = gate;
        model.experts.capacity = 0;
    });
    is("topk_method", "greedy", {"greedy"});
    is("scoring_func", nullptr, {"softmax"});
    is("routed_scaling_factor", family_.experts.scale, {1.0});
    for (const char* unread : {"norm_topk_prob", "n_group", "topk_group"}) made_.names.insert(unread);
}

void ExpertRows::sigmoids() {
    const MoeSpec& ours = model_.experts;
    const ConfigExperts& theirs = family_.experts;
    const Json groups = value("n_group", theirs.groups);
    const GateMethod gate = groups == 1 ? GateMethod::SigmoidTopK : GateMethod::SigmoidInGroups;
    part("n_group", groups, ours.gate == gate, "model.gate", wordOf(ours.gate), wordOf(gate),
         [gate](ModelSpec& model, const Json&) {
             model.experts.gate = gate;
             model.experts.capacity = 0;
             constexpr double rateOfTheirs = 0.001;
             model.experts.biasRate = rateOfTheirs;
         });
    made_.rows.back().ours = choosesInGroups(model_) ? ours.groups : 1;
    made_.names.insert("topk_group");
    if (groups != 1) {
        number("n_group", theirs.groups, "model.expert_groups", ours.groups, &MoeSpec::groups);
        made_.rows.back().ours = nullptr;
        number("topk_group", theirs.topGroups, "model.top_groups", ours.topGroups, &MoeSpec::topGroups);
    }
    made_.rows.push_back({"topk_group", true, {}, {}, choosesInGroups(model_) ? ours.topGroups : 1});
    number("routed_scaling_factor", theirs.scale, "model.route_scale", ours.scale, &MoeSpec::scale);
    is("norm_topk_prob", theirs.sums, {true});
    is("scoring_func", nullptr, {"sigmoid"});
    is("topk_method", nullptr, {"noaux_tc"});
}

}  // namespace shardlab::trace
