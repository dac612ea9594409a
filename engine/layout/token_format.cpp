// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/token_format.h"

#include "engine/base/file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace shardlab::layout {
namespace {

constexpr const char* legalFiles = "bare tokens of 16 bits, as nanoGPT writes them, or files of llm.c";

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
    ForeignFormat{"MMIDIDX\0"sv, "the index of one of Megatron's data sets"},
    ForeignFormat{"TNTIDX\0"sv, "the index of one of fairseq's data sets"},
    ForeignFormat{"\x93NUMPY"sv, "an array of NumPy"},
    ForeignFormat{"PK\x03\x04"sv, "a zip archive, as PyTorch saves weights"},
    ForeignFormat{"\x80\x02\x8a\x0a\x6c\xfc"sv, "weights of PyTorch"},
    ForeignFormat{"GGUF"sv, "weights in GGUF"},
    ForeignFormat{"\x1f\x8b\x08"sv, "compressed by gzip"},
    ForeignFormat{"\x28\xb5\x2f\xfd"sv, "compressed by Zstandard"},
    ForeignFormat{"PAR1"sv, "a Parquet file"},
    ForeignFormat{"ARROW1"sv, "an Arrow file"},
    ForeignFormat{"\x89HDF\r\n"sv, "an HDF5 file"},
    ForeignFormat{"SQLite format 3\0"sv, "an SQLite database"},
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

Result<TokenFile> describe(const std::filesystem::path& path) {
    const auto wrong = [&](std::string why, std::string legal = legalFiles) {
        return fail(Error{"these are no tokens", path.string(), std::move(why), std::move(legal)});
    };
    std::error_code error;
    const std::filesystem::path index = std::filesystem::path(path).replace_extension(".idx");
    if (index != path && std::filesystem::exists(index, error))
        return wrong(fmt::format(
            "beside it lies {}: it is part of a data set with an index, as Megatron writes them, which says "
            "where texts begin and how many bits a token has",
            index.filename().string()));
    DiskFileSystem disk;
    const auto file = disk.open(path, OpenMode::Read);
    if (!file) return fail(file.error());
    const std::uint64_t size = std::filesystem::file_size(path, error);
    if (error) return wrong(error.message());
    std::string text(std::size_t{1} << 16, '\0');
    const Result<std::size_t> got = (*file)->read(std::as_writable_bytes(std::span(text)), 0);
    if (!got) return fail(got.error());
    text.resize(*got);
    for (const ForeignFormat& format : foreignFormats)
        if (text.starts_with(format.begins)) return wrong(fmt::format("it is {}", format.what));

    TokenFile found{path};
    Header header{};
    if (text.size() >= headerBytes) std::memcpy(header.data(), text.data(), headerBytes);
    const auto llmc = std::ranges::find(llmcFormats, header[0], &LlmcFormat::magic);
    if (llmc != llmcFormats.end()) {
        found.begin = headerBytes;
        found.width = llmc->width;
        if (header[1] != llmc->version)
            return wrong(fmt::format("its header's version is {}", header[1]),
                         fmt::format("version {}, tokens of {} bits", llmc->version, 8 * llmc->width));
    } else if (isOfLlmc(header)) {
        return wrong(fmt::format("it begins with {}, which is no file of tokens of llm.c's that is known", header[0]),
                     "files of llm.c that begin with 20240520 or 20240801, or bare tokens of 16 bits");
    }
    const std::uint64_t bytes = size - found.begin;
    found.count = bytes / found.width;
    if (bytes % found.width != 0) {
        if (found.width == 2) return wrong("it has an odd number of bytes", "tokens of 16 bits");
        return wrong(fmt::format("{} bytes are no whole number of tokens", bytes), "tokens of 32 bits");
    }
    if (found.begin > 0 && static_cast<std::uint32_t>(header[2]) != found.count)
        return wrong(fmt::format("its header counts {} tokens and {} follow", header[2], found.count), "a whole file");
    if (found.begin == 0 && size % 4 == 0) {
        std::vector<std::uint16_t> halves(text.size() / 2);
        if (!halves.empty()) std::memcpy(halves.data(), text.data(), halves.size() * 2);
        if (looks32Bits(halves))
            return wrong("each second number of 16 bits is 0 or 1: these are tokens of 32 bits, and no header says so",
                         "bare tokens of 16 bits, or of 32 bits with llm.c's header (20240801, version 7)");
    }
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
        return fail(Error{"there are no tokens", place.string(), "no .bin file to train on lies there",
                          "a .bin file, or a folder of them"});
    std::ranges::sort(paths);
    std::vector<TokenFile> files;
    for (const std::filesystem::path& path : paths) {
        Result<TokenFile> file = describe(path);
        if (!file) return fail(file.error());
        files.push_back(std::move(*file));
    }
    return files;
}

Status readTokens(const TokenFile& file, int vocabulary,
                  const std::function<void(std::span<const std::uint16_t>)>& take) {
    constexpr std::uint64_t tokensAtOnce = std::uint64_t{1} << 16;
    constexpr std::uint32_t held = std::uint32_t{1} << 16;  // tokens in memory have 16 bits
    DiskFileSystem disk;
    const auto opened = disk.open(file.path, OpenMode::Read);
    if (!opened) return fail(opened.error());
    const auto wrong = [&](std::string why, std::string legal) {
        return fail(Error{"cannot read tokens", file.path.string(), std::move(why), std::move(legal)});
    };
    const std::uint32_t limit = std::min(held, static_cast<std::uint32_t>(std::max(vocabulary, 0)));
    std::vector<std::uint16_t> tokens(tokensAtOnce);
    std::vector<std::uint32_t> wide(file.width == 4 ? tokensAtOnce : 0);
    std::uint64_t outside = file.count;
    std::uint32_t first = 0, largest = 0;
    for (std::uint64_t done = 0; done < file.count;) {
        const std::uint64_t now = std::min(tokensAtOnce, file.count - done);
        const std::span<std::byte> bytes = file.width == 4 ? std::as_writable_bytes(std::span(wide).first(now))
                                                           : std::as_writable_bytes(std::span(tokens).first(now));
        const Result<std::size_t> got = (*opened)->read(bytes, file.begin + done * file.width);
        if (!got) return fail(got.error());
        if (*got < bytes.size()) return wrong("it is shorter than it was", "a file that is whole");
        const auto judge = [&](const auto& numbers) {
            const std::uint32_t top =
                *std::max_element(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(now));
            largest = std::max(largest, top);
            if (top < limit || outside < file.count) return;
            const auto found = std::ranges::find_if(numbers, [&](std::uint32_t token) { return token >= limit; });
            outside = done + static_cast<std::uint64_t>(found - numbers.begin());
            first = *found;
        };
        if (file.width == 4) {
            judge(wide);
            std::ranges::transform(std::span(wide).first(now), tokens.begin(),
                                   [](std::uint32_t token) { return static_cast<std::uint16_t>(token); });
        } else {
            judge(tokens);
        }
        if (outside == file.count) take(std::span(tokens).first(now));
        done += now;
    }
    if (outside == file.count) return {};
    if (first >= static_cast<std::uint32_t>(std::max(vocabulary, 0)))
        return wrong(fmt::format("token {} is {}, model.vocabulary is {}", outside, first, vocabulary),
                     largest < held ? fmt::format("model.vocabulary above {}", largest) : "tokens below 65536");
    return wrong(fmt::format("token {} is {}, and tokens are held in 16 bits", outside, first), "tokens below 65536");
}

}  // namespace shardlab::layout
