// SPDX-License-Identifier: Apache-2.0
// The data of a run, text as tokens or images, split into a part to train on and a part to validate on.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"
#include "engine/layout/data/token_row.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::layout {

inline constexpr std::size_t generatedBytes = std::size_t{1} << 20;
/// How many images are generated: as many as fit with their classes into so many numbers, within these bounds.
inline constexpr std::int64_t generatedNumbers = std::int64_t{1} << 21, fewestImages = 256, mostImages = 4096;
/// Bytes of a text that a tokenizer turns into tokens, all of which each rank holds.
inline constexpr std::int64_t largestTextBytes = std::int64_t{1} << 30;

/// The data is cut into windows that do not overlap. A window of text has sequence + 1 tokens: the tokens of a sample
/// and, one further, its targets. A window of images is one image, the bytes of its pixels, with its class behind them.
/// Training windows come from the beginning of the text, validation windows from its end, or from files of their own.
/// Where data.documents is apart, a window lies within one document.
class Corpus {
public:
    /// Finds, reads or generates layout.data; tokens in files are only looked at. Errors: no such file, empty, a text
    /// longer than largestTextBytes, fewer tokens than one window of each part or, where what fills no global batch is
    /// dropped, than one of those, a token outside the vocabulary (of a file, one of its first mostTokensChecked), a
    /// tokenizer that cannot be read, files of tokens without documents where data.documents is apart.
    static Result<Corpus> load(const Layout& layout);
    /// Makes the corpus of a given text; `where` names it in errors.
    static Result<Corpus> fromText(std::string_view text, const Layout& layout, const std::string& where);

    /// "1.05 M tokens of text: 7320 windows to train on, 813 to validate on", for the log.
    std::string summary() const;
    std::int64_t trainWindows() const { return trainWindows_; }
    std::int64_t validationWindows() const { return validationWindows_; }
    /// A window has sequence + 1 tokens, or sampleInputs + 1 numbers of an image. Throws as TokenRow::read does.
    std::vector<std::int32_t> trainWindow(std::int64_t index) const { return window(index); }
    std::vector<std::int32_t> validationWindow(std::int64_t index) const { return window(trainWindows_ + index); }

private:
    /// What is read, before it is cut into windows.
    struct Material;
    static Result<Corpus> ofImages(const Layout& layout);
    static Result<Corpus> ofTokenFiles(const Layout& layout);
    static Result<Corpus> ofJsonLines(const Layout& layout);
    static Result<Corpus> cut(Material material, const Layout& layout, const std::string& where);
    std::int64_t firstOf(std::int64_t window) const;
    std::vector<std::int32_t> window(std::int64_t index) const;

    bool images_ = false;
    TokenRow tokens_;  ///< training data, then validation data
    int limit_ = 0;    ///< all tokens are below it
    std::int64_t window_ = 0;
    std::int64_t trainWindows_ = 0;
    std::int64_t validationBegin_ = 0;  ///< number of the first token
    std::int64_t validationWindows_ = 0;
    std::vector<std::int64_t> documents_;      ///< first token of each, where windows lie within them
    std::vector<std::int64_t> windowsBefore_;  ///< windows of the documents before each
};

}  // namespace shardlab::layout
