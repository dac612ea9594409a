// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/sentence.h"
#include "engine/layout/layout.h"

#include <vector>

namespace shardlab::predict {

/// What a model with experts asks to know: how much of it a token uses, what its gate cannot help, and what each rank
/// sends where experts are spread. Empty for others.
std::vector<Sentence> expertNotes(const Layout& layout);

}  // namespace shardlab::predict
