// SPDX-License-Identifier: Apache-2.0
#include "engine/base/file.h"

#include "engine/base/units.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shardlab {
namespace {

class Descriptor {
public:
    explicit Descriptor(int value) : value_(value) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    bool valid() const { return value_ >= 0; }
    int value() const { return value_; }
    /// 0, or -1 with errno: a full disk may show only here.
    int close() {
        const int result = value_ >= 0 ? ::close(value_) : 0;
        value_ = -1;
        return result;
    }

private:
    int value_;
};

tl::unexpected<Error> systemFailure(const char* what, const std::filesystem::path& file, int code) {
    return fail({what, file.string(), std::strerror(code), ""});
}

}  // namespace

Result<std::string> readFile(const std::filesystem::path& file, std::int64_t largest) {
    const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!descriptor.valid()) return systemFailure("cannot open the file", file, errno);
    struct stat status{};
    if (::fstat(descriptor.value(), &status) != 0) return systemFailure("cannot read the file", file, errno);
    if (S_ISDIR(status.st_mode)) return fail({"cannot read the file", file.string(), "it is a folder", ""});
    std::string content;
    content.resize(65536);
    std::size_t size = 0;
    for (;;) {
        if (size == content.size()) content.resize(size * 2);
        const ssize_t count = ::read(descriptor.value(), content.data() + size, content.size() - size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return systemFailure("cannot read the file", file, errno);
        if (count == 0) break;
        size += static_cast<std::size_t>(count);
        if (static_cast<std::int64_t>(size) > largest)
            return fail({"the file is too large", file.string(), "it has more than " + formatBytes(largest), ""});
    }
    content.resize(size);
    return content;
}

Status replaceFile(const std::filesystem::path& file, std::string_view content) {
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored))
        return fail({"cannot replace the file", file.string(), "it is no regular file", ""});
    std::filesystem::path beside = file;
    beside += ".new" + std::to_string(::getpid());
    const auto abandon = [&](const char* what, int code) {
        ::unlink(beside.c_str());
        return systemFailure(what, file, code);
    };
    Descriptor descriptor(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!descriptor.valid()) return systemFailure("cannot write the file", file, errno);
    while (!content.empty()) {
        const ssize_t count = ::write(descriptor.value(), content.data(), content.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return abandon("cannot write the file", errno);
        content.remove_prefix(static_cast<std::size_t>(count));
    }
    if (::fsync(descriptor.value()) != 0) return abandon("cannot write the file", errno);
    if (descriptor.close() != 0) return abandon("cannot write the file", errno);
    if (::rename(beside.c_str(), file.c_str()) != 0) return abandon("cannot replace the file", errno);
    return {};
}

}  // namespace shardlab
