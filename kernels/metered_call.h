// SPDX-License-Identifier: Apache-2.0
// What the parts of MeteredDevice share: one call under way, and the bytes of its operands.
#pragma once

#include "kernels/metered_device.h"

#include <exception>

namespace shardlab {

/// 0 of none.
inline double bytesOf(ConstArray array, double elements) {
    return array ? elements * static_cast<double>(sizeOf(array.type)) : 0;
}

class MeteredDevice::Call {
public:
    Call(MeteredDevice& meter, KernelKind kind, double flops, double bytes)
        : meter_(meter), begin_(meter.now_ ? meter.now_() : 0) {
        if (!meter.now_) return;
        use_ = &meter.uses_[static_cast<std::size_t>(kind)];
        ++use_->calls;
        use_->flops += flops;
        use_->bytes += bytes;
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    /// Throws what the device says; nothing where the call has thrown already.
    ~Call() noexcept(false) {
        if (!use_ || std::uncaught_exceptions() > exceptions_) return;
        if (!meter_.onHost()) meter_.synchronize();
        use_->seconds += meter_.now_() - begin_;
    }

private:
    MeteredDevice& meter_;
    double begin_;
    KernelUse* use_ = nullptr;
    int exceptions_ = std::uncaught_exceptions();
};

}  // namespace shardlab
