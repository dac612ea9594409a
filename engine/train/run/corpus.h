// SPDX-License-Identifier: Apache-2.0
// The data of a run, text as tokens or images, split into a part to train on and a part to validate on.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::train {

inline constexpr std::size_t generatedBytes = std::size_t{1} << 20;
/// How many images are generated: as many as fit with their classes into so many numbers, within these bounds.
inline constexpr std::int64_t generatedNumbers = std::int64_t{1} << 21, fewestImages = 256, mostImages = 4096;
inline constexpr std::int64_t largestTextBytes = std::int64_t{1} << 30;

using Tokens = std::vector<std::uint16_t>;

/// The data is cut into windows that do not overlap. A window of text has sequence + 1 tokens: the tokens of a sample
/// and, one further, its targets. A window of images is one image, the bytes of its pixels, with its class behind them.
/// Training windows come from the beginning of the text, validation windows from its end, or from files of their own.
class Corpus {
public:
    /// Reads or generates layout.data. Errors: no such file, empty, longer than largestTextBytes, fewer tokens than one
    /// window of each part or, where what fills no global batch is dropped, than one of those, a token outside the
    /// vocabulary, a tokenizer that cannot be read.
    static Result<Corpus> load(const Layout& layout);
    /// Makes the corpus of a given text; `where` names it in errors.
    static Result<Corpus> fromText(std::string_view text, const Layout& layout, const std::string& where);
    /// Where `validation` is empty, the share data.validation at the end of `train` is taken for it.
    static Result<Corpus> fromTokens(Tokens train, Tokens validation, const Layout& layout, const std::string& where);

    /// "1.05 M tokens of text: 7320 windows to train on, 813 to validate on", for the log.
    std::string summary() const;
    std::int64_t trainWindows() const { return trainWindows_; }
    std::int64_t validationWindows() const { return validationWindows_; }
    /// A window has sequence + 1 tokens, or sampleInputs + 1 numbers of an image.
    std::span<const std::uint16_t> trainWindow(std::int64_t index) const;
    std::span<const std::uint16_t> validationWindow(std::int64_t index) const;

private:
    static Result<Corpus> ofImages(const Layout& layout);

    bool images_ = false;
    Tokens tokens_;  ///< training data, then validation data
    std::int64_t window_ = 0;
    std::int64_t trainWindows_ = 0;
    std::int64_t validationBegin_ = 0;  ///< index of the first token
    std::int64_t validationWindows_ = 0;
};

}  // namespace shardlab::train
