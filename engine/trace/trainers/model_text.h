// SPDX-License-Identifier: Apache-2.0
// The model of a layout, for programs whose configuration says nothing of it.
#pragma once

#include "engine/layout/layout.h"
#include "engine/trace/trainers/trainer_target.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

/// What the model is made of, a line each, for the person who writes it for `program`.
std::string modelText(const Layout& layout, std::string_view program);
/// Puts two files beside the configuration: <stem>.model.txt with `text`, which ends with what is left out (`leftOut`
/// and that of `made`), and the config.json from which transformers builds the model, where it has such blocks.
void addModelFiles(ExportedLayout& made, const Layout& layout, const std::string& stem, std::string text,
                   const std::vector<Sentence>& leftOut);

}  // namespace shardlab::trace
