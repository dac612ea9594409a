// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/block_parts.h"
#include "engine/layout/check/check_rules.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab::layout {
namespace {

constexpr double mostRows = 2147483647;  ///< matrix products number rows with 32 bits
constexpr double mostFloats = 1e17;      ///< bytes are counted with 63 bits

/// Upper bound of the floats of a whole step on one rank, in floating point so that nothing wraps.
double floatsInSight(const Layout& layout) {
    const ModelSpec& m = layout.model;
    if (readsImages(m)) {
        const double pixels = double(m.cnn.image) * m.cnn.image,
                     channels = std::max(double(m.cnn.channels), 8.0 * m.hidden);
        return 9.0 * m.layers * m.cnn.convolutions * (channels * channels + layout.batch.global * pixels * channels) +
               pixels * channels * m.cnn.classes;
    }
    const double tokens = double(layout.batch.global) * m.sequence;
    double queries = std::max(double(m.hidden), double(m.heads) * queryWidth(m)), inputs = m.hidden;
    if (latentAttention(m)) {
        queries = std::max({queries, double(m.heads) * (headWidth(m) + valueWidth(m)), double(downColumns(m))});
        inputs = std::max(inputs, double(downColumns(m)));
    }
    const double perLayer = tokens * (12.0 * queries + double(m.heads) * m.sequence);
    double widths = m.feedForward.empty() ? 4.0 * m.hidden * m.layers : 0;
    for (const int width : m.feedForward) widths += double(width) * (m.feedForward.size() == 1 ? m.layers : 1);
    if (blockParts(m).gated()) widths *= 1.5;
    if (hasExperts(m)) {
        if (m.experts.width > 0) widths += double(m.experts.width) * m.layers;
        widths *= std::max(1.0, double(m.experts.count) + m.experts.shared +
                                    std::max(m.experts.capacity, 1.0) * expertsPerToken(m));
    }
    const double parameters = 8.0 * m.layers * inputs * queries + 2.0 * widths * m.hidden +
                              4.0 * (double(m.vocabulary) + m.sequence) * m.hidden;
    return parameters + m.layers * perLayer + 2 * tokens * widths + tokens * m.vocabulary;
}

std::string fromTwo(int most) { return most > 2 ? fmt::format("2 to {}", most) : "2"; }

/// Numbers of groups of at least `inGroup` experts each.
std::string groupNumbers(int experts, int inGroup) {
    std::vector<std::string> numbers;
    for (int groups = 2; groups <= experts / inGroup; ++groups)
        if (experts % groups == 0) numbers.push_back(std::to_string(groups));
    return numbers.empty() ? "a model.experts that has divisors" : alternatives(numbers);
}

/// Groups of equally many experts, enough for what a token takes of them.
void checkGroups(const MoeSpec& experts, std::vector<Fault>& faults) {
    const int groups = experts.groups;
    if (groups < 2 || experts.count < 2) return;
    if (experts.topGroups > groups)
        faults.push_back({"/model/top_groups",
                          fmt::format("{} groups of a token, but there are {}", experts.topGroups, groups),
                          "a token goes to a group once", fromTwo(groups)});
    if (experts.count % groups != 0) {
        faults.push_back({"/model/expert_groups",
                          fmt::format("{} groups do not divide {} experts", groups, experts.count),
                          "every group has the same number of experts, two or more", groupNumbers(experts.count, 2)});
        return;
    }
    if (const int inGroup = experts.count / groups; inGroup < 2)
        faults.push_back({"/model/expert_groups", fmt::format("{} groups of {} experts", groups, experts.count),
                          "every group has the same number of experts, two or more", groupNumbers(experts.count, 2)});
    else if (traits(experts.gate).inGroups) {
        if (experts.topK > inGroup * std::min(experts.topGroups, groups))
            faults.push_back({"/model/top_k",
                              fmt::format("{} experts of {} groups of {}", experts.topK, experts.topGroups, inGroup),
                              "a token goes to an expert once",
                              fromTwo(inGroup * std::min(experts.topGroups, groups)) + "; or more model.top_groups"});
    } else if (experts.topK > inGroup)
        faults.push_back({"/model/top_k",
                          fmt::format("{} experts of each group, but there are {}", experts.topK, inGroup),
                          "a token goes to an expert once", fromTwo(inGroup) + "; or fewer model.expert_groups"});
}

/// Places for tokens are no more than tokens may take.
void checkCap(const ModelSpec& model, std::vector<Fault>& faults) {
    const MoeSpec& experts = model.experts;
    if (experts.tokenExperts > experts.count) {
        faults.push_back({"/model/token_experts",
                          fmt::format("{} experts of a token, but there are {}", experts.tokenExperts, experts.count),
                          "a token goes to an expert once", fmt::format("1 to {}", experts.count)});
        return;
    }
    const std::int64_t places = std::int64_t{experts.count} * expertCapacity(model);
    if (places <= std::int64_t{model.sequence} * experts.tokenExperts || model.sequence < 1) return;
    faults.push_back(
        {"/model/token_experts",
         fmt::format("{} experts with {} places each cannot all be full where {} tokens take {} each", experts.count,
                     expertCapacity(model), model.sequence, experts.tokenExperts),
         "experts fill all of their places",
         fmt::format("{} or more; or a smaller model.capacity", (places + model.sequence - 1) / model.sequence)});
}

/// Rows without a limit are as many as tokens ask for.
void checkDropless(const MoeSpec& experts, std::vector<Fault>& faults) {
    const GateTraits& gate = traits(experts.gate);
    if (gate.expertsChoose || gate.draws)
        faults.push_back({"/model/capacity", fmt::format("no limit with the gate {}", gate.word),
                          gate.expertsChoose ? "experts take as many tokens as the capacity says"
                                             : "how many rows there are would depend on what is drawn",
                          "more than 0; or a gate with which every token chooses equally many experts"});
    if (experts.dropout > 0)
        faults.push_back(
            {"/model/expert_dropout", "dropout within experts that have no limit of places",
             "its masks follow the places of an expert, and without a limit a token's place depends on all "
             "tokens of the microbatch",
             "0; or a model.capacity above 0"});
}

void checkExperts(const Layout& layout, std::vector<Fault>& faults) {
    const ModelSpec& model = layout.model;
    const MoeSpec& experts = model.experts;
    const int every = experts.every > 0 ? experts.every : traits(model.kind).expertsEvery;
    const int highest = model.layers / every * every;  // counted from 1
    if (model.layers > 0 && every > model.layers)
        faults.push_back({experts.every > 0 ? "/model/experts_every" : "/model/layers",
                          fmt::format("{} layer{} and experts in every {}. block", model.layers,
                                      model.layers == 1 ? "" : "s", every),
                          "no block has experts then",
                          fmt::format("{} layers or more; or model.experts_every {}; or a model without experts", every,
                                      model.layers == 1 ? "1" : fmt::format("1 to {}", model.layers))});
    else if (model.layers > 0 && experts.denseLayers >= highest)
        faults.push_back({"/model/dense_layers",
                          fmt::format("the lowest {} blocks are dense, and the highest with experts is the {}.",
                                      experts.denseLayers, highest),
                          "no block has experts then",
                          highest > 1 ? fmt::format("0 to {}; or a model without experts", highest - 1)
                                      : "0; or a model without experts"});
    if (dropless(model)) checkDropless(experts, faults);
    if (traits(experts.gate).takesTopK && !hasGroups(model) && !choosesInGroups(model) && experts.topK > experts.count)
        faults.push_back({"/model/top_k",
                          fmt::format("{} experts of a token, but there are {}", experts.topK, experts.count),
                          "a token goes to an expert once", fromTwo(experts.count)});
    if (capsTokens(model)) checkCap(model, faults);
    if (hasGroups(model) || choosesInGroups(model)) checkGroups(experts, faults);
    const double rows = dropless(model) ? 0 : double(experts.count) * layout.batch.micro * expertCapacity(model);
    const double choices = double(layout.batch.micro) * model.sequence * expertChoices(model);
    if (std::max(rows, choices) > mostRows)
        faults.push_back({"/model/capacity", fmt::format("{:.3g} places of experts are too many at once", rows),
                          "they are numbered with 32 bits, and so are the choices of all tokens",
                          "a smaller capacity or microbatch, or fewer experts"});
}

/// Heads of queries in groups that share a key, and pairs of numbers that can be turned.
void checkRotary(const ModelSpec& model, std::vector<Fault>& faults) {
    const BlockSpec& block = model.block;
    if (model.heads < 1 || model.hidden < 1 || block.kvHeads < 0) return;
    const bool latent = latentAttention(model);  // whose heads have keys of their own, and columns that stay
    if (!latent && block.kvHeads > 0 && model.heads % block.kvHeads != 0)
        faults.push_back({"/model/kv_heads",
                          fmt::format("{} heads of keys do not divide {} heads", block.kvHeads, model.heads),
                          "each head of keys is read by the same number of heads of queries",
                          divisorText(model.heads, block.kvHeads) + "; or 0 for as many as heads"});
    if (block.rotary.scaling == RotaryScaling::Yarn && block.rotary.base == 1)
        faults.push_back({"/model/rope_base", "with a base of 1 all pairs turn alike",
                          "yarn tells pairs apart by how often they turn", "more than 1; or model.rope_scaling none"});
    if (const RotarySpec& rotary = block.rotary;
        rotary.scaling != RotaryScaling::None && rotaryHigh(rotary) <= rotary.low)
        faults.push_back({"/model/rope_high",
                          fmt::format("pairs that turn {} times are both slowed down and left as they are", rotary.low),
                          "the turns at which pairs are left as they are lie above those at which they are slowed down",
                          fmt::format("more than {}; or a smaller model.rope_low", rotary.low)});
    if (latent) return;
    if (block.headWidth > 0 && block.headWidth % 2 != 0)
        faults.push_back(
            {"/model/head_width", fmt::format("heads of {} numbers cannot be turned in pairs", block.headWidth),
             "the rotary embedding turns the numbers of a head in pairs", "an even number; or 0 for hidden ÷ heads"});
    if (block.headWidth == 0 && model.hidden % model.heads == 0 && model.hidden / model.heads % 2 != 0)
        faults.push_back({"/model/heads",
                          fmt::format("heads of {} number{} cannot be turned in pairs", model.hidden / model.heads,
                                      model.hidden == model.heads ? "" : "s"),
                          "the rotary embedding turns the numbers of a head in pairs",
                          model.hidden % 2 == 0 ? divisorText(model.hidden / 2, model.heads) : "an even model.hidden"});
}

/// Caps that are so small that fp32 tells no scores, or no logits, apart.
void checkCaps(const BlockSpec& block, std::vector<Fault>& faults) {
    constexpr double least = 0.01;
    const auto check = [&](double cap, const char* pointer, const char* what) {
        if (cap > 0 && cap < least)
            faults.push_back(
                {pointer, fmt::format("a cap of {} presses all {} together", cap, what),
                 fmt::format("{} between −cap and cap are told apart by fp32 where the cap is not tiny", what),
                 fmt::format("{} to 1000000; or 0 for no cap", least)});
    };
    check(block.attentionCap, "/model/attention_cap", "scores");
    check(block.logitCap, "/model/logit_cap", "logits");
}

}  // namespace

void checkModel(const Layout& layout, std::vector<Fault>& faults) {
    const ModelSpec& model = layout.model;
    const bool divides = !choosesParts(model) || model.block.headWidth == 0;
    if (hasAttention(model) && divides && model.heads > 0 && model.hidden > 0 && model.hidden % model.heads != 0)
        faults.push_back({"/model/heads", fmt::format("{} heads do not divide hidden {}", model.heads, model.hidden),
                          "every head gets the same number of columns, hidden ÷ heads",
                          divisorText(model.hidden, model.heads)});

    if (hasExperts(model)) checkExperts(layout, faults);
    if (blockParts(model).rotary) checkRotary(model, faults);
    if (choosesParts(model)) checkCaps(model.block, faults);

    const std::vector<int>& widths = model.feedForward;
    if (!readsImages(model) && widths.size() > 1 &&
        widths.size() != static_cast<std::size_t>(std::max(model.layers, 0)))
        faults.push_back({"/model/feed_forward",
                          fmt::format("{} widths are listed, but the model has {} layers", widths.size(), model.layers),
                          "every layer has a feed-forward block of its own width",
                          fmt::format("{} numbers; or [] for 4 × hidden = {} in every layer; or one number for all",
                                      model.layers, 4 * std::int64_t{model.hidden})});

    if (!readsImages(model) && layout.data.tokenizer == TokenizerKind::Byte && layout.data.kind != DataKind::Tokens &&
        model.vocabulary > 0 && model.vocabulary < 256)
        faults.push_back({"/model/vocabulary", fmt::format("{} is too small for the bytes tokenizer", model.vocabulary),
                          "a byte is a token, and there are 256", "256 or more"});

    if (layout.data.kind == DataKind::Text && layout.data.path.empty())
        faults.push_back({"/data/path", "no text file is named", "data of kind text is read from a file",
                          "the path of a UTF-8 file, or data.kind generator"});

    if (layout.data.kind == DataKind::Tokens && layout.data.path.empty())
        faults.push_back({"/data/path", "no file of tokens is named", "data of kind tokens is read from .bin files",
                          "a .bin file, or a folder of them"});

    if (layout.data.kind == DataKind::JsonLines && layout.data.path.empty())
        faults.push_back({"/data/path", "no file of JSON Lines is named", "data of kind jsonl is read from a file",
                          "the path of a file with a JSON object a line, or data.kind generator"});

    if (layout.data.kind == DataKind::JsonLines && layout.data.textField.empty())
        faults.push_back(
            {"/data/text_field", "no field is named", "one field of each line is the text", "\"text\", say"});

    if (readsTokenizer(layout) && layout.data.tokenizerPath.empty())
        faults.push_back({"/data/tokenizer_path", "no files of the tokenizer are named",
                          layout.data.tokenizer == TokenizerKind::Gpt2 ? "gpt2 is read from vocab.json and merges.txt"
                                                                       : "tokenizer.json is read from that file",
                          "the folder they lie in, or data.tokenizer bytes"});

    if (!model.weights.empty() && choosesParts(model) && !hasPublishedBlocks(model))
        faults.push_back(
            {"/model/weights", fmt::format("no weights have the blocks of this {}", wordOf(model.kind)),
             traits(model.kind).weights == WeightsFormat::Gpt2
                 ? "a GPT-2 has layer norms, learned positions, biases, GELU and a tied output, no sinks and no caps"
             : hasExperts(model)
                 ? "a Mixtral and a Qwen3-MoE have experts in all blocks, none of them shared, a capacity of 0, the "
                   "gate "
                   "top-k-softmax (a Qwen3-MoE perhaps softmax-top-k), RMSNorm, rotary positions and gates, no biases; "
                   "a "
                   "DeepSeek-V3 has latent attention, shared experts and a gate of sigmoids with a bias"
                 : "a Llama and its relatives have RMSNorm, rotary positions and gates, and not both norms of "
                   "queries and their biases; a DeepSeek-V3 has no biases, no window, and an epsilon of 1e-6",
             "no weights; or the defaults of the fields that choose parts of blocks"});
    if (!model.weights.empty() && traits(model.kind).weights == WeightsFormat::None)
        faults.push_back({"/model/weights",
                          fmt::format("no weights to start from fit a model of kind {}", wordOf(model.kind)),
                          "the weights of GPT-2 and Llama belong to other layers",
                          "model.kind gpt, llama or llama-moe, or no weights"});

    const double rows = double(layout.batch.micro) * model.sequence;
    if (!readsImages(model) && rows > mostRows)
        faults.push_back(
            {"/batch/micro",
             fmt::format("{} samples of {} tokens are too many at once", layout.batch.micro, model.sequence),
             "matrix products number their rows, micro × sequence, with 32 bits",
             fmt::format("at most {}", static_cast<long long>(mostRows / model.sequence))});

    if (floatsInSight(layout) > mostFloats)
        faults.push_back({"/model/hidden", "the model and its batch are too large to count",
                          "bytes are counted with 63 bits, and this is far beyond any machine",
                          "smaller layers, hidden, sequence, vocabulary or batch"});
}

}  // namespace shardlab::layout
