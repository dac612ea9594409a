// SPDX-License-Identifier: Apache-2.0
// What a rank computes on: its memory and its kernels. Each op's header states the contract; cpu/<op>.cpp and
// cuda/<op>.cu keep it.
//
// In all of them: T is the type of the matrices of activations and their gradients, P of weights, G of the gradients of
// weights that are accumulated into: each fp32, bf16 or fp16, P and G either T or fp32. Sums are taken in fp32 (losses
// and norms in double) and rounded once, to the type of what is written. Statistics are fp32. The tolerances that a
// header gives hold for fp32; for 16 bits they are 4·2⁻⁸ (bf16) and 4·2⁻¹¹ (fp16) of the largest value unless it says
// otherwise. Memory is the device's own. Calls are carried out in the order they were made; what returns a number waits
// for it.
#pragma once

#include "kernels/adafactor.h"
#include "kernels/adamw.h"
#include "kernels/adamw_8bit.h"
#include "kernels/attention.h"
#include "kernels/bias.h"
#include "kernels/block_attention.h"
#include "kernels/convolution.h"
#include "kernels/cross_entropy.h"
#include "kernels/device_group.h"
#include "kernels/dropout.h"
#include "kernels/elementwise.h"
#include "kernels/embedding.h"
#include "kernels/expert_rows.h"
#include "kernels/gate.h"
#include "kernels/gelu.h"
#include "kernels/gemm.h"
#include "kernels/layer_norm.h"
#include "kernels/max_pool.h"
#include "kernels/packed_floats.h"
#include "kernels/pixels.h"
#include "kernels/relu.h"
#include "kernels/rms_norm.h"
#include "kernels/rotary.h"
#include "kernels/sgd.h"
#include "kernels/sm3.h"
#include "kernels/swiglu.h"

#include <memory>
#include <string>

namespace shardlab {

/// Memory of a device. Addresses are aligned to 64 bytes at least.
struct DeviceMemory {
    /// Uninitialised; std::bad_alloc where there is not enough.
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* data) = 0;
    /// True where the processor reads and writes this memory directly, and nothing is under way when a call returns.
    virtual bool onHost() const = 0;
    /// Between host and device; return when the host's side may be used again.
    virtual void upload(const void* host, void* data, std::size_t bytes) = 0;
    virtual void download(const void* data, void* host, std::size_t bytes) = 0;
    /// Within the device, in order with its kernels.
    virtual void copy(const void* from, void* to, std::size_t bytes) = 0;
    virtual void clear(void* data, std::size_t bytes) = 0;
    /// Waits until all that was asked for is done.
    virtual void synchronize() = 0;
    /// Memory of the host that uploads and downloads reach fastest.
    virtual void* allocateStaging(std::size_t bytes) = 0;
    /// Never throws: destructors call it, of a device that has failed too.
    virtual void releaseStaging(void* data) = 0;
    /// From memory of allocateStaging, beside what the device computes: not before it has come to `after` (null: to
    /// what it was asked for until now), and before what it is asked for from now on. Returns the moment from which
    /// `staging` may be written again; null: now.
    virtual std::shared_ptr<DeviceMoment> uploadBeside(const DeviceMoment* after, const void* staging, void* data,
                                                       std::size_t bytes) {
        static_cast<void>(after);
        upload(staging, data, bytes);
        return nullptr;
    }
    /// The same once the device has done what it was asked for until now, but nothing that it is asked for waits: what
    /// reads `data` must await() the moment that is returned, from which `data` has it and `staging` may be written
    /// again; null: now.
    virtual std::shared_ptr<DeviceMoment> uploadAhead(const void* staging, void* data, std::size_t bytes) {
        upload(staging, data, bytes);
        return nullptr;
    }
    /// What the device is asked for from now on comes after `moment`, of one of its copies.
    virtual void await(const DeviceMoment& moment) { static_cast<void>(moment); }
    /// To memory of allocateStaging, beside what the device is asked for from now on, once it has done what it was
    /// asked for until now. `data` must stay as it is until then. Returns the moment from which `staging` has it; null:
    /// now.
    virtual std::shared_ptr<DeviceMoment> downloadBeside(const void* data, void* staging, std::size_t bytes) {
        download(data, staging, bytes);
        return nullptr;
    }

protected:
    ~DeviceMemory() = default;
};

/// What makes groups, or why there is nothing that does.
struct DeviceGroupsOrReason {
    DeviceGroups* groups = nullptr;  ///< the device's own
    std::string reason;
};

class Device : public DeviceMemory,
               public GemmOps,
               public BiasOps,
               public LayerNormOps,
               public RmsNormOps,
               public GeluOps,
               public SwigluOps,
               public RotaryOps,
               public PixelOps,
               public ConvolutionOps,
               public ReluOps,
               public MaxPoolOps,
               public PackedFloatOps,
               public DropoutOps,
               public AttentionOps,
               public AttentionBlockOps,
               public EmbeddingOps,
               public CrossEntropyOps,
               public ElementwiseOps,
               public AdamWOps,
               public AdamW8BitOps,
               public SgdOps,
               public AdafactorOps,
               public Sm3Ops,
               public GateOps,
               public ExpertRowOps {
public:
    virtual ~Device() = default;
    /// "CPU", "NVIDIA H200".
    virtual std::string name() const = 0;
    /// What is asked for between the two belongs together under this name in a profiler of the device's maker.
    virtual void beginRange(const char* name) { static_cast<void>(name); }
    virtual void endRange() {}
    /// The moment at which all that was asked for is done. Null where that is now: nothing is under way when a call
    /// returns.
    virtual std::shared_ptr<DeviceMoment> mark() { return nullptr; }
    /// The hardware, by a name that no other has: two processes that see the same one share a device. Empty: a
    /// processor.
    virtual std::string identity() const { return {}; }
    virtual DeviceGroupsOrReason groups() { return {nullptr, "a processor's memory needs none"}; }
    /// To be called by each further thread before it asks for anything; copies and element kernels alone may be asked
    /// for by two threads at a time.
    virtual void enter() {}
};

/// Where a processor's device has its memory from, if not from the C library. Aligned to 64 bytes; from any thread.
struct HostMemory {
    /// Uninitialised; std::bad_alloc where there is not enough.
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* data) = 0;

protected:
    ~HostMemory() = default;
};

/// Uses the threads of threads.h. `memory` outlives it; null: the C library's.
std::unique_ptr<Device> makeCpuDevice(HostMemory* memory = nullptr);

}  // namespace shardlab
