// SPDX-License-Identifier: Apache-2.0
// The model of a layout, for programs whose configuration says nothing of it.
#pragma once

#include "engine/layout/layout.h"

#include <string>
#include <string_view>

namespace shardlab::trace {

/// What the model is made of, a line each, for the person who writes it for `program`.
std::string modelText(const Layout& layout, std::string_view program);
/// The config.json from which transformers builds the model; empty where it has no such blocks.
std::string modelConfig(const ModelSpec& model);

}  // namespace shardlab::trace
