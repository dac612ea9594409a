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

template class ForwardingDevice<MeteredDevice>;

void MeteredDevice::start(double (*now)()) {
    uses_ = {};
    now_ = now;
}

void MeteredDevice::upload(const void* host, void* data, std::size_t bytes) {
    const Call call(*this, {KernelKind::Copy, 2.0 * static_cast<double>(bytes)});
    device_.upload(host, data, bytes);
}

void MeteredDevice::download(const void* data, void* host, std::size_t bytes) {
    const Call call(*this, {KernelKind::Copy, 2.0 * static_cast<double>(bytes)});
    device_.download(data, host, bytes);
}

void MeteredDevice::copy(const void* from, void* to, std::size_t bytes) {
    const Call call(*this, {KernelKind::Copy, 2.0 * static_cast<double>(bytes)});
    device_.copy(from, to, bytes);
}

void MeteredDevice::clear(void* data, std::size_t bytes) {
    const Call call(*this, {KernelKind::Copy, static_cast<double>(bytes)});
    device_.clear(data, bytes);
}

}  // namespace shardlab::kernels
