// SPDX-License-Identifier: Apache-2.0
// A GPU as a device: one queue, which carries out calls in the order in which they are made, and a stream of copies
// beside it. The file of an operation's header, <header>.cu beside this file, defines it. Errors of CUDA are
// exceptions, which end the run.
#pragma once

#include "kernels/cuda/launch.cuh"
#include "kernels/device.h"

#include <cuda_runtime.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace shardlab::kernels::cuda {

class EventClock;
class GemmPlans;
class LateResults;
class MemoryCache;
class UploadRing;
class WatchedGroups;

class CudaDevice final : public Device {
public:
    /// Opens GPU `index`, which the calling thread uses from now on.
    explicit CudaDevice(int index);
    ~CudaDevice() override;

    std::string name() const override { return properties_.name; }
    void beginRange(const char* name) override;
    void endRange() override;
    std::shared_ptr<DeviceMoment> mark() override;
    std::string identity() const override;
    DeviceGroupsOrReason groups() override;
    void enter() override;

    void* allocate(std::size_t bytes) override;
    void release(void* data) override;
    bool onHost() const override { return false; }
    void upload(const void* host, void* data, std::size_t bytes) override;
    void download(const void* data, void* host, std::size_t bytes) override;
    void copy(const void* from, void* to, std::size_t bytes) override;
    void clear(void* data, std::size_t bytes) override;
    void synchronize() override;
    void* allocateStaging(std::size_t bytes) override;
    void releaseStaging(void* data) override;
    std::shared_ptr<DeviceMoment> uploadBeside(const DeviceMoment* after, const void* staging, void* data,
                                               std::size_t bytes) override;
    std::shared_ptr<DeviceMoment> uploadAhead(const void* staging, void* data, std::size_t bytes) override;
    void await(const DeviceMoment& moment) override;
    std::shared_ptr<DeviceMoment> downloadBeside(const void* data, void* staging, std::size_t bytes) override;

    SHARDLAB_OPERATIONS(SHARDLAB_DECLARE_OPERATION)
    AttentionNeeds attentionNeeds(const AttentionShape& shape, DType type, bool drops) const override;
    std::size_t attentionBlockScratch(int rows, int width) const override;

    // The members below are for the operations themselves and for other code that works on this GPU.

    /// The stream, to which all calls made so far have gone.
    cudaStream_t stream() { return queue_->stream(); }
    const cudaDeviceProp& properties() const { return properties_; }
    EventClock& clock() { return *clock_; }
    /// ", while this rank waited for its GPU in 'forward of stage 0'": the range that was begun last; may be empty. Any
    /// thread may ask.
    std::string underWay();
    /// Throws std::runtime_error where a member of this GPU's groups is lost.
    void requireMembers();

private:
    /// Memory that an operation needs within one call; the next call may write over it.
    template <class T>
    T* scratch(std::size_t elements) {
        return static_cast<T*>(scratchBytes(elements * sizeof(T)));
    }
    void* scratchBytes(std::size_t bytes);
    /// Whether an operation should tell of what slows it: true the first time that it asks.
    bool says(const std::string& what) { return said_.insert(what).second; }
    /// The scores of so many sinks in fp32, within one call as scratch().
    const float* sinkScores(int heads, const HeadSinks& sinks);
    /// Σ values, which lie on the device, in a fixed order; waits for the sum.
    double sumOnHost(std::int64_t count, const double* values);
    /// *mean = Σ values ÷ count, where values lie on the device, in the same order. Does not wait: *mean is set by the
    /// time synchronize() returns.
    void meanLater(std::int64_t count, const double* values, double* mean);

    int index_ = 0;
    cudaDeviceProp properties_{};
    std::unique_ptr<LaunchQueue> queue_;
    cudaStream_t copies_ = nullptr;   ///< a stream beside the queue
    cudaStream_t returns_ = nullptr;  ///< copies from the host ahead of their use, while others go to the host
    std::unique_ptr<MemoryCache> memory_;
    std::unique_ptr<UploadRing> uploads_;
    std::unique_ptr<GemmPlans> plans_;
    std::set<std::string> said_;  ///< what says() has told
    std::shared_ptr<EventClock> clock_;
    std::mutex rangeMutex_;
    std::string range_;                      ///< the name of the one that was begun last
    std::unique_ptr<WatchedGroups> groups_;  ///< null until they are asked for, and where there are none
    void* scratch_ = nullptr;
    std::size_t scratchSize_ = 0;
    double* result_ = nullptr;  ///< on the host, written by kernels; read after synchronize()
    std::unique_ptr<LateResults> later_;
};

}  // namespace shardlab::kernels::cuda
