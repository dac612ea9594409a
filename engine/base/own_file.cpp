// SPDX-License-Identifier: Apache-2.0
#include "engine/base/own_file.h"

#include "engine/base/socket.h"
#include "engine/base/token.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shardlab::base {

Result<std::optional<std::string>> readOwnFile(const std::filesystem::path& file, std::size_t largest) {
    const auto refuse = [&](const Sentence& why) {
        return fail({say("the file is not trusted"), file.string(), why, ""});
    };
    const Descriptor in(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!in.valid() && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
    if (!in.valid()) return refuse(errno == ELOOP ? say("it is a symbolic link") : systemReason(errno));
    struct stat data {};
    if (::fstat(in.value(), &data) != 0) return refuse(systemReason(errno));
    if (!S_ISREG(data.st_mode)) return refuse(say("it is no regular file"));
    if (data.st_uid != ::geteuid() && data.st_uid != 0)
        return refuse(say("it belongs to another user, of number {}", data.st_uid));
    if (data.st_nlink > 1) return refuse(say("it has a second name"));
    std::string content(largest + 1, '\0');
    std::size_t size = 0;
    while (size < content.size()) {
        const ssize_t count = ::read(in.value(), content.data() + size, content.size() - size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return refuse(systemReason(errno));
        if (count == 0) break;
        size += static_cast<std::size_t>(count);
    }
    if (size > largest) return refuse(say("it has more than {} bytes", largest));
    content.resize(size);
    return content;
}

Status replaceOwnFile(const std::filesystem::path& file, std::string_view content) {
    const auto beside = nameBeside(file);
    if (!beside) return fail(beside.error());
    const auto cannot = [&](int reason) {
        ::unlink(beside->c_str());
        return fail({say("cannot write the file"), file.string(), systemReason(reason), ""});
    };
    const Descriptor out(::open(beside->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!out.valid()) return cannot(errno);
    while (!content.empty()) {
        const ssize_t count = ::write(out.value(), content.data(), content.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return cannot(count < 0 ? errno : ENOSPC);
        content.remove_prefix(static_cast<std::size_t>(count));
    }
    if (::fsync(out.value()) != 0 || ::rename(beside->c_str(), file.c_str()) != 0) return cannot(errno);
    return {};
}

}  // namespace shardlab::base
