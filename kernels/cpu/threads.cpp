// SPDX-License-Identifier: Apache-2.0
#include "kernels/threads.h"

#include <omp.h>

namespace shardlab::kernels {

void setKernelThreads(int threads) { omp_set_num_threads(threads); }

int kernelThreads() { return omp_get_max_threads(); }

}  // namespace shardlab::kernels
