// SPDX-License-Identifier: Apache-2.0
// CUDA's functions of the host on ordinary memory. A stream is a thread that does what it was asked for, some time later;
// so is everything that nobody has waited for.
#include "tests/gpu/emulated_cuda.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

thread_local int device = 0;
thread_local cudaError_t lastError = cudaSuccess;

cudaError_t fail(cudaError_t error) { return lastError = error; }

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

struct CUstream_st {
    const int device = ::device;

    ~CUstream_st() {
        const std::lock_guard held(mutex_);
        ended_ = true;
        asked_.notify_one();
    }
    void add(std::function<void()> work) {
        const std::lock_guard held(mutex_);
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
    std::jthread thread_{[this] { run(); }};
};

namespace {

std::mutex streamsMutex;
std::vector<CUstream_st*> streams;

std::shared_ptr<Point> pointOf(cudaEvent_t event) { return event->point; }

}  // namespace

namespace shardlab::emulation {

void enqueue(cudaStream_t stream, std::function<void()> work) { stream->add(std::move(work)); }

int currentDevice() { return device; }

void run(cudaStream_t stream, dim3 blocks, dim3 threads, std::size_t sharedBytes, std::function<void()> kernel) {
    if (stream->device != device) {
        fail(cudaErrorInvalidResourceHandle);
        return;
    }
    stream->add([=, kernel = std::move(kernel)] { runNow(blocks, threads, sharedBytes, kernel); });
}

}  // namespace shardlab::emulation

cudaError_t cudaSetDevice(int index) {
    device = index;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
    *count = deviceCount();
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int index) {
    *properties = {};
    std::strcpy(properties->name, "emulated GPU");
    properties->uuid.bytes[15] = static_cast<char>(index + 1);
    properties->multiProcessorCount = 4;
    properties->sharedMemPerBlockOptin = 8192;  // so that tests go both ways
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
        case cudaErrorInvalidResourceHandle: return "cudaErrorInvalidResourceHandle";
        default: return "another error";
    }
}

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
    *data = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
    std::memset(*data, 0xFF, bytes);  // not a number, of any type
    return cudaSuccess;
}
/// Waits for everything that is under way on the GPU, as CUDA does.
cudaError_t cudaFree(void* data) {
    {
        const std::lock_guard held(streamsMutex);
        for (CUstream_st* stream : streams)
            if (stream->device == device) stream->wait();
    }
    std::free(data);
    return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned) { return cudaMalloc(data, bytes); }
cudaError_t cudaFreeHost(void* data) { return cudaFree(data); }
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
    stream->add([=] { std::memmove(to, from, bytes); });
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream) {
    stream->add([=] { std::memset(data, value, bytes); });
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
    return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return stream->idle() ? cudaSuccess : fail(cudaErrorNotReady); }
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
