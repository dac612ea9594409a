// SPDX-License-Identifier: Apache-2.0
#include "engine/train/corpus.h"

#include "engine/base/file.h"
#include "engine/base/units.h"
#include "engine/train/text_generator.h"

#include <algorithm>

namespace shardlab {

Result<Corpus> Corpus::load(const Layout& layout) {
    if (layout.data.kind == "generator")
        return fromText(generateText(layout.run.seed, generatedBytes), layout, "the built-in text");
    Result<std::string> text = readFile(layout.data.path, largestTextBytes);
    if (!text) return fail(text.error());
    return fromText(std::move(*text), layout, layout.data.path);
}

Result<Corpus> Corpus::fromText(std::string text, const Layout& layout, const std::string& where) {
    Corpus corpus;
    corpus.text_ = std::move(text);
    corpus.window_ = layout.model.sequence + 1;
    const auto bytes = static_cast<std::int64_t>(corpus.text_.size());
    const auto validationBytes = static_cast<std::int64_t>(static_cast<double>(bytes) * layout.data.validation);
    corpus.validationBegin_ = bytes - validationBytes;
    corpus.trainWindows_ = corpus.validationBegin_ / corpus.window_;
    corpus.validationWindows_ = validationBytes / corpus.window_;

    const auto tooShort = [&](const char* part, std::int64_t has) {
        return fail(Error{"text too short", where,
                          std::string("the ") + part + " part has " + formatBytes(has) + ", one window needs " +
                              formatBytes(corpus.window_) + " (model.sequence + 1)",
                          "a longer text, a shorter model.sequence or another data.validation"});
    };
    if (bytes == 0) return fail(Error{"text is empty", where, "there is nothing to train on", "a text file"});
    if (corpus.trainWindows_ == 0) return tooShort("training", corpus.validationBegin_);
    if (layout.data.validation > 0 && corpus.validationWindows_ == 0) return tooShort("validation", validationBytes);

    const auto outside = std::find_if(corpus.text_.begin(), corpus.text_.end(), [&](char byte) {
        return static_cast<unsigned char>(byte) >= layout.model.vocabulary;
    });
    if (outside != corpus.text_.end())
        return fail(Error{"byte outside the vocabulary", where,
                          "byte " + std::to_string(outside - corpus.text_.begin()) + " is " +
                              std::to_string(static_cast<unsigned char>(*outside)) + ", model.vocabulary is " +
                              std::to_string(layout.model.vocabulary),
                          "model.vocabulary of 256 holds every byte"});
    return corpus;
}

std::string Corpus::summary() const {
    return formatBytes(static_cast<std::int64_t>(text_.size())) + " of text: " + std::to_string(trainWindows_) +
           " windows to train on, " + std::to_string(validationWindows_) + " to validate on";
}

std::string_view Corpus::trainWindow(std::int64_t index) const {
    return std::string_view(text_).substr(static_cast<std::size_t>(index * window_), static_cast<std::size_t>(window_));
}

std::string_view Corpus::validationWindow(std::int64_t index) const {
    const std::int64_t begin = validationBegin_ + index * window_;
    return std::string_view(text_).substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(window_));
}

}  // namespace shardlab
