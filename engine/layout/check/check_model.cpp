// SPDX-License-Identifier: Apache-2.0
#include "engine/base/divisors.h"
#include "engine/layout/block_parts.h"
#include "engine/layout/check/check_rules.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/suggest.h"

#include <algorithm>

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
    const int blocks = blockCount(m), modules = predictionModules(m);
    double widths = m.feedForward.empty() ? 4.0 * m.hidden * blocks : 0;
    for (const int width : m.feedForward) widths += double(width) * (m.feedForward.size() == 1 ? blocks : 1);
    if (m.feedForward.size() > 1) widths += double(m.feedForward.back()) * modules;
    if (blockParts(m).gated()) widths *= 1.5;
    if (hasExperts(m)) {
        if (m.experts.width > 0) widths += double(m.experts.width) * blocks;
        widths *= std::max(1.0, double(m.experts.count) + m.experts.shared +
                                    std::max(m.experts.capacity, 1.0) * expertsPerToken(m));
    }
    const double parameters = 8.0 * blocks * inputs * queries + 2.0 * widths * m.hidden +
                              4.0 * (double(m.vocabulary) + m.sequence) * m.hidden;
    const double ofModule = 2.0 * m.hidden * m.hidden + tokens * (m.vocabulary + 8.0 * m.hidden);
    return parameters + blocks * perLayer + 2 * tokens * widths + tokens * m.vocabulary + modules * ofModule;
}

Sentence fromTwo(int most) { return most > 2 ? say("2 to {}", most) : "2"; }

/// Numbers of groups of at least `inGroup` experts each.
Sentence groupNumbers(int experts, int inGroup) {
    std::vector<std::string> numbers;
    for (const int groups : divisors(experts))
        if (groups >= 2 && groups <= experts / inGroup) numbers.push_back(std::to_string(groups));
    return numbers.empty() ? say("a model.experts that has divisors") : alternatives(numbers);
}

/// Groups of equally many experts, enough for what a token takes of them.
void checkGroups(const MoeSpec& experts, std::vector<Fault>& faults) {
    const int groups = experts.groups;
    if (groups < 2 || experts.count < 2) return;
    if (experts.topGroups > groups)
        faults.push_back({"/model/top_groups", say("{} groups of a token, but there are {}", experts.topGroups, groups),
                          say("a token goes to a group once"), fromTwo(groups)});
    if (experts.count % groups != 0) {
        faults.push_back({"/model/expert_groups", say("{} groups do not divide {} experts", groups, experts.count),
                          say("every group has the same number of experts, two or more"),
                          groupNumbers(experts.count, 2)});
        return;
    }
    if (const int inGroup = experts.count / groups; inGroup < 2)
        faults.push_back({"/model/expert_groups", say("{} groups of {} experts", groups, experts.count),
                          say("every group has the same number of experts, two or more"),
                          groupNumbers(experts.count, 2)});
    else if (traits(experts.gate).inGroups) {
        if (experts.topK > inGroup * std::min(experts.topGroups, groups))
            faults.push_back(
                {"/model/top_k", say("{} experts of {} groups of {}", experts.topK, experts.topGroups, inGroup),
                 say("a token goes to an expert once"),
                 say("{}; or more model.top_groups", fromTwo(inGroup * std::min(experts.topGroups, groups)))});
    } else if (experts.topK > inGroup)
        faults.push_back({"/model/top_k", say("{} experts of each group, but there are {}", experts.topK, inGroup),
                          say("a token goes to an expert once"),
                          say("{}; or fewer model.expert_groups", fromTwo(inGroup))});
}

/// Places for tokens are no more than tokens may take. As no expert has more places than a sample has tokens, as many
/// experts of a token as there are always do.
void checkCap(const ModelSpec& model, std::vector<Fault>& faults) {
    const MoeSpec& experts = model.experts;
    if (model.sequence < 1) return;
    const std::int64_t places = std::int64_t{experts.count} * expertCapacity(model);
    const std::int64_t fewest = (places + model.sequence - 1) / model.sequence;
    const Sentence legal = fewest < experts.count ? say("{} to {}", fewest, experts.count) : std::to_string(fewest);
    if (experts.tokenExperts > experts.count)
        faults.push_back({"/model/token_experts",
                          say("{} experts of a token, but there are {}", experts.tokenExperts, experts.count),
                          say("a token goes to an expert once"), legal});
    else if (experts.tokenExperts < fewest)
        faults.push_back({"/model/token_experts",
                          say("{} experts with {} places each cannot all be full where {} tokens take {} each",
                              experts.count, expertCapacity(model), model.sequence, experts.tokenExperts),
                          say("experts fill all of their places"), say("{}; or a smaller model.capacity", legal)});
}

/// Rows without a limit are as many as tokens ask for.
void checkDropless(const MoeSpec& experts, std::vector<Fault>& faults) {
    const GateTraits& gate = traits(experts.gate);
    if (gate.expertsChoose || gate.draws)
        faults.push_back({"/model/capacity", say("no limit with the gate {}", gate.word),
                          gate.expertsChoose ? say("experts take as many tokens as the capacity says")
                                             : say("how many rows there are would depend on what is drawn"),
                          say("more than 0; or a gate with which every token chooses equally many experts")});
}

void checkExperts(const Layout& layout, std::vector<Fault>& faults) {
    const ModelSpec& model = layout.model;
    const MoeSpec& experts = model.experts;
    const int every = experts.every > 0 ? experts.every : traits(model.kind).expertsEvery;
    const int highest = model.layers / every * every;  // counted from 1
    if (model.layers > 0 && every > model.layers)
        faults.push_back({experts.every > 0 ? "/model/experts_every" : "/model/layers",
                          model.layers == 1 ? say("1 layer and experts in every {}. block", every)
                                            : say("{} layers and experts in every {}. block", model.layers, every),
                          say("no block has experts then"),
                          say("{} layers or more; or model.experts_every {}; or a model without experts", every,
                              model.layers == 1 ? "1" : say("1 to {}", model.layers))});
    else if (model.layers > 0 && experts.denseLayers >= highest)
        faults.push_back({"/model/dense_layers",
                          experts.denseLayers == 1
                              ? say("the lowest block is dense, and the highest with experts is the {}.", highest)
                              : say("the lowest {} blocks are dense, and the highest with experts is the {}.",
                                    experts.denseLayers, highest),
                          say("no block has experts then"),
                          highest > 1 ? say("0 to {}; or a model without experts", highest - 1)
                                      : say("0; or a model without experts")});
    if (dropless(model)) checkDropless(experts, faults);
    if (traits(experts.gate).takesTopK && !hasGroups(model) && !choosesInGroups(model) && experts.topK > experts.count)
        faults.push_back({"/model/top_k", say("{} experts of a token, but there are {}", experts.topK, experts.count),
                          say("a token goes to an expert once"), fromTwo(experts.count)});
    if (capsTokens(model)) checkCap(model, faults);
    if (hasGroups(model) || choosesInGroups(model)) checkGroups(experts, faults);
    const double rows = dropless(model) ? 0 : double(experts.count) * layout.batch.micro * expertCapacity(model);
    const double choices = double(layout.batch.micro) * model.sequence * expertChoices(model);
    if (std::max(rows, choices) > mostRows)
        faults.push_back({"/model/capacity", say("{:.3g} places of experts are too many at once", rows),
                          say("they are numbered with 32 bits, and so are the choices of all tokens"),
                          say("a smaller capacity or microbatch, or fewer experts")});
}

/// Heads of queries in groups that share a key, and pairs of numbers that can be turned.
void checkRotary(const ModelSpec& model, std::vector<Fault>& faults) {
    const BlockSpec& block = model.block;
    if (model.heads < 1 || model.hidden < 1 || block.kvHeads < 0) return;
    const bool latent = latentAttention(model);  // whose heads have keys of their own, and columns that stay
    if (!latent && block.kvHeads > 0 && model.heads % block.kvHeads != 0)
        faults.push_back({"/model/kv_heads", say("{} heads of keys do not divide {} heads", block.kvHeads, model.heads),
                          say("each head of keys is read by the same number of heads of queries"),
                          say("{}; or 0 for as many as heads", divisorText(model.heads, block.kvHeads))});
    if (block.rotary.scaling == RotaryScaling::Yarn && block.rotary.base == 1)
        faults.push_back({"/model/rope_base", say("with a base of 1 all pairs turn alike"),
                          say("yarn tells pairs apart by how often they turn"),
                          say("more than 1; or model.rope_scaling none")});
    if (const RotarySpec& rotary = block.rotary;
        rotary.scaling != RotaryScaling::None && rotaryHigh(rotary) <= rotary.low)
        faults.push_back(
            {"/model/rope_high", say("pairs that turn {} times are both slowed down and left as they are", rotary.low),
             say("the turns at which pairs are left as they are lie above those at which they are slowed down"),
             say("more than {}; or a smaller model.rope_low", rotary.low)});
    if (latent) return;
    if (block.headWidth > 0 && block.headWidth % 2 != 0)
        faults.push_back({"/model/head_width", say("heads of {} numbers cannot be turned in pairs", block.headWidth),
                          say("the rotary embedding turns the numbers of a head in pairs"),
                          say("an even number; or 0 for hidden ÷ heads")});
    if (block.headWidth == 0 && model.hidden % model.heads == 0 && model.hidden / model.heads % 2 != 0)
        faults.push_back(
            {"/model/heads",
             model.hidden == model.heads
                 ? say("heads of 1 number cannot be turned in pairs")
                 : say("heads of {} numbers cannot be turned in pairs", model.hidden / model.heads),
             say("the rotary embedding turns the numbers of a head in pairs"),
             model.hidden % 2 == 0 ? divisorText(model.hidden / 2, model.heads) : say("an even model.hidden")});
}

/// Caps that are so small that fp32 tells no scores, or no logits, apart.
void checkCaps(const BlockSpec& block, std::vector<Fault>& faults) {
    constexpr double least = 0.01;
    const auto check = [&](double cap, const char* pointer, const Sentence& what) {
        if (cap > 0 && cap < least)
            faults.push_back({pointer, say("a cap of {} presses all {} together", cap, what),
                              say("{} between −cap and cap are told apart by fp32 where the cap is not tiny", what),
                              say("{} to 1000000; or 0 for no cap", least)});
    };
    check(block.attentionCap, "/model/attention_cap", say("scores"));
    check(block.logitCap, "/model/logit_cap", say("logits"));
}

/// Each module's target lies one token further ahead.
void checkPredictions(const Layout& layout, std::vector<Fault>& faults) {
    const int modules = predictionModules(layout.model), sequence = layout.model.sequence;
    if (modules > 0 && sequence > 0 && modules >= sequence)
        faults.push_back({"/model/predicted_tokens",
                          say("a token {} ahead lies behind the end of samples of {}", modules, sequence),
                          say("a token of a sample is to be there for each to be predicted from"),
                          sequence > 1 ? say("0 to {}", sequence - 1) : say("0; or a longer model.sequence")});
}

void checkHeads(const ModelSpec& model, std::vector<Fault>& faults) {
    const bool divides = !choosesParts(model) || model.block.headWidth == 0;
    if (hasAttention(model) && divides && model.heads > 0 && model.hidden > 0 && model.hidden % model.heads != 0)
        faults.push_back({"/model/heads", say("{} heads do not divide hidden {}", model.heads, model.hidden),
                          say("every head gets the same number of columns, hidden ÷ heads"),
                          divisorText(model.hidden, model.heads)});
}

void checkWidths(const ModelSpec& model, std::vector<Fault>& faults) {
    const std::vector<int>& widths = model.feedForward;
    if (!readsImages(model) && widths.size() > 1 &&
        widths.size() != static_cast<std::size_t>(std::max(model.layers, 0)))
        faults.push_back({"/model/feed_forward",
                          say("{} widths are listed, but the model has {} layers", widths.size(), model.layers),
                          say("every layer has a feed-forward block of its own width"),
                          say("{} numbers; or [] for 4 × hidden = {} in every layer; or one number for all",
                              model.layers, 4 * std::int64_t{model.hidden})});
}

/// What the model reads, and with which tokens.
void checkData(const Layout& layout, std::vector<Fault>& faults) {
    const ModelSpec& model = layout.model;
    const DataSpec& data = layout.data;
    if (!readsImages(model) && data.tokenizer == TokenizerKind::Byte && data.kind != DataKind::Tokens &&
        model.vocabulary > 0 && model.vocabulary < 256)
        faults.push_back({"/model/vocabulary", say("{} is too small for the bytes tokenizer", model.vocabulary),
                          say("a byte is a token, and there are 256"), say("256 or more")});

    if (data.kind == DataKind::Text && data.path.empty())
        faults.push_back({"/data/path", say("no text file is named"), say("data of kind text is read from a file"),
                          say("the path of a UTF-8 file, or data.kind generator")});

    if (data.kind == DataKind::Tokens && data.path.empty())
        faults.push_back({"/data/path", say("no file of tokens is named"),
                          say("data of kind tokens is read from .bin files"), say("a .bin file, or a folder of them")});

    if (data.kind == DataKind::JsonLines && data.path.empty())
        faults.push_back({"/data/path", say("no file of JSON Lines is named"),
                          say("data of kind jsonl is read from a file"),
                          say("the path of a file with a JSON object a line, or data.kind generator")});

    if (data.kind == DataKind::JsonLines && data.textField.empty())
        faults.push_back({"/data/text_field", say("no field is named"), say("one field of each line is the text"),
                          say("\"text\", say")});

    if (readsTokenizer(layout) && data.tokenizerPath.empty())
        faults.push_back({"/data/tokenizer_path", say("no files of the tokenizer are named"),
                          data.tokenizer == TokenizerKind::Gpt2 ? say("gpt2 is read from vocab.json and merges.txt")
                                                                : say("tokenizer.json is read from that file"),
                          say("the folder they lie in, or data.tokenizer bytes")});
}

/// The kinds that have published weights of the blocks that the layout chooses.
Sentence kindsWithWeights(ModelSpec model) {
    const Sentence kinds = wordsWhere(modelTraits, [&](const ModelTraits& each) {
        model.kind = *kindOf<ModelKind>(each.word);
        return hasPublishedBlocks(model);
    });
    return kinds.empty() ? say("no weights") : say("model.kind {}; or no weights", kinds);
}

void checkWeights(const ModelSpec& model, std::vector<Fault>& faults) {
    if (model.weights.empty()) return;
    if (choosesParts(model) && !hasPublishedBlocks(model))
        faults.push_back(
            {"/model/weights", say("no weights have the blocks of this {}", wordOf(model.kind)),
             traits(model.kind).weights == WeightsFormat::Gpt2
                 ? say("a GPT-2 has layer norms, learned positions, biases, GELU and a tied output, no sinks and no "
                       "caps")
             : hasExperts(model)
                 ? say("a Mixtral and a Qwen3-MoE have experts in all blocks, none of them shared, a capacity of 0, "
                       "the gate top-k-softmax (a Qwen3-MoE perhaps softmax-top-k), RMSNorm, rotary positions and "
                       "gates, no biases; a DeepSeek-V3 has latent attention, shared experts and a gate of sigmoids "
                       "with a bias (a DeepSeek-V2 softmax-top-k without one, a Dots1 norms of queries and keys "
                       "instead of latents); a GPT-OSS has experts as a Mixtral, with biases everywhere, "
                       "model.score_bias and sinks, and the activation swiglu-clamped")
                 : say("a Llama and its relatives have RMSNorm, rotary positions and gates, and not both norms of "
                       "queries and their biases; a Starcoder2 has layer norms and no gates, an Arcee no gates, a "
                       "StableLM layer norms; a DeepSeek-V3 has no biases, no window, and an epsilon of 1e-6"),
             hasExperts(model) ? say("no weights; or experts and blocks as one of these has them")
                               : say("no weights; or the defaults of the fields that choose parts of blocks")});
    if (traits(model.kind).weights == WeightsFormat::None)
        faults.push_back({"/model/weights", say("no weights to start from fit a model of kind {}", wordOf(model.kind)),
                          say("the weights of GPT-2 and Llama belong to other layers"), kindsWithWeights(model)});
}

/// Sizes beyond what is counted with.
void checkSizes(const Layout& layout, std::vector<Fault>& faults) {
    const ModelSpec& model = layout.model;
    const double rows = double(layout.batch.micro) * model.sequence;
    if (!readsImages(model) && rows > mostRows)
        faults.push_back({"/batch/micro",
                          say("{} samples of {} tokens are too many at once", layout.batch.micro, model.sequence),
                          say("matrix products number their rows, micro × sequence, with 32 bits"),
                          say("at most {}", static_cast<long long>(mostRows / model.sequence))});

    if (floatsInSight(layout) > mostFloats)
        faults.push_back({"/model/hidden", say("the model and its batch are too large to count"),
                          say("bytes are counted with 63 bits, and this is far beyond any machine"),
                          say("smaller layers, hidden, sequence, vocabulary or batch")});
}

}  // namespace

void checkModel(const Layout& layout, std::vector<Fault>& faults) {
    const ModelSpec& model = layout.model;
    checkHeads(model, faults);
    if (hasExperts(model)) checkExperts(layout, faults);
    if (blockParts(model).rotary) checkRotary(model, faults);
    if (choosesParts(model)) checkCaps(model.block, faults);
    checkPredictions(layout, faults);
    checkWidths(model, faults);
    checkData(layout, faults);
    checkWeights(model, faults);
    checkSizes(layout, faults);
}

}  // namespace shardlab::layout
