// SPDX-License-Identifier: Apache-2.0
// The safetensors format: 8 bytes with the length of a JSON header, the header, then the tensors' bytes without gaps,
// little-endian and row by row. https://huggingface.co/docs/safetensors
#pragma once

#include "engine/base/file.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

enum class TensorType : std::uint8_t { F64, F32, F16, BF16, I64, I32, I16, I8, U8, Bool };
std::string_view name(TensorType type);  ///< as in the header: "F32"
int bytesOf(TensorType type);
/// F32, F16 and BF16: what SafetensorsFile::readFloats() reads.
bool readsAsFloats(TensorType type);

struct TensorEntry {
    std::string name;
    TensorType type = TensorType::F32;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;  ///< bytes from the end of the header
    std::uint64_t end = 0;

    std::uint64_t bytes() const { return end - begin; }
    std::uint64_t elements() const { return bytes() / static_cast<std::uint64_t>(bytesOf(type)); }
};

struct SafetensorsHeader {
    std::vector<TensorEntry> tensors;  ///< in the order of their bytes
    std::map<std::string, std::string> metadata;

    std::uint64_t dataBytes() const { return tensors.empty() ? 0 : tensors.back().end; }
    /// A tensor behind the others.
    void add(std::string name, TensorType type, std::vector<std::int64_t> shape);
};

/// As a file holds them.
inline std::string_view bytesOfFloats(std::span<const float> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

/// The file's first part, length included, padded so that the tensors begin at a multiple of 8 bytes.
std::string writeHeader(const SafetensorsHeader& header);
/// `json`: what follows the length; `dataBytes`: what follows the header in the file. Everything is checked: types,
/// shapes against sizes, that tensors follow each other without gap or overlap to the end of the file, names that stand
/// twice. The error's `where` is left to the caller.
Result<SafetensorsHeader> parseHeader(std::string_view json, std::uint64_t dataBytes);

/// An open file.
class SafetensorsFile {
public:
    /// Errors: missing, cut short, no safetensors, a header that is wrong; they name the file.
    static Result<SafetensorsFile> open(FileSystem& files, const std::filesystem::path& file);

    const SafetensorsHeader& header() const { return header_; }
    /// CRC-32C of the file up to its first tensor.
    std::uint32_t headerChecksum() const { return headerChecksum_; }
    std::uint64_t fileBytes() const { return dataBegin_ + header_.dataBytes(); }
    const std::filesystem::path& path() const { return path_; }
    /// The tensor's bytes from `offset` on, as many as `to` takes.
    Status read(const TensorEntry& tensor, std::uint64_t offset, std::span<std::byte> to) const;
    /// All of it as fp32: of F32 to the bit, of F16 and BF16 exactly. Error: another type.
    Result<std::vector<float>> readFloats(const TensorEntry& tensor) const;

private:
    SafetensorsFile() = default;
    std::filesystem::path path_;
    std::unique_ptr<File> file_;
    SafetensorsHeader header_;
    std::uint64_t dataBegin_ = 0;
    std::uint32_t headerChecksum_ = 0;
};

}  // namespace shardlab::trace
