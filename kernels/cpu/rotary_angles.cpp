// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/rotary_angles.h"

namespace shardlab::kernels::cpu {

SHARDLAB_HOT void turnOn(int pairs, double magnitude, const double* stepCos, const double* stepSin, double* cosines,
                         double* sines, float* c, float* s) {
#pragma omp simd
    for (int i = 0; i < pairs; ++i) {
        const double x = cosines[i] * stepCos[i] - sines[i] * stepSin[i];
        const double y = sines[i] * stepCos[i] + cosines[i] * stepSin[i];
        cosines[i] = x;
        sines[i] = y;
        c[i] = static_cast<float>(magnitude * x);
        s[i] = static_cast<float>(magnitude * y);
    }
}

}  // namespace shardlab::kernels::cpu
