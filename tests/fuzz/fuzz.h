// SPDX-License-Identifier: Apache-2.0
// What every fuzz target stands on. A target is a file <name>_target.cpp with LLVMFuzzerTestOneInput: it does with its
// input what the program would, and requires what must hold whatever the bytes are.
#pragma once

#include "engine/base/result.h"
#include "engine/base/scratch_folder.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
/// libFuzzer's main().
extern "C" int LLVMFuzzerRunDriver(int* argc, char*** argv, int (*target)(const std::uint8_t* data, std::size_t size));

namespace shardlab::fuzz {

/// Else the process ends, which is what libFuzzer and the replay take for a crash.
inline void require(bool holds, std::string_view what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
    std::abort();
}

/// An error for a person: it says something, and not without end, however long the input is.
inline void requireClear(const Error& error) {
    require(!error.what.empty(), "an error says what is wrong");
    require(error.text().size() <= 16384, "an error is no longer than 16 KiB");
}

/// The input, taken from its front; past its end there are zeros.
class Input {
public:
    Input(const std::uint8_t* data, std::size_t size) : left_(data, size) {}

    bool empty() const { return left_.empty(); }
    template <class T>
    T number() {
        T value{};
        const std::size_t size = std::min(left_.size(), sizeof value);
        if (size > 0) std::memcpy(&value, left_.data(), size);
        left_ = left_.subspan(size);
        return value;
    }
    /// 0 … end − 1.
    std::size_t below(std::size_t end) { return number<std::uint16_t>() % end; }
    std::string_view text(std::size_t most) {
        const std::size_t size = std::min(left_.size(), most);
        const std::string_view part(reinterpret_cast<const char*>(left_.data()), size);
        left_ = left_.subspan(size);
        return part;
    }
    /// Up to a byte that is 0, which is taken with it.
    std::string_view word() {
        const std::string_view all(reinterpret_cast<const char*>(left_.data()), left_.size());
        const std::string_view part = all.substr(0, all.find('\0'));
        left_ = left_.subspan(std::min(part.size() + 1, left_.size()));
        return part;
    }
    std::string_view rest() { return text(left_.size()); }
    std::span<const std::byte> bytes(std::size_t most) {
        const std::string_view part = text(most);
        return std::as_bytes(std::span(part.data(), part.size()));
    }

private:
    std::span<const std::uint8_t> left_;
};

/// A folder of this process, gone when it ends in order.
inline const std::filesystem::path& scratch() {
    static const Result<ScratchFolder> folder = ScratchFolder::make("fuzz");
    require(folder.has_value(), "there is room for temporary files");
    return folder->path();
}

inline std::filesystem::path scratchFile(std::string_view name, std::string_view content) {
    std::filesystem::path file = scratch() / name;
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
    return file;
}

}  // namespace shardlab::fuzz
