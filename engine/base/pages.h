// SPDX-License-Identifier: Apache-2.0
// Folders of numbered Markdown pages among the resources: the lessons and the manual.
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace shardlab::base {

struct Page {
    std::string name;   ///< "hosts", of the file "50-hosts.md"; the number says where the page stands
    std::string title;  ///< its first line, "# Several hosts", without the sign
    std::string text;   ///< Markdown, the title included
};

/// The pages of a folder, in the order of their numbers: each in language() where the folder of that name below it has
/// a page of the same name. Errors: the folder or one of its files cannot be read.
Result<std::vector<Page>> readPages(const std::filesystem::path& folder);

/// The pages of the manual: resources/manual.
Result<std::vector<Page>> manualPages();

}  // namespace shardlab::base
