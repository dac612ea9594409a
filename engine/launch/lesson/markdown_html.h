// SPDX-License-Identifier: Apache-2.0
// The Markdown that lessons are written in, as HTML: headings, paragraphs, tables, formulas and commands, lists,
// quotes, and within a line code, bold, italic and links to the web.
#pragma once

#include "engine/base/wings.h"

#include <string>
#include <string_view>

namespace shardlab::launch {

/// Text for HTML and XML: & < > " have no meaning in it.
std::string escapedMarkup(std::string_view text);
/// A line of Markdown.
std::string inlineHtml(std::string_view markdown);
std::string htmlOf(std::string_view markdown);

}  // namespace shardlab::launch
