// SPDX-License-Identifier: Apache-2.0
// A device that measures what its calls took: how often each kind of kernel was called, for how long, and how much
// arithmetic and memory its operands ask for.
#pragma once

#include "kernels/forwarding_device.h"

#include <array>
#include <exception>

namespace shardlab::kernels {

/// What the calls of one kind of kernel took, all together.
struct KernelUse {
    std::int64_t calls = 0;
    double seconds = 0;
    double flops = 0;  ///< as KernelWork counts them
    double bytes = 0;
};

/// All calls go to `device`, which outlives this. Nothing is measured until start().
class MeteredDevice final : public ForwardingDevice<MeteredDevice> {
public:
    explicit MeteredDevice(Device& device) : device_(device) {}

    /// Measures from here on, from zero. `now` gives seconds. A device that works on by itself is waited for after each
    /// call.
    void start(double (*now)());
    void stop() { now_ = nullptr; }
    const KernelUse& use(KernelKind kind) const { return uses_[static_cast<std::size_t>(kind)]; }

    std::string name() const override { return device_.name(); }
    void beginRange(const char* name) override { device_.beginRange(name); }
    void endRange() override { device_.endRange(); }

    void* allocate(std::size_t bytes) override { return device_.allocate(bytes); }
    void release(void* data) override { device_.release(data); }
    bool onHost() const override { return device_.onHost(); }
    void upload(const void* host, void* data, std::size_t bytes) override;
    void download(const void* data, void* host, std::size_t bytes) override;
    void copy(const void* from, void* to, std::size_t bytes) override;
    void clear(void* data, std::size_t bytes) override;
    void synchronize() override { device_.synchronize(); }
    void* allocateStaging(std::size_t bytes) override { return device_.allocateStaging(bytes); }
    void releaseStaging(void* data) override { device_.releaseStaging(data); }

private:
    friend class ForwardingDevice<MeteredDevice>;

    /// One call under way.
    class Call {
    public:
        Call(MeteredDevice& meter, const KernelWork& work) : meter_(meter), begin_(meter.now_ ? meter.now_() : 0) {
            if (!meter.now_) return;
            use_ = &meter.uses_[static_cast<std::size_t>(work.kind)];
            ++use_->calls;
            use_->flops += work.flops;
            use_->bytes += work.bytes;
        }
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;
        /// Throws what the device throws; nothing where the call has thrown already.
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

    Device& inner() const { return device_; }
    template <auto operation, class... Arguments>
    OperationResult<operation> forward(const auto& workOn, Arguments&... arguments) {
        const Call call(*this, workOn(device_, arguments...));
        return (device_.*operation)(arguments...);
    }

    Device& device_;
    double (*now_)() = nullptr;
    std::array<KernelUse, kernelKinds> uses_{};
};

extern template class ForwardingDevice<MeteredDevice>;

}  // namespace shardlab::kernels
