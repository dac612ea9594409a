// SPDX-License-Identifier: Apache-2.0
#include "kernels/observed_device.h"

namespace shardlab::kernels {
namespace {

/// A copy reads as many bytes as it writes.
KernelWork copied(std::size_t bytes) { return {KernelKind::Copy, 2.0 * static_cast<double>(bytes)}; }

}  // namespace

template class ForwardingDevice<ObservedDevice>;

void ObservedDevice::upload(const void* host, void* data, std::size_t bytes) {
    const Call call(observer_, [&] { return copied(bytes); });
    device_.upload(host, data, bytes);
}

void ObservedDevice::download(const void* data, void* host, std::size_t bytes) {
    const Call call(observer_, [&] { return copied(bytes); });
    device_.download(data, host, bytes);
}

void ObservedDevice::copy(const void* from, void* to, std::size_t bytes) {
    const Call call(observer_, [&] { return copied(bytes); });
    device_.copy(from, to, bytes);
}

void ObservedDevice::clear(void* data, std::size_t bytes) {
    const Call call(observer_, [&] { return KernelWork{KernelKind::Copy, static_cast<double>(bytes)}; });
    device_.clear(data, bytes);
}

}  // namespace shardlab::kernels
