// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/cuda_device.cuh"

#include "kernels/cuda/event_clock.cuh"
#include "kernels/cuda/gemm_plans.cuh"
#include "kernels/cuda/late_results.cuh"
#include "kernels/cuda/memory.cuh"
#include "kernels/cuda/nccl_groups.cuh"
#include "kernels/cuda/waiting.cuh"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define SHARDLAB_NVTX
#endif

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace shardlab::kernels::cuda {

namespace {

constexpr std::size_t resultBytes = sizeof(double);

/// SHARDLAB_CUDA_GRAPHS=0 turns graphs off, for comparison.
bool wantsGraphs() {
    const char* wanted = std::getenv("SHARDLAB_CUDA_GRAPHS");
    return !wanted || std::string_view(wanted) != "0";
}

struct Copy {
    const void* from;
    void* to;
    std::size_t bytes;
    bool operator==(const Copy&) const = default;
    void operator()(cudaStream_t stream) const {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync on the GPU", bytes);
    }
};

struct Clear {
    void* data;
    std::size_t bytes;
    bool operator==(const Clear&) const = default;
    void operator()(cudaStream_t stream) const {
        check(cudaMemsetAsync(data, 0, bytes, stream), "cudaMemsetAsync", bytes);
    }
};

}  // namespace

CudaDevice::CudaDevice(int index) : index_(index) {
    check(cudaSetDevice(index), "cudaSetDevice");
    check(cudaGetDeviceProperties(&properties_, index), "cudaGetDeviceProperties");
    queue_ = std::make_unique<LaunchQueue>(wantsGraphs());
    check(cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking), "cudaStreamCreate");
    check(cudaStreamCreateWithFlags(&returns_, cudaStreamNonBlocking), "cudaStreamCreate");
    memory_ = std::make_unique<MemoryCache>([this] { queue_->stream(); });
    uploads_ = std::make_unique<UploadRing>([this] { requireMembers(); });
    plans_ = std::make_unique<GemmPlans>(properties_.name);
    void* result = nullptr;
    check(cudaHostAlloc(&result, resultBytes, cudaHostAllocMapped), "cudaHostAlloc", resultBytes);
    result_ = static_cast<double*>(result);
    later_ = std::make_unique<LateResults>();
    clock_ = std::make_shared<EventClock>();
}

CudaDevice::~CudaDevice() {
    groups_.reset();
    queue_->abandon();
    later_.reset();
    cudaFreeHost(result_);
    plans_.reset();
    uploads_.reset();
    memory_.reset();
    cudaStreamDestroy(returns_);
    cudaStreamDestroy(copies_);
    queue_.reset();
}

void CudaDevice::beginRange(const char* name) {
#ifdef SHARDLAB_NVTX
    nvtxRangePushA(name);
#endif
    {
        const std::lock_guard held(rangeMutex_);
        range_ = name;
    }
    queue_->begin(name);
}

void CudaDevice::endRange() {
    queue_->end();
#ifdef SHARDLAB_NVTX
    nvtxRangePop();
#endif
}

std::shared_ptr<DeviceMoment> CudaDevice::mark() { return clock_->mark(stream()); }

std::string CudaDevice::identity() const {
    constexpr char digits[] = "0123456789abcdef";
    std::string text = "GPU-";
    for (const char byte : properties_.uuid.bytes) {
        const auto value = static_cast<unsigned char>(byte);
        text += digits[value / 16];
        text += digits[value % 16];
    }
    return text;
}

DeviceGroupsOrReason CudaDevice::groups() {
    std::string reason;
    if (!groups_) groups_ = loadNccl(*this, reason);
    return {groups_.get(), reason};
}

std::string CudaDevice::underWay() {
    const std::lock_guard held(rangeMutex_);
    return range_.empty() ? std::string() : ", while this rank waited for its GPU in '" + range_ + "'";
}

void CudaDevice::requireMembers() {
    if (groups_) groups_->requireMembers();
}

void CudaDevice::enter() { check(cudaSetDevice(index_), "cudaSetDevice"); }

void* CudaDevice::allocate(std::size_t bytes) { return memory_->allocate(bytes); }
void CudaDevice::release(void* data) { memory_->release(data); }

void CudaDevice::upload(const void* host, void* data, std::size_t bytes) {
    if (bytes == 0) return;
    uploads_->upload(host, data, bytes, stream());
}

void CudaDevice::download(const void* data, void* host, std::size_t bytes) {
    if (bytes == 0) return;
    check(cudaMemcpyAsync(host, data, bytes, cudaMemcpyDeviceToHost, stream()), "cudaMemcpyAsync from the GPU", bytes);
    synchronize();
}

void CudaDevice::copy(const void* from, void* to, std::size_t bytes) {
    if (bytes == 0) return;
    queue_->call(Copy{from, to, bytes});
}

void CudaDevice::clear(void* data, std::size_t bytes) {
    if (bytes == 0) return;
    queue_->call(Clear{data, bytes});
}

void CudaDevice::synchronize() {
    const std::uint64_t asked = later_->asked();
    cudaStream_t own = stream();
    if (groups_) {
        // An exchange with a rank that is lost never ends.
        waitLooking([own] { return cudaStreamQuery(own); }, "cudaStreamQuery", [this] { requireMembers(); });
        requireMembers();  // an exchange that was cut off counts as over, too
    } else {
        check(cudaStreamSynchronize(own), "cudaStreamSynchronize");
    }
    later_->handOver(asked);
    clock_->compare();
}

void* CudaDevice::allocateStaging(std::size_t bytes) {
    void* data = nullptr;
    const cudaError_t status = cudaHostAlloc(&data, std::max<std::size_t>(bytes, 1), cudaHostAllocDefault);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();  // clears the error, which is handled here
        throw std::bad_alloc();
    }
    check(status, "cudaHostAlloc", bytes);
    return data;
}

void CudaDevice::releaseStaging(void* data) { cudaFreeHost(data); }

std::shared_ptr<DeviceMoment> CudaDevice::uploadBeside(const DeviceMoment* after, const void* staging, void* data,
                                                       std::size_t bytes) {
    if (bytes == 0) return nullptr;
    const std::shared_ptr<DeviceMoment> asked = after ? nullptr : mark();
    check(cudaStreamWaitEvent(copies_, EventClock::event(after ? *after : *asked), 0), "cudaStreamWaitEvent");
    check(cudaMemcpyAsync(data, staging, bytes, cudaMemcpyHostToDevice, copies_), "cudaMemcpyAsync to the GPU", bytes);
    const std::shared_ptr<DeviceMoment> over = clock_->mark(copies_);
    check(cudaStreamWaitEvent(stream(), EventClock::event(*over), 0), "cudaStreamWaitEvent");
    return over;
}

std::shared_ptr<DeviceMoment> CudaDevice::uploadAhead(const void* staging, void* data, std::size_t bytes) {
    if (bytes == 0) return nullptr;
    const std::shared_ptr<DeviceMoment> asked = mark();
    check(cudaStreamWaitEvent(returns_, EventClock::event(*asked), 0), "cudaStreamWaitEvent");
    check(cudaMemcpyAsync(data, staging, bytes, cudaMemcpyHostToDevice, returns_), "cudaMemcpyAsync to the GPU", bytes);
    return clock_->mark(returns_);
}

void CudaDevice::await(const DeviceMoment& moment) {
    check(cudaStreamWaitEvent(stream(), EventClock::event(moment), 0), "cudaStreamWaitEvent");
}

std::shared_ptr<DeviceMoment> CudaDevice::downloadBeside(const void* data, void* staging, std::size_t bytes) {
    if (bytes == 0) return nullptr;
    const std::shared_ptr<DeviceMoment> asked = mark();
    check(cudaStreamWaitEvent(copies_, EventClock::event(*asked), 0), "cudaStreamWaitEvent");
    check(cudaMemcpyAsync(staging, data, bytes, cudaMemcpyDeviceToHost, copies_), "cudaMemcpyAsync from the GPU",
          bytes);
    return clock_->mark(copies_);
}

// The memory grows to the largest size that was asked for. Kernels that still use the old memory are over before the
// cache hands it out again, because all of them run in one stream.
void* CudaDevice::scratchBytes(std::size_t bytes) {
    if (bytes > scratchSize_) {
        if (scratch_) memory_->release(scratch_);
        scratchSize_ = 0;
        scratch_ = memory_->allocate(bytes);
        scratchSize_ = bytes;
    }
    return scratch_;
}

}  // namespace shardlab::kernels::cuda
