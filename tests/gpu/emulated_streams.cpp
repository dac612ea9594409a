// SPDX-License-Identifier: Apache-2.0
// CUDA's functions of the host on ordinary memory. A stream is a thread that does what it was asked for, some time
// later; so is everything that nobody has waited for. A kernel is loaded when it is first launched, for which the GPU
// must have nothing under way, unless CUDA_MODULE_LOADING=EAGER, as CUDA warns that it may.
#include "tests/gpu/emulated_cuda.h"
#include "tests/support/wings.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

thread_local int device = 0;
thread_local cudaError_t lastError = cudaSuccess;

cudaError_t fail(cudaError_t error) { return lastError = error; }

bool is(const char* variable, const char* value) {
    const char* const found = std::getenv(variable);
    return found && std::strcmp(found, value) == 0;
}

/// SHARDLAB_EMULATED_LOSS=1: as after a kernel that read what is nobody's, from which a GPU does not recover.
bool lost() { return is("SHARDLAB_EMULATED_LOSS", "1"); }

int deviceCount() {
    const char* wanted = std::getenv("SHARDLAB_EMULATED_GPUS");
    return wanted ? std::max(1, std::atoi(wanted)) : 1;
}

/// A point in a stream.
struct Point {
    std::mutex mutex;
    std::condition_variable changed;
    bool reached = false;
    Clock::time_point time;

    void reach() {
        const std::lock_guard held(mutex);
        reached = true;
        time = Clock::now();
        changed.notify_all();
    }
    void wait() {
        std::unique_lock held(mutex);
        changed.wait(held, [&] { return reached; });
    }
    bool isReached() {
        const std::lock_guard held(mutex);
        return reached;
    }
};

}  // namespace

struct CUevent_st {
    std::shared_ptr<Point> point;  ///< null: never recorded
};

struct CUgraphNode_st {
    std::function<void()> work;
};

struct CUgraph_st {
    std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};

struct CUgraphExec_st {
    std::vector<cudaGraphNode_t> nodes;  ///< of the graph that it was made of
    std::vector<std::function<void()>> works;
};

struct CUstream_st {
    const int device = ::device;

    ~CUstream_st() {
        const std::lock_guard held(mutex_);
        ended_ = true;
        asked_.notify_one();
    }
    /// To the graph where one is captured.
    void add(std::function<void()> work) {
        const std::lock_guard held(mutex_);
        if (captured_) {
            captured_->nodes.push_back(std::make_unique<CUgraphNode_st>(std::move(work)));
            return;
        }
        work_.push_back(std::move(work));
        if (work_.size() == 1 && !busy_) asked_.notify_one();
    }
    bool idle() {
        const std::lock_guard held(mutex_);
        return work_.empty() && !busy_;
    }
    void wait() {
        std::unique_lock held(mutex_);
        done_.wait(held, [&] { return work_.empty() && !busy_; });
    }

    bool beginCapture() {
        const std::lock_guard held(mutex_);
        if (captured_) return false;
        captured_ = std::make_unique<CUgraph_st>();
        return true;
    }
    cudaGraph_t endCapture() {
        const std::lock_guard held(mutex_);
        return captured_.release();
    }
    cudaGraph_t captured() {
        const std::lock_guard held(mutex_);
        return captured_.get();
    }

private:
    void run() {
        std::minstd_rand random(std::random_device{}());
        std::unique_lock held(mutex_);
        while (true) {
            asked_.wait(held, [&] { return !work_.empty() || ended_; });
            if (work_.empty()) return;
            const std::function<void()> work = std::move(work_.front());
            work_.pop_front();
            busy_ = true;
            held.unlock();
            // Sooner or later: what is used before it is done shows.
            if (random() % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
            work();
            held.lock();
            busy_ = false;
            if (work_.empty()) done_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable asked_, done_;
    std::deque<std::function<void()>> work_;
    bool busy_ = false, ended_ = false;
    std::unique_ptr<CUgraph_st> captured_;
    std::jthread thread_{[this] { run(); }};
};

namespace {

std::mutex streamsMutex;
std::vector<CUstream_st*> streams;

// Bytes of shared memory that a block may have: unasked, and on request; so little that tests have more, too. A
// kernel's own variables are not known here, and taken for as many as some have.
constexpr std::size_t unaskedShared = 48 * 1024, ownShared = 128;
std::size_t mostShared() { return (shardlab::emulation::dry() ? 227 : 52) * std::size_t{1024}; }

struct Kernel {
    std::string name;
    std::function<shardlab::emulation::Ready(void**)> prepare;
    std::map<int, std::size_t> allowed;  ///< beside its own variables, by GPU
    std::set<int> loaded;                ///< GPUs
};
std::mutex kernelsMutex;
std::map<const void*, Kernel> kernels;

constexpr unsigned mostBlocksAcross = 65535;  ///< in the second and third direction

/// Null where nobody has introduced the kernel, it has too many blocks, or they may not have so much shared memory.
std::function<void()> blocksOf(const void* kernel, dim3 blocks, dim3 threads, std::size_t sharedBytes,
                               void** arguments) {
    if (blocks.y > mostBlocksAcross || blocks.z > mostBlocksAcross) return {};
    const std::lock_guard held(kernelsMutex);
    const auto found = kernels.find(kernel);
    if (found == kernels.end()) return {};
    const auto allowed = found->second.allowed.find(device);
    if (sharedBytes > (allowed == found->second.allowed.end() ? unaskedShared - ownShared : allowed->second)) return {};
    return [=, ready = found->second.prepare(arguments)] {
        shardlab::emulation::runNow(blocks, threads, sharedBytes, ready);
    };
}

std::shared_ptr<Point> pointOf(cudaEvent_t event) { return event->point; }

std::mutex countsMutex;
std::map<std::string, std::uint64_t> counts;

/// Whatever other threads ask of the GPU meanwhile.
void waitForAll() {
    const auto over = [] {
        const std::lock_guard held(streamsMutex);
        return std::ranges::all_of(streams, [](CUstream_st* each) { return each->device != device || each->idle(); });
    };
    while (!over()) std::this_thread::sleep_for(std::chrono::microseconds(20));
}

/// The kernel's name, once it is loaded.
std::string loaded(const void* kernel) {
    std::string name;
    {
        const std::lock_guard held(kernelsMutex);
        const auto found = kernels.find(kernel);
        if (found == kernels.end()) return "nobody's kernel";
        name = found->second.name;
        if (!found->second.loaded.insert(device).second) return name;
    }
    if (!is("CUDA_MODULE_LOADING", "EAGER")) waitForAll();
    return name;
}

std::mutex emptyMutex;
std::map<void*, std::size_t> empty;  ///< memory without pages, by its size

}  // namespace

namespace shardlab::emulation {

void enqueue(cudaStream_t stream, std::function<void()> work) {
    if (dry()) work = [] {};
    stream->add(std::move(work));
}

void count(const std::string& what) {
    const std::lock_guard held(countsMutex);
    ++counts[what];
}
void count(cudaStream_t stream, const std::string& what) {
    if (!stream->captured()) count(what);
}

int currentDevice() { return device; }

bool captures() {
    const std::lock_guard held(streamsMutex);
    return std::ranges::any_of(streams, [](CUstream_st* stream) { return stream->captured() != nullptr; });
}

void introduce(const char* name, const void* kernel, std::function<Ready(void**)> prepare) {
    const std::lock_guard held(kernelsMutex);
    ::kernels.try_emplace(kernel, Kernel{name, std::move(prepare), {}, {}});
}

}  // namespace shardlab::emulation

void shardlabEmulatedCounts(void (*tell)(const char* what, std::uint64_t count, void* to), void* to) {
    const std::lock_guard held(countsMutex);
    for (const auto& [what, count] : counts) tell(what.c_str(), count, to);
}

cudaError_t cudaSetDevice(int index) {
    device = index;
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int* index) {
    *index = device;
    return cudaSuccess;
}
/// SHARDLAB_EMULATED_LAZY=refused: kernels that are loaded late are an error, in place of a chance to stand still.
cudaError_t cudaGetDeviceCount(int* count) {
    if (is("SHARDLAB_EMULATED_LAZY", "refused") && !is("CUDA_MODULE_LOADING", "EAGER"))
        return fail(cudaErrorNotPermitted);
    *count = deviceCount();
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int index) {
    *properties = {};
    std::strcpy(properties->name, "emulated GPU");
    properties->uuid.bytes[15] = static_cast<char>(index + 1);
    properties->major = shardlab::emulation::capability() / 10;
    properties->minor = shardlab::emulation::capability() % 10;
    properties->multiProcessorCount = shardlab::emulation::dry() ? 132 : 4;
    properties->sharedMemPerBlockOptin = mostShared();
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
    if (attribute != cudaDevAttrMaxSharedMemoryPerBlockOptin) return fail(cudaErrorInvalidValue);
    *value = static_cast<int>(mostShared());
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaGetLastError() { return std::exchange(lastError, cudaSuccess); }
const char* cudaGetErrorString(cudaError_t error) { return error == cudaSuccess ? "no error" : "an emulated error"; }
const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorNotReady: return "cudaErrorNotReady";
    case cudaErrorIllegalAddress: return "cudaErrorIllegalAddress";
    case cudaErrorInvalidResourceHandle: return "cudaErrorInvalidResourceHandle";
    default: return "another error";
    }
}

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
    if (shardlab::emulation::dry()) {
        *data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (*data == MAP_FAILED) return fail(cudaErrorMemoryAllocation);
        const std::lock_guard held(emptyMutex);
        empty[*data] = bytes;
        return cudaSuccess;
    }
    *data = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
    std::memset(*data, 0xFF, bytes);  // not a number, of any type
    return cudaSuccess;
}
/// Waits for everything that is under way on the GPU, as CUDA does.
cudaError_t cudaFree(void* data) {
    if (lost()) return fail(cudaErrorIllegalAddress);
    waitForAll();
    const std::lock_guard held(emptyMutex);
    if (const auto found = empty.extract(data)) munmap(data, found.mapped());
    else std::free(data);
    return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned) { return cudaMalloc(data, bytes); }
cudaError_t cudaFreeHost(void* data) { return cudaFree(data); }
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    if (lost()) return fail(cudaErrorIllegalAddress);
    shardlab::emulation::count(stream, kind == cudaMemcpyHostToDevice   ? "copy to the GPU"
                                       : kind == cudaMemcpyDeviceToHost ? "copy from the GPU"
                                                                        : "copy on the GPU");
    if (kind == cudaMemcpyDeviceToHost) stream->add([=] { std::memmove(to, from, bytes); });
    else shardlab::emulation::enqueue(stream, [=] { std::memmove(to, from, bytes); });
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream) {
    if (lost()) return fail(cudaErrorIllegalAddress);
    shardlab::emulation::count(stream, "clear");
    shardlab::emulation::enqueue(stream, [=] { std::memset(data, value, bytes); });
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    *stream = new CUstream_st;
    const std::lock_guard held(streamsMutex);
    streams.push_back(*stream);
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    stream->wait();
    {
        const std::lock_guard held(streamsMutex);
        std::erase(streams, stream);
    }
    delete stream;
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    stream->wait();
    return lost() ? fail(cudaErrorIllegalAddress) : cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    if (lost()) return fail(cudaErrorIllegalAddress);
    return stream->idle() ? cudaSuccess : fail(cudaErrorNotReady);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    if (const auto point = pointOf(event)) stream->add([point] { point->wait(); });
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    *event = new CUevent_st;
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return cudaEventCreate(event); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    const auto point = std::make_shared<Point>();
    event->point = point;
    stream->add([point] { point->reach(); });
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
    if (lost()) return fail(cudaErrorIllegalAddress);
    const auto point = pointOf(event);
    return !point || point->isReached() ? cudaSuccess : fail(cudaErrorNotReady);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    if (const auto point = pointOf(event)) point->wait();
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    const auto from = pointOf(begin), to = pointOf(end);
    if (!from || !to) return fail(cudaErrorInvalidResourceHandle);
    if (!from->isReached() || !to->isReached()) return fail(cudaErrorNotReady);
    *milliseconds = std::chrono::duration<float, std::milli>(to->time - from->time).count();
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
    *attributes = {};
    attributes->sharedSizeBytes = ownShared;
    return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
    const std::lock_guard held(kernelsMutex);
    const auto found = kernels.find(kernel);
    const auto bytes = static_cast<std::size_t>(value);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || found == kernels.end() ||
        bytes + ownShared > mostShared())
        return fail(cudaErrorInvalidValue);
    found->second.allowed[device] = bytes;
    return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* kernel, dim3 blocks, dim3 threads, void** arguments, std::size_t sharedBytes,
                             cudaStream_t stream) {
    if (lost()) return fail(cudaErrorIllegalAddress);
    if (stream->device != device) return fail(cudaErrorInvalidResourceHandle);
    std::function<void()> work = blocksOf(kernel, blocks, threads, sharedBytes, arguments);
    if (!work) return fail(cudaErrorInvalidDeviceFunction);
    shardlab::emulation::count(stream, "kernel " + loaded(kernel));
    shardlab::emulation::enqueue(stream, std::move(work));
    return cudaSuccess;
}

/// SHARDLAB_EMULATED_GRAPHS=0: as where graphs are refused.
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    if (is("SHARDLAB_EMULATED_GRAPHS", "0")) return fail(cudaErrorNotPermitted);
    shardlab::emulation::count("graph captured");
    return stream->beginCapture() ? cudaSuccess : fail(cudaErrorIllegalState);
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    *graph = stream->endCapture();
    return *graph ? cudaSuccess : fail(cudaErrorIllegalState);
}
#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long*,
                                     cudaGraph_t* graph, const cudaGraphNode_t** last, const cudaGraphEdgeData**,
                                     std::size_t* count) {
#else
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long*,
                                        cudaGraph_t* graph, const cudaGraphNode_t** last, std::size_t* count) {
#endif
    thread_local cudaGraphNode_t node = nullptr;
    *graph = stream->captured();
    *status = *graph ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    *count = *graph && !(*graph)->nodes.empty() ? 1 : 0;
    if (*count) node = (*graph)->nodes.back().get();
    *last = &node;
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
    *executable = new CUgraphExec_st;
    shardlab::emulation::count("graph made");
    for (const auto& node : graph->nodes) {
        (*executable)->nodes.push_back(node.get());
        (*executable)->works.push_back(node->work);
    }
    return cudaSuccess;
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo*) {
    if (graph->nodes.size() != executable->works.size()) return fail(cudaErrorGraphExecUpdateFailure);
    for (std::size_t i = 0; i < graph->nodes.size(); ++i) executable->works[i] = graph->nodes[i]->work;
    return cudaSuccess;
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* p) {
    const auto found = std::ranges::find(executable->nodes, node);
    std::function<void()> work = blocksOf(p->func, p->gridDim, p->blockDim, p->sharedMemBytes, p->kernelParams);
    if (found == executable->nodes.end() || !work) return fail(cudaErrorInvalidValue);
    executable->works[static_cast<std::size_t>(found - executable->nodes.begin())] = std::move(work);
    shardlab::emulation::count("kernel of a graph set");
    return cudaSuccess;
}
/// What is set later is for later launches.
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    if (stream->device != device) return fail(cudaErrorInvalidResourceHandle);
    shardlab::emulation::count("graph launched");
    shardlab::emulation::enqueue(stream, [works = executable->works] {
        for (const auto& work : works) work();
    });
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    delete executable;
    return cudaSuccess;
}
