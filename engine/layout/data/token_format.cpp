// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/data/token_format.h"

#include "engine/layout/data/megatron_index.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>

namespace shardlab::layout {
namespace {

constexpr std::string_view legalFiles =
    phrase("bare tokens of 16 bits, as nanoGPT writes them, files of llm.c, or Megatron's with their .idx");

/// A header of llm.c: 256 numbers of 32 bits.
struct LlmcFormat {
    std::int32_t magic = 0;
    std::int32_t version = 0;
    std::uint64_t width = 0;
};
constexpr std::array llmcFormats{LlmcFormat{20240520, 1, 2}, LlmcFormat{20240801, 7, 4}};
constexpr std::size_t headerWords = 256;
constexpr std::size_t headerBytes = headerWords * sizeof(std::int32_t);

/// Other formats, and the bytes that they begin with.
struct ForeignFormat {
    std::string_view begins;
    std::string_view what;
};
using namespace std::string_view_literals;
constexpr std::array foreignFormats{
    ForeignFormat{"MMIDIDX\0"sv,
                  phrase("the index of one of Megatron's data sets, whose tokens lie in the .bin beside it")},
    ForeignFormat{"TNTIDX\0"sv, phrase("the index of one of fairseq's data sets")},
    ForeignFormat{"\x93NUMPY"sv, phrase("an array of NumPy")},
    ForeignFormat{"PK\x03\x04"sv, phrase("a zip archive, as PyTorch saves weights")},
    ForeignFormat{"\x80\x02\x8a\x0a\x6c\xfc"sv, phrase("weights of PyTorch")},
    ForeignFormat{"GGUF"sv, phrase("weights in GGUF")},
    ForeignFormat{"\x1f\x8b\x08"sv, phrase("compressed by gzip")},
    ForeignFormat{"\x28\xb5\x2f\xfd"sv, phrase("compressed by Zstandard")},
    ForeignFormat{"PAR1"sv, phrase("a Parquet file")},
    ForeignFormat{"ARROW1"sv, phrase("an Arrow file")},
    ForeignFormat{"\x89HDF\r\n"sv, phrase("an HDF5 file")},
    ForeignFormat{"SQLite format 3\0"sv, phrase("an SQLite database")},
};

using Header = std::array<std::int32_t, headerWords>;

/// llm.c's other files, of weights or of questions, begin with the day that their format was made, and end their header
/// in zeros.
bool isOfLlmc(const Header& header) {
    constexpr std::int32_t first = 20240101, last = 20261231;
    constexpr std::size_t used = 32;
    return header[0] >= first && header[0] <= last &&
           std::all_of(header.begin() + used, header.end(), [](std::int32_t word) { return word == 0; });
}

/// Where tokens have 32 bits, each second half is 0, or 1 with a vocabulary above 65536. A text never has so many
/// tokens of this sort.
bool looks32Bits(std::span<const std::uint16_t> halves) {
    constexpr std::size_t fewest = 128;
    if (halves.size() < fewest) return false;
    bool any = false;
    for (std::size_t i = 0; i + 1 < halves.size(); i += 2) {
        if (halves[i + 1] > 1) return false;
        any |= halves[i] > 1;
    }
    return any;
}

tl::unexpected<Error> noTokens(const std::filesystem::path& path, Sentence why, Sentence legal = termOf(legalFiles)) {
    return fail(Error{say("these are no tokens"), path.string(), std::move(why), std::move(legal)});
}

/// A file of `size` bytes with Megatron's index beside it.
Result<TokenFile> describeIndexed(const std::filesystem::path& path, std::uint64_t size, std::filesystem::path index) {
    const std::string name = index.filename().string();
    const Result<MegatronIndex> read = readMegatronIndex(index);
    if (!read) return noTokens(path, say("{} beside it: {}", name, read.error().why), read.error().legal);
    if (size != read->tokens * read->width)
        return noTokens(
            path, say("{} counts {} tokens of {} bytes, and it has {} bytes", name, read->tokens, read->width, size),
            say("a .bin and an .idx that were written together"));
    return TokenFile{path, 0, read->width, read->tokens, read->isSigned, std::move(index)};
}

/// Takes what a header of llm.c says; a file without one is left as bare tokens of 16 bits.
Status takeHeader(const Header& header, TokenFile& file) {
    const auto llmc = std::ranges::find(llmcFormats, header[0], &LlmcFormat::magic);
    if (llmc == llmcFormats.end()) {
        if (!isOfLlmc(header)) return {};
        return noTokens(file.path,
                        say("it begins with {}, which is no file of tokens of llm.c's that is known", header[0]),
                        say("files of llm.c that begin with 20240520 or 20240801, or bare tokens of 16 bits"));
    }
    file.begin = headerBytes;
    file.width = llmc->width;
    if (header[1] == llmc->version) return {};
    return noTokens(file.path, say("its header's version is {}", header[1]),
                    say("version {}, tokens of {} bits", llmc->version, 8 * llmc->width));
}

/// Counts the tokens of a file of `size` bytes without an index, whose first bytes are `text`.
Status countTokens(std::uint64_t size, const Header& header, std::string_view text, TokenFile& file) {
    const std::uint64_t bytes = size - file.begin;
    file.count = bytes / file.width;
    if (bytes % file.width != 0) {
        if (file.width == 2) return noTokens(file.path, say("it has an odd number of bytes"), say("tokens of 16 bits"));
        return noTokens(file.path, say("{} bytes are no whole number of tokens", bytes), say("tokens of 32 bits"));
    }
    if (file.begin > 0 && static_cast<std::uint32_t>(header[2]) != file.count)
        return noTokens(file.path, say("its header counts {} tokens and {} follow", header[2], file.count),
                        say("a whole file"));
    if (file.begin > 0 || size % 4 != 0) return {};
    std::vector<std::uint16_t> halves(text.size() / 2);
    if (!halves.empty()) std::memcpy(halves.data(), text.data(), halves.size() * 2);
    if (!looks32Bits(halves)) return {};
    return noTokens(
        file.path, say("each second number of 16 bits is 0 or 1: these are tokens of 32 bits, and no header says so"),
        say("bare tokens of 16 bits, or of 32 bits with llm.c's header (20240801, version 7) or Megatron's .idx"));
}

Result<TokenFile> describe(const std::filesystem::path& path) {
    std::error_code error;
    DiskFileSystem disk;
    const auto file = disk.open(path, OpenMode::Read);
    if (!file) return fail(file.error());
    const std::uint64_t size = std::filesystem::file_size(path, error);
    if (error) return noTokens(path, systemReason(error.value()));
    std::string text(std::size_t{1} << 16, '\0');
    const Result<std::size_t> got = (*file)->read(std::as_writable_bytes(std::span(text)), 0);
    if (!got) return fail(got.error());
    text.resize(*got);
    if (std::filesystem::path index = std::filesystem::path(path).replace_extension(".idx");
        index != path && std::filesystem::exists(index, error))
        return describeIndexed(path, size, std::move(index));
    for (const ForeignFormat& format : foreignFormats)
        if (text.starts_with(format.begins)) return noTokens(path, say("it is {}", termOf(format.what)));
    TokenFile found{path};
    Header header{};
    if (text.size() >= headerBytes) std::memcpy(header.data(), text.data(), headerBytes);
    const Status known = takeHeader(header, found).and_then([&] { return countTokens(size, header, text, found); });
    if (!known) return fail(known.error());
    return found;
}

}  // namespace

Result<std::vector<TokenFile>> findTokenFiles(const std::filesystem::path& place) {
    std::error_code error;
    std::vector<std::filesystem::path> paths;
    if (!std::filesystem::is_directory(place, error)) paths.push_back(place);
    else
        for (std::filesystem::directory_iterator at(place, error), end; !error && at != end; at.increment(error))
            if (at->path().extension() == ".bin") paths.push_back(at->path());
    if (paths.empty())
        return fail(Error{say("there are no tokens"), place.string(), say("no .bin file to train on lies there"),
                          say("a .bin file, or a folder of them")});
    std::ranges::sort(paths);
    std::vector<TokenFile> files;
    for (const std::filesystem::path& path : paths) {
        Result<TokenFile> file = describe(path);
        if (!file) return fail(file.error());
        files.push_back(std::move(*file));
    }
    return files;
}

Result<TokenFile> textFile(const std::filesystem::path& path) {
    DiskFileSystem disk;
    if (const auto file = disk.open(path, OpenMode::Read); !file) return fail(file.error());
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(path, error);
    if (error)
        return fail(Error{say("cannot read the text"), path.string(), systemReason(error.value()), say("a file")});
    return TokenFile{path, 0, 1, size};
}

Status readTokens(File& opened, const TokenFile& file, std::uint64_t first, std::span<std::int64_t> to) {
    constexpr std::size_t atOnce = std::size_t{1} << 16;
    std::vector<std::byte> bytes(std::min(to.size(), atOnce) * file.width);
    for (std::size_t done = 0; done < to.size();) {
        const std::span<std::int64_t> part = to.subspan(done, std::min(atOnce, to.size() - done));
        const std::span<std::byte> read = std::span(bytes).first(part.size() * file.width);
        const Result<std::size_t> got = opened.read(read, file.begin + (first + done) * file.width);
        if (!got) return fail(got.error());
        if (*got < read.size())
            return fail(Error{say("cannot read tokens"), file.path.string(), say("it is shorter than it was"),
                              say("a file that is whole")});
        const auto widen = [&]<class Number>(Number number) {
            for (std::size_t i = 0; i < part.size(); ++i) {
                std::memcpy(&number, read.data() + i * sizeof number, sizeof number);
                part[i] = static_cast<std::int64_t>(number);
            }
        };
        switch (file.width) {
        case 1: file.isSigned ? widen(std::int8_t{}) : widen(std::uint8_t{}); break;
        case 2: file.isSigned ? widen(std::int16_t{}) : widen(std::uint16_t{}); break;
        case 4: file.isSigned ? widen(std::int32_t{}) : widen(std::uint32_t{}); break;
        default: widen(std::int64_t{});
        }
        done += part.size();
    }
    return {};
}

Result<std::vector<std::int64_t>> documentsOf(const TokenFile& file) {
    if (file.index.empty())
        return fail(Error{say("there are no documents"), file.path.string(),
                          say("data.documents is apart, and no .idx beside the file says where they begin"),
                          say("a .bin with Megatron's .idx, or data.documents joined")});
    std::vector<std::int64_t> documents;
    if (const Result<MegatronIndex> read = readMegatronIndex(file.index, &documents); !read) return fail(read.error());
    documents.pop_back();  // the end
    return documents;
}

Error outsideVocabulary(const TokenFile& file, std::uint64_t place, std::int64_t token, int vocabulary) {
    const char* const what = file.width == 1 && file.index.empty() ? "byte" : "token";
    return {fmt::format("{} outside the vocabulary", what), file.path.string(),
            fmt::format("{} {} is {}, model.vocabulary is {}", what, place, token, vocabulary),
            token < 0 ? "tokens from 0 on" : fmt::format("model.vocabulary above {}", token)};
}

Status checkTokens(const TokenFile& file, int vocabulary) {
    DiskFileSystem disk;
    const auto opened = disk.open(file.path, OpenMode::Read);
    if (!opened) return fail(opened.error());
    std::vector<std::int64_t> tokens(std::size_t{1} << 16);
    std::optional<std::pair<std::uint64_t, std::int64_t>> outside;
    std::int64_t largest = 0;
    const std::uint64_t count = std::min(file.count, mostTokensChecked);
    for (std::uint64_t done = 0; done < count;) {
        const auto now = std::span(tokens).first(std::min<std::uint64_t>(tokens.size(), count - done));
        if (const Status read = readTokens(**opened, file, done, now); !read) return read;
        const auto [least, most] = std::ranges::minmax(now);
        largest = std::max(largest, most);
        if (!outside && (least < 0 || most >= vocabulary)) {
            const auto first =
                std::ranges::find_if(now, [&](std::int64_t token) { return token < 0 || token >= vocabulary; });
            outside = {done + static_cast<std::uint64_t>(first - now.begin()), *first};
        }
        done += now.size();
    }
    if (!outside) return {};
    Error error = outsideVocabulary(file, outside->first, outside->second, vocabulary);
    if (outside->second >= 0) error.legal = say("model.vocabulary above {}", largest);
    return fail(std::move(error));
}

}  // namespace shardlab::layout
