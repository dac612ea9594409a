// SPDX-License-Identifier: Apache-2.0
#include "engine/base/mapped_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace shardlab::base {

Result<MappedFile> MappedFile::create(const std::filesystem::path& file, std::size_t words, const char* what) {
    return map(file, words, what, true);
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& file, std::size_t words, const char* what) {
    return map(file, words, what, false);
}

Result<MappedFile> MappedFile::map(const std::filesystem::path& file, std::size_t words, const char* what,
                                   bool create) {
    const std::string sentence = std::string(create ? "cannot create " : "cannot read ") + what;
    const auto bytes = static_cast<off_t>(words * sizeof(std::uint64_t));
    const int descriptor = ::open(file.c_str(), (create ? O_RDWR | O_CREAT | O_TRUNC : O_RDONLY) | O_CLOEXEC, 0666);
    if (descriptor < 0) return fail({sentence, file.string(), std::strerror(errno), ""});
    void* at = MAP_FAILED;
    int code = 0;
    if (create) {
        // Blocks taken now: on a full disk a later store into the mapping would be a SIGBUS.
        code = ::posix_fallocate(descriptor, 0, bytes);
    } else if (::lseek(descriptor, 0, SEEK_END) < bytes) {
        code = ENODATA;
    }
    if (code == 0)
        at = ::mmap(nullptr, static_cast<std::size_t>(bytes), create ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
                    descriptor, 0);
    if (code == 0 && at == MAP_FAILED) code = errno;
    ::close(descriptor);
    if (code != 0)
        return fail({sentence, file.string(), code == ENODATA ? "it is too short" : std::strerror(code), ""});
    return MappedFile(std::span(static_cast<std::uint64_t*>(at), words));
}

MappedFile::MappedFile(MappedFile&& other) noexcept : words_(std::exchange(other.words_, {})) {}

MappedFile::~MappedFile() {
    if (!words_.empty()) ::munmap(words_.data(), words_.size_bytes());
}

}  // namespace shardlab::base
