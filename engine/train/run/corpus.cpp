// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/corpus.h"

#include "engine/base/file.h"
#include "engine/base/units.h"
#include "engine/train/run/gpt2_tokenizer.h"
#include "engine/train/run/image_generator.h"
#include "engine/train/run/text_generator.h"
#include "engine/train/run/token_files.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace shardlab::train {

namespace {

Result<Tokens> tokensOf(std::string_view text, const Layout& layout, const std::string& where) {
    if (layout.data.tokenizer == TokenizerKind::Byte) {
        Tokens tokens(text.size());
        std::ranges::transform(text, tokens.begin(), [](char byte) { return static_cast<unsigned char>(byte); });
        return tokens;
    }
    const Result<Gpt2Tokenizer> tokenizer = Gpt2Tokenizer::load(layout.data.tokenizerPath);
    if (!tokenizer) return fail(tokenizer.error());
    return tokenizer->encode(text, where);
}

}  // namespace

Result<Corpus> Corpus::load(const Layout& layout) {
    if (readsImages(layout.model)) return ofImages(layout);
    if (layout.data.kind == DataKind::Generator)
        return fromText(generateText(layout.run.seed, generatedBytes), layout, "the built-in text");
    if (layout.data.kind == DataKind::Tokens) {
        Result<TokenFiles> files = readTokenFiles(layout.data.path, layout.model.vocabulary);
        if (!files) return fail(files.error());
        return fromTokens(std::move(files->train), std::move(files->validation), layout, layout.data.path);
    }
    const Result<std::string> text = readFile(layout.data.path, largestTextBytes);
    if (!text) return fail(text.error());
    return fromText(*text, layout, layout.data.path);
}

Result<Corpus> Corpus::ofImages(const Layout& layout) {
    Corpus corpus;
    corpus.images_ = true;
    corpus.window_ = sampleInputs(layout.model) + 1;
    const std::int64_t images = std::clamp(generatedNumbers / corpus.window_, fewestImages, mostImages);
    if (layout.data.validation > 0)
        corpus.validationWindows_ =
            std::max<std::int64_t>(1, std::llround(static_cast<double>(images) * layout.data.validation));
    corpus.trainWindows_ = images - corpus.validationWindows_;
    corpus.validationBegin_ = corpus.trainWindows_ * corpus.window_;
    if (layout.data.lastBatch == LastBatch::Drop && corpus.trainWindows_ < layout.batch.global)
        return fail(
            Error{"too few images", "the built-in images",
                  fmt::format("{} are to train on, a global batch takes {}, and data.last_batch drop leaves out what "
                              "fills none",
                              corpus.trainWindows_, layout.batch.global),
                  "a smaller batch.global, or data.last_batch carry or pad"});
    corpus.tokens_ = generateImages(layout.run.seed, layout.model, images);
    return corpus;
}

Result<Corpus> Corpus::fromText(std::string_view text, const Layout& layout, const std::string& where) {
    Result<Tokens> tokens = tokensOf(text, layout, where);
    if (!tokens) return fail(tokens.error());
    return fromTokens(std::move(*tokens), {}, layout, where);
}

Result<Corpus> Corpus::fromTokens(Tokens train, Tokens validation, const Layout& layout, const std::string& where) {
    const bool bytes = layout.data.kind != DataKind::Tokens && layout.data.tokenizer == TokenizerKind::Byte;
    Corpus corpus;
    corpus.window_ = layout.model.sequence + 1;
    const auto all = static_cast<std::int64_t>(train.size());
    const bool own = !validation.empty();
    const auto validationTokens = own ? static_cast<std::int64_t>(validation.size())
                                      : static_cast<std::int64_t>(static_cast<double>(all) * layout.data.validation);
    corpus.validationBegin_ = own ? all : all - validationTokens;
    corpus.tokens_ = std::move(train);
    corpus.tokens_.insert(corpus.tokens_.end(), validation.begin(), validation.end());
    corpus.trainWindows_ = corpus.validationBegin_ / corpus.window_;
    corpus.validationWindows_ = validationTokens / corpus.window_;

    const auto size = [&](std::int64_t count) { return bytes ? formatBytes(count) : fmt::format("{} tokens", count); };
    const auto tooShort = [&](const char* part, std::int64_t has) {
        return fail(Error{"text too short", where,
                          fmt::format("the {} part has {}, one window needs {} (model.sequence + 1)", part, size(has),
                                      size(corpus.window_)),
                          "a longer text, a shorter model.sequence or another data.validation"});
    };
    if (all == 0) return fail(Error{"text is empty", where, "there is nothing to train on", "a text file"});
    if (corpus.trainWindows_ == 0) return tooShort("training", corpus.validationBegin_);
    if (layout.data.validation > 0 && corpus.validationWindows_ == 0) return tooShort("validation", validationTokens);

    if (layout.data.lastBatch == LastBatch::Drop && corpus.trainWindows_ < layout.batch.global)
        return fail(
            Error{"text too short", where,
                  fmt::format("the training part has {} windows, a global batch takes {}, and data.last_batch drop "
                              "leaves out what fills none",
                              corpus.trainWindows_, layout.batch.global),
                  "a longer text, a smaller batch.global, or data.last_batch carry or pad"});

    const auto outside =
        std::ranges::find_if(corpus.tokens_, [&](std::uint16_t token) { return token >= layout.model.vocabulary; });
    if (outside != corpus.tokens_.end())
        return fail(Error{fmt::format("{} outside the vocabulary", bytes ? "byte" : "token"), where,
                          fmt::format("{} {} is {}, model.vocabulary is {}", bytes ? "byte" : "token",
                                      outside - corpus.tokens_.begin(), *outside, layout.model.vocabulary),
                          bytes ? "model.vocabulary of 256 holds every byte"
                                : fmt::format("model.vocabulary above {}", *std::ranges::max_element(corpus.tokens_))});
    return corpus;
}

std::string Corpus::summary() const {
    if (images_) return fmt::format("{} images to train on, {} to validate on", trainWindows_, validationWindows_);
    return fmt::format("{} tokens of text: {} windows to train on, {} to validate on",
                       formatCount(static_cast<double>(tokens_.size())), trainWindows_, validationWindows_);
}

std::span<const std::uint16_t> Corpus::trainWindow(std::int64_t index) const {
    return std::span(tokens_).subspan(static_cast<std::size_t>(index * window_), static_cast<std::size_t>(window_));
}

std::span<const std::uint16_t> Corpus::validationWindow(std::int64_t index) const {
    const std::int64_t begin = validationBegin_ + index * window_;
    return std::span(tokens_).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(window_));
}

}  // namespace shardlab::train
