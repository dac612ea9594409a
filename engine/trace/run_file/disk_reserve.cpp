// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_file/disk_reserve.h"

#include "engine/base/token.h"

#include <fcntl.h>
#include <unistd.h>

namespace shardlab::trace {

base::Descriptor reserveDisk(const std::filesystem::path& file, std::int64_t bytes) {
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    constexpr int mode = O_RDWR | O_CLOEXEC;
    base::Descriptor blocks(::open(folder.c_str(), mode | O_TMPFILE, 0600));
    const auto name = blocks.valid() ? Result<std::filesystem::path>("") : base::nameBeside(file);
    if (!blocks.valid() && name) {
        // Some file systems make no file without a name; all of them let one lose it.
        blocks = base::Descriptor(::open(name->c_str(), mode | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
        ::unlink(name->c_str());
    }
    if (blocks.valid() && ::posix_fallocate(blocks.value(), 0, bytes) != 0) blocks.close();
    return blocks;
}

}  // namespace shardlab::trace
