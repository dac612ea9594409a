// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/sentence.h"
#include "engine/layout/layout.h"

#include <vector>

namespace shardlab::predict {

/// What is legal in a layout's number formats, but seldom meant.
std::vector<Sentence> precisionNotes(const PrecisionSpec& precision);

}  // namespace shardlab::predict
