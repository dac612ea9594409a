// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/train/model/parameter.h"
#include "kernels/device.h"

#include <span>

namespace shardlab::train {

/// The token embedding is used by the first stage (lookup) and the last (output projection). Each holds a copy and the
/// gradient of its own use; the gradient of the shared weight is their sum. Equal updates then keep the copies equal.
/// `stages`: the parameters of each stage of this rank. `ends`: the ranks of first and last stage, or the one that
/// holds both.
void sumTiedGradients(std::span<const std::span<Parameter>> stages, Communicator& ends, Device& device);

}  // namespace shardlab::train
