// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/dump_file.h"

#include "engine/trace/interchange/trace_json.h"

#include <algorithm>
#include <istream>

namespace shardlab::trace {

Result<std::string> firstBytes(const std::filesystem::path& file, std::size_t most, const ShareWatcher& watcher) {
    auto opened = InputStream::open(file, watcher);
    if (!opened) return fail(opened.error());
    std::string bytes;
    std::istream in(opened->get());
    while (in && bytes.size() < most) {
        const std::size_t before = bytes.size();
        bytes.resize(std::min(most, before + dumpHead));
        in.read(bytes.data() + before, static_cast<std::streamsize>(bytes.size() - before));
        bytes.resize(before + static_cast<std::size_t>(in.gcount()));
    }
    if ((*opened)->cancelled()) return fail(importCancelled());
    if ((*opened)->problem()) return fail(*(*opened)->problem());
    return bytes;
}

bool isPickle(std::string_view bytes) {
    return bytes.size() >= 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
}

}  // namespace shardlab::trace
