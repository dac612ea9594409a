// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace shardlab {

/// Threads that this process's matrix products use; the other kernels use the calling thread. Before the first call it
/// is OMP_NUM_THREADS, or all cores. The same number gives the same bits.
void setKernelThreads(int threads);
int kernelThreads();

}  // namespace shardlab
