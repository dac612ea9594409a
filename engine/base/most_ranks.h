// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/wings.h"

namespace shardlab::base {

/// The most ranks of a run, and so the most hosts: events number ranks with 16 bits.
constexpr int mostRanks = 32767;

}  // namespace shardlab::base
