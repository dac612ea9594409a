// SPDX-License-Identifier: Apache-2.0
#include "engine/base/resources.h"

#include <cstdlib>

namespace shardlab::base {

const std::filesystem::path& resourcesFolder() {
    static const std::filesystem::path folder = [] {
        std::error_code ignored;
        const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
        return program.parent_path().parent_path() / "share" / "shardlab" / "resources";
    }();
    return folder;
}

std::filesystem::path configurationFolder() {
    // The specification wants an absolute path; anything else is as if it were unset.
    if (const char* set = std::getenv("XDG_CONFIG_HOME"); set != nullptr && set[0] == '/')
        return std::filesystem::path(set) / "shardlab";
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home != nullptr ? home : "/") / ".config" / "shardlab";
}

}  // namespace shardlab::base
