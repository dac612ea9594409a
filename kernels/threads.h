// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace shardlab::kernels {

/// Threads that the kernels of the CPU use when the calling thread asks for them. Before the first call it is
/// OMP_NUM_THREADS, or all cores. The same number gives the same bits.
void setKernelThreads(int threads);
int kernelThreads();

}  // namespace shardlab::kernels
