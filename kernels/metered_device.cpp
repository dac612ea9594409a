// SPDX-License-Identifier: Apache-2.0
#include "kernels/metered_device.h"

namespace shardlab::kernels {

std::string_view name(KernelKind kind) {
    constexpr std::array<std::string_view, kernelKinds> names{"A·B",
                                                              "A·Bᵀ",
                                                              "Aᵀ·B",
                                                              "attention",
                                                              "attention gradient",
                                                              "layer norm",
                                                              "layer norm gradient",
                                                              "GELU",
                                                              "bias",
                                                              "dropout",
                                                              "embedding",
                                                              "cross-entropy",
                                                              "optimizer",
                                                              "elementwise",
                                                              "copy",
                                                              "routing",
                                                              "RMSNorm",
                                                              "RMSNorm gradient",
                                                              "activation",
                                                              "rotary embedding",
                                                              "patches",
                                                              "pooling"};
    return names[static_cast<std::size_t>(kind)];
}

void MeteredDevice::start(double (*now)()) {
    uses_ = {};
    now_ = now;
    observe(this);
}

void MeteredDevice::callEnds(const KernelWork& work) {
    if (!onHost()) synchronize();
    KernelUse& use = uses_[static_cast<std::size_t>(work.kind)];
    ++use.calls;
    use.seconds += now_() - begin_;
    use.flops += work.flops;
    use.bytes += work.bytes;
}

}  // namespace shardlab::kernels
