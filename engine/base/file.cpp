// SPDX-License-Identifier: Apache-2.0
#include "engine/base/file.h"

#include "engine/base/token.h"
#include "engine/base/units.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shardlab::base {
namespace {

constexpr std::size_t bufferedBytes = std::size_t{1} << 16;

tl::unexpected<Error> systemFailure(Sentence what, const std::filesystem::path& file, int code) {
    return fail({std::move(what), file.string(), systemReason(code), ""});
}

class DiskFile final : public File {
public:
    DiskFile(int descriptor, std::filesystem::path path) : descriptor_(descriptor), path_(std::move(path)) {}
    ~DiskFile() override { ::close(descriptor_); }
    DiskFile(const DiskFile&) = delete;
    DiskFile& operator=(const DiskFile&) = delete;

    Result<std::size_t> write(std::span<const std::byte> bytes) override {
        for (;;) {
            const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
            if (count >= 0) return static_cast<std::size_t>(count);
            if (errno != EINTR) return systemFailure(say("cannot write the file"), path_, errno);
        }
    }
    Result<std::size_t> read(std::span<std::byte> bytes, std::uint64_t offset) override {
        std::size_t done = 0;
        while (done < bytes.size()) {
            ssize_t count =
                ::pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
            if (count < 0 && errno == ESPIPE)  // a pipe has no offsets, only a next byte
                count = ::read(descriptor_, bytes.data() + done, bytes.size() - done);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) return systemFailure(say("cannot read the file"), path_, errno);
            if (count == 0) break;
            done += static_cast<std::size_t>(count);
        }
        return done;
    }
    Status truncate(std::uint64_t size) override {
        if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0)
            return systemFailure(say("cannot shorten the file"), path_, errno);
        return {};
    }
    Status sync() override {
        if (::fsync(descriptor_) != 0) return systemFailure(say("cannot write the file"), path_, errno);
        return {};
    }

private:
    int descriptor_;
    std::filesystem::path path_;
};

/// Whether a pipe that was opened has, or soon gets, somebody who writes into it. A layout may name a pipe that nobody
/// ever opens again, for which open() and read() would wait without end.
bool somebodyWrites(int pipe) {
    constexpr int looks = 100, milliseconds = 50;
    std::array<int, 2> copy{-1, -1};
    if (::pipe2(copy.data(), O_CLOEXEC) != 0) return true;
    bool found = false;
    for (int look = 0; look < looks && !found; ++look) {
        // Nothing is taken out; 0: there is nothing, and nobody who could write.
        found = ::tee(pipe, copy[1], 1, SPLICE_F_NONBLOCK) != 0;
        struct pollfd arrival {
            pipe, POLLIN, 0
        };
        if (!found) ::poll(&arrival, 1, milliseconds);
    }
    ::close(copy[0]);
    ::close(copy[1]);
    return found;
}

}  // namespace

Result<std::unique_ptr<File>> DiskFileSystem::open(const std::filesystem::path& file, OpenMode mode) {
    struct stat old {};
    if (mode == OpenMode::Create && ::lstat(file.c_str(), &old) == 0 && (S_ISREG(old.st_mode) || S_ISLNK(old.st_mode)))
        ::unlink(file.c_str());  // what keeps it there is told by open()
    const int flags =
        mode == OpenMode::Read ? O_RDONLY | O_NONBLOCK : O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND;
    const int descriptor = ::open(file.c_str(), flags | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return systemFailure(mode == OpenMode::Read ? say("cannot open the file") : say("cannot write the file"), file,
                             errno);
    auto opened = std::make_unique<DiskFile>(descriptor, file);
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return systemFailure(say("cannot read the file"), file, errno);
    if (S_ISDIR(status.st_mode)) return fail({say("cannot read the file"), file.string(), say("it is a folder"), ""});
    if (mode == OpenMode::Read) {
        if (S_ISFIFO(status.st_mode) && !somebodyWrites(descriptor))
            return fail({say("cannot read the file"), file.string(), say("it is a pipe into which nobody writes"), ""});
        ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
    }
    return opened;
}

Status DiskFileSystem::rename(const std::filesystem::path& from, const std::filesystem::path& to) {
    if (::rename(from.c_str(), to.c_str()) != 0) return systemFailure(say("cannot replace the file"), to, errno);
    return {};
}

Status DiskFileSystem::remove(const std::filesystem::path& file) {
    if (::unlink(file.c_str()) != 0) return systemFailure(say("cannot remove the file"), file, errno);
    return {};
}

Status DiskFileSystem::createFolder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return fail({say("cannot make the folder"), folder.string(), systemReason(error.value()), ""});
    return {};
}

Status DiskFileSystem::removeFolder(const std::filesystem::path& folder) {
    if (::rmdir(folder.c_str()) != 0) return systemFailure(say("cannot remove the folder"), folder, errno);
    return {};
}

Status DiskFileSystem::syncFolder(const std::filesystem::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return systemFailure(say("cannot open the folder"), folder, errno);
    const int result = ::fsync(descriptor);
    const int code = errno;
    ::close(descriptor);
    // Some file systems keep names safe by themselves and know no fsync of a folder.
    if (result != 0 && code != EINVAL) return systemFailure(say("cannot write the folder"), folder, code);
    return {};
}

Status writeAll(File& file, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const Result<std::size_t> count = file.write(bytes);
        if (!count) return fail(count.error());
        if (*count == 0) return fail({say("cannot write the file"), "", say("the system takes no more bytes"), ""});
        bytes = bytes.subspan(*count);
    }
    return {};
}

ReplacingFile::ReplacingFile(FileSystem& files, std::unique_ptr<File> out, std::filesystem::path file,
                             std::filesystem::path beside)
    : files_(files), out_(std::move(out)), file_(std::move(file)), beside_(std::move(beside)) {}

Result<ReplacingFile> ReplacingFile::open(FileSystem& files, const std::filesystem::path& file) {
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored))
        return fail({say("cannot replace the file"), file.string(), say("it is no regular file"), ""});
    const auto beside = nameBeside(file);
    if (!beside) return fail(beside.error());
    auto out = files.open(*beside, OpenMode::Create);
    if (!out) return fail({out.error().what, file.string(), out.error().why, ""});
    return ReplacingFile(files, std::move(*out), file, *beside);
}

ReplacingFile::~ReplacingFile() {
    if (out_) static_cast<void>(files_.remove(beside_));
}

Status ReplacingFile::write(std::string_view text) {
    buffer_ += text;
    return buffer_.size() < bufferedBytes ? Status{} : flush();
}

Status ReplacingFile::flush() {
    if (status_) status_ = writeAll(*out_, std::as_bytes(std::span(buffer_.data(), buffer_.size())));
    buffer_.clear();
    return status_;
}

Status ReplacingFile::commit() {
    const Status status =
        flush().and_then([&] { return out_->sync(); }).and_then([&] { return files_.rename(beside_, file_); });
    if (!status) return fail({status.error().what, file_.string(), status.error().why, ""});
    out_.reset();
    return {};
}

Result<std::string> readBeginning(const std::filesystem::path& file, std::int64_t most) {
    DiskFileSystem files;
    const auto opened = files.open(file, OpenMode::Read);
    if (!opened) return fail(opened.error());
    const auto wanted = static_cast<std::size_t>(most);
    std::string content;
    for (std::size_t size = 0; size < wanted;) {
        content.resize(std::min(wanted, size == 0 ? bufferedBytes : size * 2));
        const auto room = std::as_writable_bytes(std::span(content.data() + size, content.size() - size));
        const Result<std::size_t> count = (*opened)->read(room, size);
        if (!count) return fail(count.error());
        size += *count;
        if (*count == room.size()) continue;
        content.resize(size);
        break;
    }
    return content;
}

Result<std::string> readFile(const std::filesystem::path& file, std::int64_t largest) {
    Result<std::string> content = readBeginning(file, largest + 1);
    if (content && static_cast<std::int64_t>(content->size()) > largest) return fail(tooLarge(file, largest));
    return content;
}

Error tooLarge(const std::filesystem::path& file, std::int64_t largest) {
    return {say("the file is too large"), file.string(), say("it has more than {}", formatBytes(largest)), ""};
}

Status replaceFile(FileSystem& files, const std::filesystem::path& file, std::string_view content) {
    auto out = ReplacingFile::open(files, file);
    if (!out) return fail(out.error());
    return out->write(content).and_then([&] { return out->commit(); });
}

Status replaceFile(const std::filesystem::path& file, std::string_view content) {
    DiskFileSystem files;
    return replaceFile(files, file, content);
}

}  // namespace shardlab::base
