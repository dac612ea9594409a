// SPDX-License-Identifier: Apache-2.0
// How events and traces name the place of a model: its layers from 0, and what is none of them.
#pragma once

#include "engine/base/wings.h"

namespace shardlab::base {

inline constexpr int embeddingLayer = -1;
inline constexpr int outputLayer = -2;
inline constexpr int allLayers = -3;  ///< of an update, which takes those of a stage together

}  // namespace shardlab::base
