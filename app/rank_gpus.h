// SPDX-License-Identifier: Apache-2.0
// What the rank program says of the GPUs it could compute on: `shardlab-rank --gpus`, for `shardlab doctor`.
#pragma once

namespace shardlab::rank {

/// Prints "GPU NAME" for each, then "NCCL 2.28.9", or "no GPU: WHY" and "no NCCL: WHY". Returns the exit status.
int tellGpus();

}  // namespace shardlab::rank
