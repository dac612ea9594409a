// SPDX-License-Identifier: Apache-2.0
// A device that lets an observer hear of its calls: when each begins, when it is over, and what work it asked for.
#pragma once

#include "kernels/forwarding_device.h"

#include <atomic>
#include <exception>

namespace shardlab::kernels {

/// Hears of the calls of an ObservedDevice, on the threads that make them. Calls lie one after the other on a thread.
class CallObserver {
public:
    virtual void callBegins() = 0;
    /// The call has returned; a device that works on by itself may still carry it out. A call that throws does not end.
    virtual void callEnds(const KernelWork& work) = 0;

protected:
    ~CallObserver() = default;
};

/// All calls go to `device`, which outlives this.
class ObservedDevice : public ForwardingDevice<ObservedDevice> {
public:
    explicit ObservedDevice(Device& device) : device_(device) {}

    /// `observer` outlives this, or gives way to another; null: nobody hears of calls, which then cost nothing more.
    void observe(CallObserver* observer) { observer_ = observer; }

    std::string name() const override { return device_.name(); }
    void beginRange(const char* name) override { device_.beginRange(name); }
    void endRange() override { device_.endRange(); }
    std::shared_ptr<DeviceMoment> mark() override { return device_.mark(); }
    std::string identity() const override { return device_.identity(); }
    DeviceGroupsOrReason groups() override { return device_.groups(); }
    void enter() override { device_.enter(); }

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
    // Copies beside what the device computes are no part of its calls.
    std::shared_ptr<DeviceMoment> uploadBeside(const DeviceMoment* after, const void* staging, void* data,
                                               std::size_t bytes) override {
        return device_.uploadBeside(after, staging, data, bytes);
    }
    std::shared_ptr<DeviceMoment> uploadAhead(const void* staging, void* data, std::size_t bytes) override {
        return device_.uploadAhead(staging, data, bytes);
    }
    void await(const DeviceMoment& moment) override { device_.await(moment); }
    std::shared_ptr<DeviceMoment> downloadBeside(const void* data, void* staging, std::size_t bytes) override {
        return device_.downloadBeside(data, staging, bytes);
    }

private:
    friend class ForwardingDevice<ObservedDevice>;

    /// One call under way, of which the observer hears, if there is one.
    class Call {
    public:
        template <class WorkOf>
        Call(CallObserver* observer, const WorkOf& workOf) : observer_(observer) {
            if (!observer_) return;
            work_ = workOf();
            observer_->callBegins();
        }
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;
        /// Throws what the observer throws; nothing where the call has thrown already.
        ~Call() noexcept(false) {
            if (observer_ && std::uncaught_exceptions() == exceptions_) observer_->callEnds(work_);
        }

    private:
        CallObserver* observer_;
        KernelWork work_;
        int exceptions_ = std::uncaught_exceptions();
    };

    Device& inner() const { return device_; }
    template <auto operation, class... Arguments>
    OperationResult<operation> forward(const auto& workOn, Arguments&... arguments) {
        const Call call(observer_, [&] { return workOn(device_, arguments...); });
        return (device_.*operation)(arguments...);
    }

    Device& device_;
    std::atomic<CallObserver*> observer_ = nullptr;  ///< read by each thread that calls
};

extern template class ForwardingDevice<ObservedDevice>;

}  // namespace shardlab::kernels
