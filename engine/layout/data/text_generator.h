// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/wings.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace shardlab::layout {

/// The built-in text: `bytes` bytes of ASCII, a function of the seed alone. Short scenes from a small grammar: people
/// with names live at places, own things, buy some and give some away. Subjects and verbs agree in number, there are
/// sums such as "7+5=12.", and names, places and numbers come back within a scene. A model learns the text in steps
/// that show as phases of the loss: letters and spaces, words, sentences, agreement, then what must be remembered and
/// computed.
std::string generateText(std::int64_t seed, std::size_t bytes);

}  // namespace shardlab::layout
