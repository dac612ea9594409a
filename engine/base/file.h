// SPDX-License-Identifier: Apache-2.0
// The file seam: what the engine asks of a disk, as an interface, so that a test can make the k-th call fail.
// And whole files: read at once, replaced at once.
#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace shardlab::base {

/// An open file; closed by its destructor. Errors name the file and the system's reason.
class File {
public:
    virtual ~File() = default;
    /// Appends; may store fewer bytes than asked, as write(2) may. See writeAll.
    virtual Result<std::size_t> write(std::span<const std::byte> bytes) = 0;
    /// Reads from `offset`; gives fewer bytes than asked for only at the end of the file.
    virtual Result<std::size_t> read(std::span<std::byte> bytes, std::uint64_t offset) = 0;
    virtual Status truncate(std::uint64_t size) = 0;
    /// After it returns, what was written survives a loss of power.
    virtual Status sync() = 0;
};

/// Create: a new, empty file, for reading and appending. An old file of that name is removed, and a link there is not
/// followed.
enum class OpenMode : std::uint8_t { Read, Create };

class FileSystem {
public:
    virtual ~FileSystem() = default;
    virtual Result<std::unique_ptr<File>> open(const std::filesystem::path& file, OpenMode mode) = 0;
    virtual Status rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
    virtual Status remove(const std::filesystem::path& file) = 0;
    /// Makes the folder and those above it; a folder that is there already is no error.
    virtual Status createFolder(const std::filesystem::path& folder) = 0;
    /// Removes an empty folder.
    virtual Status removeFolder(const std::filesystem::path& folder) = 0;
    /// After it returns, the names in the folder survive a loss of power.
    virtual Status syncFolder(const std::filesystem::path& folder) = 0;
};

/// The machine's own; it has no state.
class DiskFileSystem final : public FileSystem {
public:
    Result<std::unique_ptr<File>> open(const std::filesystem::path& file, OpenMode mode) override;
    Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
    Status remove(const std::filesystem::path& file) override;
    Status createFolder(const std::filesystem::path& folder) override;
    Status removeFolder(const std::filesystem::path& folder) override;
    Status syncFolder(const std::filesystem::path& folder) override;
};

Status writeAll(File& file, std::span<const std::byte> bytes);

/// A file under way: written beside its place, synced and renamed by commit(). After a crash the file is the old one
/// or the new one, never a part; without commit() nothing is left.
class ReplacingFile {
public:
    /// Errors: no such folder, an unwritable one, something there that is no regular file.
    static Result<ReplacingFile> open(FileSystem& files, const std::filesystem::path& file);
    ReplacingFile(ReplacingFile&&) noexcept = default;
    ReplacingFile& operator=(ReplacingFile&&) = delete;
    ~ReplacingFile();

    Status write(std::string_view text);  ///< buffered
    Status commit();                      ///< fails where an earlier write did

private:
    ReplacingFile(FileSystem& files, std::unique_ptr<File> out, std::filesystem::path file,
                  std::filesystem::path beside);
    Status flush();

    FileSystem& files_;
    std::unique_ptr<File> out_;
    std::filesystem::path file_;
    std::filesystem::path beside_;
    std::string buffer_;
    Status status_;  ///< of the first write that failed
};

/// Errors: missing, a folder, unreadable, more than `largest` bytes.
Result<std::string> readFile(const std::filesystem::path& file, std::int64_t largest = std::int64_t{1} << 30);

/// What readFile() says of a file of more than `largest` bytes.
Error tooLarge(const std::filesystem::path& file, std::int64_t largest);

/// At most the first `most` bytes. Errors: missing, a folder, unreadable.
Result<std::string> readBeginning(const std::filesystem::path& file, std::int64_t most);

/// Replaces the file by `content` as ReplacingFile does.
Status replaceFile(const std::filesystem::path& file, std::string_view content);
Status replaceFile(FileSystem& files, const std::filesystem::path& file, std::string_view content);

}  // namespace shardlab::base
