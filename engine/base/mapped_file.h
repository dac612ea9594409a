// SPDX-License-Identifier: Apache-2.0
// A small file of words of eight bytes that one process writes and others read while it does; what was stored stays
// when the writer is killed. Access to words is atomic: put() and get().
#pragma once

#include "engine/base/result.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace shardlab::base {

class MappedFile {
public:
    /// A new file of zeros. Error: `what` could not be made.
    static Result<MappedFile> create(const std::filesystem::path& file, std::size_t words, const char* what);
    /// Maps a file for reading. Error: the file is not there or is shorter; `what` names it in the message.
    static Result<MappedFile> open(const std::filesystem::path& file, std::size_t words, const char* what);
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&&) = delete;
    ~MappedFile();

    std::span<std::uint64_t> words() const { return words_; }

private:
    explicit MappedFile(std::span<std::uint64_t> words) : words_(words) {}
    static Result<MappedFile> map(const std::filesystem::path& file, std::size_t words, const char* what, bool create);
    std::span<std::uint64_t> words_;
};

inline void put(std::uint64_t& word, std::uint64_t value) {
    std::atomic_ref(word).store(value, std::memory_order_relaxed);
}
inline std::uint64_t get(std::uint64_t& word) { return std::atomic_ref(word).load(std::memory_order_relaxed); }

}  // namespace shardlab::base
