// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/remote_files.h"

#include "engine/base/crc32c.h"
#include "engine/base/file.h"
#include "engine/launch/job/temporary_folder.h"
#include "engine/trace/record/spool.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace shardlab::launch {

Result<HostFolder> HostFolder::create(const std::filesystem::path& folder) {
    std::error_code failed;
    std::filesystem::create_directory(folder, failed);
    if (failed)
        return fail(Error{say("cannot make the host's folder"), folder.string(), systemReason(failed.value()), {}});
    return HostFolder(folder);
}

HostFolder::~HostFolder() {
    if (!folder_.empty()) removeWhole(folder_);
}

Result<Bytes> flightOf(const std::filesystem::path& file) {
    const Result<std::string> content = readFile(file);
    if (!content) return fail(content.error());
    const auto bytes = std::as_bytes(std::span<const char>(*content));
    return Bytes(bytes.begin(), bytes.end());
}

Result<Bytes> spoolFrom(const std::filesystem::path& file, std::uint64_t from) {
    DiskFileSystem disk;
    Bytes frames;
    const Status read = readSpool(disk, file, from, [&](std::uint64_t offset, const Frame& frame) {
        Bytes body;
        ByteWriter writer(body);
        writer.fixed(offset);
        writer.bytes(frame.body);
        appendFrame(frames, frame.type, body);
    });
    // All before a damage counts.
    if (!read && frames.empty()) return fail(read.error());
    return frames;
}

bool hasFile(const SharedFile& file) {
    std::error_code ignored;
    if (file.need == SharedFile::Need::Exists) return std::filesystem::exists(file.path, ignored);
    const auto content = readFile(file.path);
    return content && crc32c(std::as_bytes(std::span(content->data(), content->size()))) == file.checksum;
}

bool acknowledgedLately(int socket) {
    constexpr std::uint32_t lately = 400;  // ms; both sides send several times as often
    tcp_info info{};
    socklen_t size = sizeof info;
    return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && info.tcpi_state == TCP_ESTABLISHED &&
           info.tcpi_last_ack_recv < lately;
}

void keepQueueShort(int socket) {
    const int bytes = 1 << 16;
    setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes);
}

}  // namespace shardlab::launch
