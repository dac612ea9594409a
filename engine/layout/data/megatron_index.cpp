// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/data/megatron_index.h"

#include "engine/base/file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace shardlab::layout {
namespace {

using namespace std::string_view_literals;
constexpr std::string_view indexMagic = "MMIDIDX\0\0"sv;
constexpr std::uint64_t indexHeaderBytes = 34;

/// The type of a token by its code in the header; code 0 is none.
struct TokenType {
    std::string_view name;
    std::uint64_t width = 0;
    bool isSigned = false;
};
constexpr std::array<TokenType, 9> tokenTypes{{{},
                                               {"uint8", 1, false},
                                               {"int8", 1, true},
                                               {"int16", 2, true},
                                               {"int32", 4, true},
                                               {"int64", 8, true},
                                               {"float64"},
                                               {"float32"},
                                               {"uint16", 2, false}}};

template <class T>
T numberAt(std::string_view bytes, std::size_t at) {
    T value{};
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

/// Numbers that lie one after another in a file, read some at a time.
template <class T>
class NumbersOfFile {
public:
    NumbersOfFile(File& file, std::uint64_t at, std::uint64_t count) : file_(file), at_(at), left_(count) {}

    /// The next number. Error: the file cannot be read, or ends before.
    Result<T> next() {
        if (used_ == held_.size()) {
            held_.resize(std::min<std::uint64_t>(left_, std::uint64_t{1} << 13));
            used_ = 0;
            const auto bytes = std::as_writable_bytes(std::span(held_));
            const Result<std::size_t> got = file_.read(bytes, at_);
            if (!got) return fail(got.error());
            if (*got < bytes.size() || held_.empty())
                return fail(Error{say("cannot read an index of tokens"), "", say("it is shorter than it was"),
                                  say("a whole file")});
            at_ += bytes.size();
            left_ -= held_.size();
        }
        return held_[used_++];
    }

private:
    File& file_;
    std::uint64_t at_, left_;
    std::vector<T> held_;
    std::size_t used_ = 0;
};

class MegatronIndexReader {
public:
    MegatronIndexReader(const std::filesystem::path& index, std::vector<std::int64_t>* documents)
        : index_(index), documents_(documents) {}

    Result<MegatronIndex> read() {
        DiskFileSystem disk;
        const auto file = disk.open(index_, OpenMode::Read);
        if (!file) return fail(file.error());
        std::error_code error;
        const std::uint64_t size = std::filesystem::file_size(index_, error);
        if (error) return wrong(systemReason(error.value()));
        const Status done = readHeader(**file, size).and_then([&] { return readSequences(**file); });
        if (!done) return fail(done.error());
        return found_;
    }

private:
    tl::unexpected<Error> wrong(Sentence why, Sentence legal = say("an index as Megatron writes it, whole")) const {
        return fail(
            Error{say("cannot read the index of these tokens"), index_.string(), std::move(why), std::move(legal)});
    }

    /// The first numbers, which say how long the index is.
    Status readHeader(File& file, std::uint64_t size) {
        std::string header(indexHeaderBytes, '\0');
        const Result<std::size_t> got = file.read(std::as_writable_bytes(std::span(header)), 0);
        if (!got) return fail(got.error());
        header.resize(*got);
        if (!beginsAsMegatronIndex(header)) return wrong(say("it does not begin as one of Megatron's"));
        if (header.size() < indexHeaderBytes) return wrong(say("it ends within its header"));
        if (const auto version = numberAt<std::uint64_t>(header, 9); version != 1)
            return wrong(say("its version is {}", version), say("version 1"));
        const auto code = static_cast<unsigned char>(header[17]);
        const TokenType type = code < tokenTypes.size() ? tokenTypes[code] : TokenType{};
        if (type.width == 0)
            return wrong(type.name.empty() ? say("tokens of type {} are not known", code)
                                           : say("its numbers are {}, which are no tokens", type.name),
                         say("tokens of type uint8, int8, uint16, int16, int32 or int64"));
        found_ = {type.width, type.isSigned, 0};
        sequences_ = numberAt<std::uint64_t>(header, 18);
        borders_ = numberAt<std::uint64_t>(header, 26);
        if (sequences_ > size / 12 || borders_ > size / 8)
            return wrong(
                say("it counts {} sequences and {} document indices, and has {} bytes", sequences_, borders_, size));
        if (const std::uint64_t end = starts() + 8 * borders_; size != end && size != end + sequences_)
            return wrong(say("{} sequences and {} document indices take {} bytes, and it has {}", sequences_, borders_,
                             end, size));
        return {};
    }
    /// Where the places of sequences begin, and the first sequences of documents.
    std::uint64_t places() const { return indexHeaderBytes + 4 * sequences_; }
    std::uint64_t starts() const { return places() + 8 * sequences_; }

    Status readSequences(File& file) {
        NumbersOfFile<std::int32_t> lengths(file, indexHeaderBytes, sequences_);
        NumbersOfFile<std::int64_t> placesInFile(file, places(), sequences_), firsts(file, starts(), borders_);
        if (documents_) documents_->clear();
        for (std::uint64_t sequence = 0; sequence < sequences_; ++sequence) {
            if (const Status taken = takeBorders(firsts, sequence); !taken) return taken;
            const Result<std::int32_t> length = lengths.next();
            if (!length) return fail(length.error());
            const Result<std::int64_t> place = placesInFile.next();
            if (!place) return fail(place.error());
            if (*length < 0) return wrong(say("sequence {} has {} tokens", sequence, *length));
            if (*place != static_cast<std::int64_t>(found_.tokens * found_.width))
                return wrong(say("sequence {} lies at byte {}, and those before it end at {}", sequence, *place,
                                 found_.tokens * found_.width),
                             say("sequences one behind the other, as Megatron writes them"));
            found_.tokens += static_cast<std::uint64_t>(*length);
        }
        if (const Status taken = takeBorders(firsts, sequences_); !taken) return taken;
        if (lastBorder_ != static_cast<std::int64_t>(sequences_))
            return wrong(say("its last document index is not the number of its sequences"),
                         say("indices from 0 to the number of sequences"));
        return {};
    }

    /// Takes the borders of documents that lie before the sequence, of which there may be several.
    Status takeBorders(NumbersOfFile<std::int64_t>& firsts, std::uint64_t sequence) {
        for (;;) {
            if (border_ < 0) {
                if (bordersRead_ == borders_) return {};
                const Result<std::int64_t> next = firsts.next();
                if (!next) return fail(next.error());
                border_ = *next;
                if (border_ < static_cast<std::int64_t>(sequence) || border_ > static_cast<std::int64_t>(sequences_) ||
                    (bordersRead_ == 0 && border_ != 0))
                    return wrong(say("document index {} is {}", bordersRead_, border_),
                                 say("indices from 0 to the number of sequences, none below the one before"));
                ++bordersRead_;
            }
            if (border_ != static_cast<std::int64_t>(sequence)) return {};
            if (documents_) documents_->push_back(static_cast<std::int64_t>(found_.tokens));
            lastBorder_ = border_;
            border_ = -1;
        }
    }

    const std::filesystem::path& index_;
    std::vector<std::int64_t>* documents_;
    MegatronIndex found_;
    std::uint64_t sequences_ = 0, borders_ = 0, bordersRead_ = 0;
    std::int64_t border_ = -1;      ///< read and not reached yet; -1: none
    std::int64_t lastBorder_ = -1;  ///< the one reached last
};

}  // namespace

bool beginsAsMegatronIndex(std::string_view bytes) { return bytes.starts_with(indexMagic); }

Result<MegatronIndex> readMegatronIndex(const std::filesystem::path& index, std::vector<std::int64_t>* documents) {
    return MegatronIndexReader(index, documents).read();
}

}  // namespace shardlab::layout
