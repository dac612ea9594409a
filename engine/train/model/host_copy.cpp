// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/host_copy.h"

#include <cassert>

namespace shardlab::train {

// Where types differ, the device converts, by way of an array of fp32 in its memory that no ledger counts.
void upload(Device& device, std::span<const float> from, ArraySpan to) {
    assert(from.size() == to.size());

    if (from.empty()) return;
    if (to.type() == DType::F32) return device.upload(from.data(), to.data().data, from.size_bytes());
    void* passing = device.allocate(from.size_bytes());
    device.upload(from.data(), passing, from.size_bytes());
    device.convert(static_cast<std::int64_t>(from.size()), {passing, DType::F32}, to.data());
    device.synchronize();
    device.release(passing);
}

void download(Device& device, ConstArraySpan from, std::span<float> to) {
    assert(from.size() == to.size());

    if (from.empty()) return;
    if (from.type() == DType::F32) return device.download(from.data().data, to.data(), to.size_bytes());
    void* passing = device.allocate(to.size_bytes());
    device.convert(static_cast<std::int64_t>(from.size()), from.data(), {passing, DType::F32});
    device.download(passing, to.data(), to.size_bytes());
    device.release(passing);
}

std::vector<float> download(Device& device, ConstArraySpan from) {
    std::vector<float> values(from.size());
    download(device, from, values);
    return values;
}

}  // namespace shardlab::train
