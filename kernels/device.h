// SPDX-License-Identifier: Apache-2.0
// What a rank computes on: a device has memory (below) and operations (operations.h). The header of each operation
// states its contract; cpu/<header>.cpp and cuda/<header>.cu keep it.
//
// The contracts share these words. T is the type of the matrices of activations and their gradients, P the type of
// weights, G the type of the gradients of weights that are accumulated into; each is fp32, bf16 or fp16, P and G either
// T or fp32. Sums are taken in fp32 (losses and norms in double) and rounded once, to the type of what is written.
// Statistics are fp32. The tolerances that a header gives hold for fp32; for 16 bits they are 4·2⁻⁸ (bf16) and 4·2⁻¹¹
// (fp16) of the largest value unless the header says otherwise. All arrays lie in the device's memory. Calls are
// carried out in the order in which they are made; a call that returns a number waits for it.
#pragma once

#include "kernels/device_group.h"
#include "kernels/operations.h"

#include <memory>
#include <string>

namespace shardlab::kernels {

/// The memory of a device. Addresses are aligned to 64 bytes at least.
struct DeviceMemory {
    /// Uninitialised; std::bad_alloc where there is not enough.
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* data) = 0;
    /// True where the processor reads and writes this memory directly, and nothing is under way when a call returns.
    virtual bool onHost() const = 0;
    /// upload and download copy between host and device; they return when the host's side may be used again.
    virtual void upload(const void* host, void* data, std::size_t bytes) = 0;
    virtual void download(const void* data, void* host, std::size_t bytes) = 0;
    /// copy and clear work within the device, in order with its kernels.
    virtual void copy(const void* from, void* to, std::size_t bytes) = 0;
    virtual void clear(void* data, std::size_t bytes) = 0;
    /// Waits until all calls have been carried out.
    virtual void synchronize() = 0;
    /// Memory of the host that uploads and downloads reach fastest.
    virtual void* allocateStaging(std::size_t bytes) = 0;
    /// Never throws: destructors call it, also after the device has failed.
    virtual void releaseStaging(void* data) = 0;
    /// Copies from memory of allocateStaging, beside what the device computes. The copy starts when the device has come
    /// to `after` (null: when it has carried out all calls made until now), and is over before any call made from now
    /// on starts. Returns the moment from which `staging` may be written again; null: now.
    virtual std::shared_ptr<DeviceMoment> uploadBeside(const DeviceMoment* after, const void* staging, void* data,
                                                       std::size_t bytes) {
        static_cast<void>(after);
        upload(staging, data, bytes);
        return nullptr;
    }
    /// Copies from memory of allocateStaging once the device has carried out all calls made until now, and lets no
    /// later call wait: a reader of `data` must await() the moment that is returned, from which `data` is complete and
    /// `staging` may be written again; null: now.
    virtual std::shared_ptr<DeviceMoment> uploadAhead(const void* staging, void* data, std::size_t bytes) {
        upload(staging, data, bytes);
        return nullptr;
    }
    /// Calls made from now on are carried out after `moment`, which one of this device's copies returned.
    virtual void await(const DeviceMoment& moment) { static_cast<void>(moment); }
    /// Copies to memory of allocateStaging once the device has carried out all calls made until now, beside those made
    /// from now on. `data` must stay as it is until then. Returns the moment from which `staging` is complete; null:
    /// now.
    virtual std::shared_ptr<DeviceMoment> downloadBeside(const void* data, void* staging, std::size_t bytes) {
        download(data, staging, bytes);
        return nullptr;
    }

protected:
    ~DeviceMemory() = default;
};

/// What makes groups of devices, or why there are none.
struct DeviceGroupsOrReason {
    DeviceGroups* groups = nullptr;  ///< owned by the device
    std::string reason;
};

class Device : public DeviceMemory, public Operations {
public:
    virtual ~Device() = default;
    /// "CPU", "NVIDIA H200".
    virtual std::string name() const = 0;
    /// Calls between beginRange and endRange belong together under this name in a profiler of the device's maker.
    virtual void beginRange(const char* name) { static_cast<void>(name); }
    virtual void endRange() {}
    /// The moment at which all calls made until now have been carried out. Null: now, because nothing is under way when
    /// a call returns.
    virtual std::shared_ptr<DeviceMoment> mark() { return nullptr; }
    /// The hardware, by a name that no other has: two processes that see the same name share a device. Empty for a
    /// processor.
    virtual std::string identity() const { return {}; }
    virtual DeviceGroupsOrReason groups() { return {nullptr, "a processor's memory needs none"}; }
    /// Each further thread calls it before it uses the device. Two threads at a time may call copies and elementwise
    /// operations; all other calls come from one thread.
    virtual void enter() {}

    using GemmOps::gemm;
    /// C[m,n] = op(A)·op(B) + beta·C, where all matrices are whole: their rows lie side by side.
    void gemm(int m, int n, int k, ConstArray a, bool transposeA, ConstArray b, bool transposeB, float beta, Array c) {
        gemm(m, n, k, 1.0f, {a, transposeA ? m : k, transposeA}, {b, transposeB ? k : n, transposeB}, beta, c, n);
    }
};

/// Where a processor's device gets its memory from, if not from the C library. Addresses are aligned to 64 bytes; any
/// thread may call it.
struct HostMemory {
    /// Uninitialised; std::bad_alloc where there is not enough.
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* data) = 0;

protected:
    ~HostMemory() = default;
};

/// Uses the threads of threads.h. `memory` outlives it; null: the C library's.
std::unique_ptr<Device> makeCpuDevice(HostMemory* memory = nullptr);

}  // namespace shardlab::kernels
