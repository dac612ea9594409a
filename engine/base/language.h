// SPDX-License-Identifier: Apache-2.0
// The language that pages of the manual, lessons, the desktop and what the command line tells people are shown in.
#pragma once

#include "engine/base/wings.h"

#include <array>
#include <optional>
#include <string_view>

namespace shardlab::base {

/// As locales name them; what is not translated is English.
inline constexpr std::array<std::string_view, 2> languages{"en", "zh_CN"};

/// The one of `languages` for a locale such as "zh_CN.UTF-8", "zh-Hans" or "en_GB"; none where Shardlab does not have
/// it.
std::optional<std::string_view> languageOf(std::string_view locale);

/// What SHARDLAB_LANGUAGE names, else the first known one of LANGUAGE and of the locale for messages (LC_ALL,
/// LC_MESSAGES or LANG), else English. A locale "C" is English whatever LANGUAGE lists.
std::string_view language();

/// Sets SHARDLAB_LANGUAGE for this program and those that it starts. To be called before there are other threads.
void chooseLanguage(std::string_view chosen);

}  // namespace shardlab::base
