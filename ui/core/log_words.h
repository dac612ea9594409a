// SPDX-License-Identifier: GPL-3.0-or-later
// A run file is English, so that it reads the same everywhere: here the lines that the launcher and ranks write into
// its log, and why a run and its ranks ended, are told in the desktop's language, and actions get their words.
#pragma once

#include <QString>

#include <span>
#include <string_view>

namespace shardlab::ui {

/// What other programs print, and what has no pattern, stays as it is.
QString logWords(std::string_view english);
/// The sentences of the log that are known, with %1 … for what stands in them.
std::span<const char* const> logPatterns();

}  // namespace shardlab::ui
