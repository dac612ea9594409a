// SPDX-License-Identifier: Apache-2.0
// A device that measures what its calls took: how often each kind of kernel was called, for how long, and how much
// arithmetic and memory its operands ask for.
#pragma once

#include "kernels/observed_device.h"

#include <array>

namespace shardlab::kernels {

/// What the calls of one kind of kernel took, all together.
struct KernelUse {
    std::int64_t calls = 0;
    double seconds = 0;
    double flops = 0;  ///< as KernelWork counts them
    double bytes = 0;
};

/// All calls go to `device`, which outlives this. Nothing is measured until start().
class MeteredDevice final : public ObservedDevice, private CallObserver {
public:
    using ObservedDevice::ObservedDevice;

    /// Measures from here on, from zero. `now` gives seconds. A device that works on by itself is waited for after each
    /// call.
    void start(double (*now)());
    void stop() { observe(nullptr); }
    const KernelUse& use(KernelKind kind) const { return uses_[static_cast<std::size_t>(kind)]; }

private:
    void callBegins() override { begin_ = now_(); }
    void callEnds(const KernelWork& work) override;

    double (*now_)() = nullptr;
    double begin_ = 0;  ///< of the call under way
    std::array<KernelUse, kernelKinds> uses_{};
};

}  // namespace shardlab::kernels
