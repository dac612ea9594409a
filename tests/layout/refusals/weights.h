// SPDX-License-Identifier: Apache-2.0
// What is refused of the weights that a model starts from, and of the data that it reads.
#pragma once

#include "tests/layout/refusals/blocks.h"

namespace shardlab::test {

inline bool namesNoWeights(const Layout& l) { return l.model.weights.empty(); }
inline bool namesItsData(const Layout& l) { return l.data.kind == DataKind::Generator || !l.data.path.empty(); }
inline bool namesItsTokenizer(const Layout& l) {
    return l.data.tokenizer == TokenizerKind::Byte || !l.data.tokenizerPath.empty();
}
/// The words of published weights that a model's blocks can have: a GPT-2's, or those of a Llama and its relatives.
inline bool hasPublishedParts(const Layout& l) {
    const BlockSpec& b = l.model.block;
    return namesNoWeights(l) || (b.positions != PositionKind::Alibi && b.activation != ActivationKind::SquaredRelu &&
                                 (b.kvRank == 0 || b.biases != BiasKind::All));
}

inline constexpr Refusal weightsRefusals[]{
    {"weights of another model",
     [](Layout& l) {
         l.model.kind = ModelKind::Mlp;
         l.model.weights = "gpt2";
     },
     "/model/weights", "model.kind gpt",
     absent("a published format of an mlp's weights",
            [](const Layout& l) { return namesNoWeights(l) || l.model.kind != ModelKind::Mlp; })},
    {"weights of blocks that nothing published has, of a model that has none",
     [](Layout& l) {
         l.model.kind = ModelKind::Mlp;
         l.model.block.positions = PositionKind::Alibi;
         l.model.weights = "somewhere";
     },
     "/model/weights", "no weights", absent("a published format of an mlp's weights", namesNoWeights)},
    {"GPT-2's weights for experts",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.model.weights = "gpt2";
     },
     "/model/weights", "model.kind gpt",
     absent("a published format of a gpt-moe's weights",
            [](const Layout& l) { return namesNoWeights(l) || l.model.kind != ModelKind::GptMoe; })},
    {"weights of a model whose positions are learned",
     [](Layout& l) {
         l.model.block.positions = PositionKind::Alibi;
         l.model.weights = "somewhere";
     },
     "/model/weights", "no weights; or the defaults of the fields that choose parts of blocks",
     absent("published weights of a GPT-2 without learned positions", hasPublishedParts)},
    {"weights that no latent attention with biases elsewhere has",
     [](Layout& l) {
         latent(l);
         l.model.block.biases = BiasKind::All;
         l.model.weights = "somewhere";
     },
     "/model/weights", "no weights; or the defaults of the fields that choose parts of blocks",
     absent("published weights of a latent attention in blocks with biases", hasPublishedParts)},
    {"weights of other blocks",
     [](Layout& l) {
         l.model.block.activation = ActivationKind::SquaredRelu;
         l.model.weights = "somewhere";
     },
     "/model/weights", "no weights; or the defaults of the fields that choose parts of blocks",
     absent("published weights of a GPT-2 with squared ReLUs", hasPublishedParts)},
    {"weights of experts with a limit of places",
     [](Layout& l) {
         l.model.kind = ModelKind::LlamaMoe;
         l.model.weights = "somewhere";
     },
     "/model/weights", "no weights; or experts and blocks as one of these has them",
     absent("published weights of experts that a switch chooses",
            [](const Layout& l) {
                return namesNoWeights(l) ||
                       (l.model.experts.capacity == 0 && l.model.experts.gate != GateMethod::Switch);
            })},
    {"a vocabulary without all bytes", [](Layout& l) { l.model.vocabulary = 255; }, "/model/vocabulary", "256 or more",
     contradiction("256 bytes ≤ vocabulary", [](const Layout& l) { return l.model.vocabulary >= 256; })},
    {"no path", [](Layout& l) { l.data.kind = DataKind::Text; }, "/data/path", "UTF-8",
     absent("a file to read", namesItsData)},
    {"no lines of JSON", [](Layout& l) { l.data.kind = DataKind::JsonLines; }, "/data/path", "a JSON object a line",
     absent("a file to read", namesItsData)},
    {"no tokens", [](Layout& l) { l.data.kind = DataKind::Tokens; }, "/data/path", "a .bin file, or a folder of them",
     absent("a file to read", namesItsData)},
    {"no field that is the text",
     [](Layout& l) {
         l.data = {DataKind::JsonLines, "texts.jsonl"};
         l.data.textField.clear();
     },
     "/data/text_field", "text", absent("a field to read", [](const Layout& l) { return !l.data.textField.empty(); })},
    {"tokenizer without files", [](Layout& l) { l.data.tokenizer = TokenizerKind::Gpt2; }, "/data/tokenizer_path",
     "the folder they lie in", absent("files of the tokenizer", namesItsTokenizer)},
    {"no tokenizer.json", [](Layout& l) { l.data.tokenizer = TokenizerKind::Json; }, "/data/tokenizer_path",
     "the folder they lie in", absent("files of the tokenizer", namesItsTokenizer)},
    {"more rows of products than are numbered",
     [](Layout& l) {
         l.model.sequence = 65536;
         l.batch = {65538, 32769};
     },
     "/batch/micro", "at most 32767",
     contradiction("micro × sequence < 2^31",
                   [](const Layout& l) { return std::int64_t{l.batch.micro} * l.model.sequence < 1LL << 31; })},
    {"a model beyond counting",
     [](Layout& l) {
         l.model.layers = 10000;
         l.model.hidden = 65536;
         l.model.sequence = 1 << 20;
     },
     "/model/hidden", "smaller layers, hidden, sequence, vocabulary or batch",
     contradiction("the bytes of attention's scores alone, batch × layers × heads × sequence², are far below 2^63",
                   [](const Layout& l) {
                       return double(l.batch.global) * l.model.layers * l.model.heads * l.model.sequence *
                                  l.model.sequence * 4 <
                              1e18;
                   })},
};

}  // namespace shardlab::test
