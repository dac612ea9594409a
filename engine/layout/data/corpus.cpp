// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/data/corpus.h"

#include "engine/base/units.h"
#include "engine/layout/data/json_lines.h"
#include "engine/layout/data/image_generator.h"
#include "engine/layout/data/text_generator.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace shardlab::layout {

struct Corpus::Material {
    TokenRow row;
    std::int64_t trainTokens = 0;              ///< where files for validation follow: tokens before them; else all
    std::vector<std::int64_t> documents = {};  ///< first token of each
};

namespace {

bool areBytes(const Layout& layout) {
    return layout.data.kind != DataKind::Tokens && layout.data.tokenizer == TokenizerKind::Byte;
}

/// Turns texts into tokens.
class Encoder {
public:
    static Result<Encoder> make(const Layout& layout) {
        Encoder made;
        made.vocabulary_ = layout.model.vocabulary;
        if (areBytes(layout)) return made;
        Result<Tokenizer> tokenizer = Tokenizer::load(layout.data);
        if (!tokenizer) return fail(tokenizer.error());
        made.tokenizer_ = std::move(*tokenizer);
        return made;
    }

    Status append(std::string_view text, const std::string& where, Tokens& to) const {
        const std::size_t before = to.size();
        if (tokenizer_) {
            const Result<Tokens> tokens = tokenizer_->encode(text, where);
            if (!tokens) return fail(tokens.error());
            to.insert(to.end(), tokens->begin(), tokens->end());
        } else {
            for (const char byte : text) to.push_back(static_cast<unsigned char>(byte));
        }
        const auto outside =
            std::find_if(to.begin() + static_cast<std::ptrdiff_t>(before), to.end(),
                         [&](std::uint32_t token) { return std::cmp_greater_equal(token, vocabulary_); });
        if (outside == to.end()) return {};
        const TokenFile file{.path = where, .width = tokenizer_ ? sizeof(std::uint32_t) : 1};
        return fail(
            outsideVocabulary(file, static_cast<std::uint64_t>(outside - to.begin()) - before, *outside, vocabulary_));
    }

    /// The end of a text, where the tokenizer has a token for it.
    void appendEnd(Tokens& to) const {
        if (tokenizer_ && tokenizer_->endOfText()) to.push_back(*tokenizer_->endOfText());
    }

private:
    int vocabulary_ = 0;
    std::optional<Tokenizer> tokenizer_;
};

/// Appends a file, and its documents where they matter.
Status appendFile(const TokenFile& file, const Layout& layout, TokenRow& row, std::vector<std::int64_t>& documents) {
    if (const Status checked = checkTokens(file, layout.model.vocabulary); !checked) return checked;
    if (layout.data.documents == DocumentBorders::Apart) {
        const Result<std::vector<std::int64_t>> own = documentsOf(file);
        if (!own) return fail(own.error());
        for (const std::int64_t first : *own) documents.push_back(row.size() + first);
    }
    DiskFileSystem disk;
    return row.append(disk, file);
}

}  // namespace

Result<Corpus> Corpus::load(const Layout& layout) {
    const std::string& path = layout.data.path;
    if (readsImages(layout.model)) return ofImages(layout);
    if (layout.data.kind == DataKind::Generator)
        return fromText(generateText(layout.run.seed, generatedBytes), layout, "the built-in text");
    if (layout.data.kind == DataKind::Tokens) return ofTokenFiles(layout);
    if (layout.data.kind == DataKind::JsonLines) return ofJsonLines(layout);
    if (areBytes(layout)) {
        const Result<TokenFile> file = textFile(path);
        if (!file) return fail(file.error());
        Material material;
        if (const Status added = appendFile(*file, layout, material.row, material.documents); !added)
            return fail(added.error());
        return cut(std::move(material), layout, path);
    }
    const Result<std::string> text = readFile(path, largestTextBytes);
    if (!text) return fail(text.error());
    return fromText(*text, layout, path);
}

Result<Corpus> Corpus::ofImages(const Layout& layout) {
    Corpus corpus;
    corpus.images_ = true;
    corpus.window_ = sampleInputs(layout.model) + 1;
    corpus.limit_ = std::numeric_limits<int>::max();
    const std::int64_t images = std::clamp(generatedNumbers / corpus.window_, fewestImages, mostImages);
    if (layout.data.validation > 0)
        corpus.validationWindows_ =
            std::max<std::int64_t>(1, std::llround(static_cast<double>(images) * layout.data.validation));
    corpus.trainWindows_ = images - corpus.validationWindows_;
    corpus.validationBegin_ = corpus.trainWindows_ * corpus.window_;
    if (layout.data.lastBatch == LastBatch::Drop && corpus.trainWindows_ < layout.batch.global)
        return fail(Error{say("too few images"), say("the built-in images"),
                          say("{} are to train on, a global batch takes {}, and data.last_batch drop leaves out what "
                              "fills none",
                              corpus.trainWindows_, layout.batch.global),
                          say("a smaller batch.global, or data.last_batch carry or pad")});
    corpus.tokens_.append(generateImages(layout.run.seed, layout.model, images), "the built-in images");
    return corpus;
}

/// Files with "val" in their name are for validation.
Result<Corpus> Corpus::ofTokenFiles(const Layout& layout) {
    const Result<std::vector<TokenFile>> files = findTokenFiles(layout.data.path);
    if (!files) return fail(files.error());
    const auto validates = [&](const TokenFile& file) {
        return files->size() > 1 && file.path.filename().string().find("val") != std::string::npos;
    };
    Material material;
    for (const bool second : {false, true}) {
        for (const TokenFile& file : *files)
            if (validates(file) == second)
                if (const Status added = appendFile(file, layout, material.row, material.documents); !added)
                    return fail(added.error());
        if (!second) material.trainTokens = material.row.size();
    }
    return cut(std::move(material), layout, layout.data.path);
}

Result<Corpus> Corpus::ofJsonLines(const Layout& layout) {
    const std::string& path = layout.data.path;
    const Result<Encoder> encoder = Encoder::make(layout);
    if (!encoder) return fail(encoder.error());
    Material material;
    Tokens tokens;
    const auto take = [&](std::string_view text, std::int64_t line) -> Status {
        material.documents.push_back(static_cast<std::int64_t>(tokens.size()));
        if (const Status done = encoder->append(text, fmt::format("{}, line {}", path, line), tokens); !done)
            return done;
        encoder->appendEnd(tokens);
        if (tokens.size() <= static_cast<std::size_t>(largestTextBytes) / sizeof(Tokens::value_type)) return {};
        return fail(Error{say("the text is too long"), path,
                          say("each rank holds its tokens, and they have more than {}", formatBytes(largestTextBytes)),
                          say("a shorter text, or its tokens in .bin files, which stay on the disk")});
    };
    constexpr auto whole = std::numeric_limits<std::uint64_t>::max();
    if (const Status read = eachJsonLine(path, layout.data.textField, whole, take); !read) return fail(read.error());
    material.row.append(std::move(tokens), path);
    return cut(std::move(material), layout, path);
}

Result<Corpus> Corpus::fromText(std::string_view text, const Layout& layout, const std::string& where) {
    const Result<Encoder> encoder = Encoder::make(layout);
    if (!encoder) return fail(encoder.error());
    Tokens tokens;
    if (const Status done = encoder->append(text, where, tokens); !done) return fail(done.error());
    Material material;
    material.row.append(std::move(tokens), where);
    return cut(std::move(material), layout, where);
}

Result<Corpus> Corpus::cut(Material material, const Layout& layout, const std::string& where) {
    const bool bytes = areBytes(layout), apart = layout.data.documents == DocumentBorders::Apart;
    const std::int64_t all = material.row.size();
    const std::int64_t own = material.trainTokens > 0 ? all - material.trainTokens : 0;
    Corpus corpus;
    corpus.window_ = layout.model.sequence + 1;
    corpus.limit_ = layout.model.vocabulary;
    corpus.tokens_ = std::move(material.row);
    const auto share = [&](std::int64_t count) {
        return static_cast<std::int64_t>(static_cast<double>(count) * layout.data.validation);
    };
    const std::int64_t validationTokens = own > 0 ? own : share(all);
    corpus.validationBegin_ = all - validationTokens;
    if (apart && !material.documents.empty()) {
        corpus.documents_ = std::move(material.documents);
        std::int64_t windows = 0;
        for (std::size_t i = 0; i < corpus.documents_.size(); ++i) {
            const std::int64_t first = corpus.documents_[i];
            if (own > 0 && first < corpus.validationBegin_) corpus.trainWindows_ = windows;
            corpus.windowsBefore_.push_back(windows);
            windows += ((i + 1 < corpus.documents_.size() ? corpus.documents_[i + 1] : all) - first) / corpus.window_;
            if (own > 0 && first < corpus.validationBegin_) corpus.trainWindows_ = windows;
        }
        if (own == 0) corpus.trainWindows_ = windows - share(windows);
        corpus.validationWindows_ = windows - corpus.trainWindows_;
    } else {
        corpus.trainWindows_ = corpus.validationBegin_ / corpus.window_;
        corpus.validationWindows_ = validationTokens / corpus.window_;
    }

    const auto size = [&](std::int64_t count) { return bytes ? formatBytes(count) : fmt::format("{} tokens", count); };
    const auto tooShort = [&](const char* part, std::int64_t has) {
        const char* const within = corpus.documents_.empty() ? "" : " within one document (data.documents apart)";
        return fail(Error{say("text too short"), where,
                          say("the {} part has {}, one window needs {} (model.sequence + 1){}", part, size(has),
                              size(corpus.window_), within),
                          say("a longer text, a shorter model.sequence or another data.validation")});
    };
    if (corpus.validationBegin_ == 0)
        return fail(Error{say("text is empty"), where, say("there is nothing to train on"),
                          bytes ? say("a text file") : say("a text")});
    if (corpus.trainWindows_ == 0) return tooShort("training", corpus.validationBegin_);
    if (layout.data.validation > 0 && corpus.validationWindows_ == 0) return tooShort("validation", validationTokens);
    constexpr std::int64_t mostWindows = std::numeric_limits<std::uint32_t>::max();
    if (corpus.trainWindows_ > mostWindows)
        return fail(Error{say("there are too many tokens"), where,
                          say("they make {} windows, which are numbered with 32 bits", corpus.trainWindows_),
                          say("fewer files, or a longer model.sequence")});

    if (layout.data.lastBatch == LastBatch::Drop && corpus.trainWindows_ < layout.batch.global)
        return fail(Error{say("text too short"), where,
                          say("the training part has {} windows, a global batch takes {}, and data.last_batch drop "
                              "leaves out what fills none",
                              corpus.trainWindows_, layout.batch.global),
                          say("a longer text, a smaller batch.global, or data.last_batch carry or pad")});
    return corpus;
}

std::string Corpus::summary() const {
    if (images_) return fmt::format("{} images to train on, {} to validate on", trainWindows_, validationWindows_);
    return fmt::format("{} tokens of text: {} windows to train on, {} to validate on",
                       formatCount(static_cast<double>(tokens_.size())), trainWindows_, validationWindows_);
}

std::int64_t Corpus::firstOf(std::int64_t window) const {
    if (documents_.empty())
        return window < trainWindows_ ? window * window_ : validationBegin_ + (window - trainWindows_) * window_;
    const auto document = std::ranges::upper_bound(windowsBefore_, window) - windowsBefore_.begin() - 1;
    const auto at = static_cast<std::size_t>(document);
    return documents_[at] + (window - windowsBefore_[at]) * window_;
}

std::vector<std::int32_t> Corpus::window(std::int64_t index) const {
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(window_));
    tokens_.read(firstOf(index), tokens, limit_);
    return tokens;
}

}  // namespace shardlab::layout
