// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/nccl_groups.cuh"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/event_clock.cuh"
#include "kernels/cuda/waiting.cuh"

#if __has_include(<nccl.h>)
#include <nccl.h>

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>
#endif

namespace shardlab::kernels::cuda {

#ifdef NCCL_VERSION_CODE

namespace {

/// The functions of NCCL, as they were found in the library.
struct Nccl {
    decltype(&ncclGetVersion) getVersion = nullptr;
    decltype(&ncclGetUniqueId) getUniqueId = nullptr;
    decltype(&ncclCommInitRank) commInitRank = nullptr;
    decltype(&ncclCommDestroy) commDestroy = nullptr;
    decltype(&ncclCommAbort) commAbort = nullptr;
    decltype(&ncclCommGetAsyncError) commGetAsyncError = nullptr;
    decltype(&ncclGetErrorString) getErrorString = nullptr;
    decltype(&ncclGetLastError) getLastError = nullptr;
    decltype(&ncclGroupStart) groupStart = nullptr;
    decltype(&ncclGroupEnd) groupEnd = nullptr;
    decltype(&ncclSend) send = nullptr;
    decltype(&ncclRecv) recv = nullptr;
    decltype(&ncclAllReduce) allReduce = nullptr;
    decltype(&ncclReduce) reduce = nullptr;
    decltype(&ncclReduceScatter) reduceScatter = nullptr;
    decltype(&ncclAllGather) allGather = nullptr;
    decltype(&ncclBroadcast) broadcast = nullptr;

    /// Throws NCCL's message about `call`.
    void require(ncclResult_t result, const char* call, ncclComm_t communicator = nullptr) const {
        if (result == ncclSuccess) return;
        std::string text = std::string("NCCL: ") + call + ": " + getErrorString(result);
        if (const char* more = getLastError(communicator); more && *more) text += std::string(" (") + more + ")";
        throw std::runtime_error(text);
    }
};

ncclDataType_t typeOf(DType type) {
    switch (type) {
    case DType::F32: return ncclFloat32;
    case DType::BF16: return ncclBfloat16;
    case DType::F16: return ncclFloat16;
    case DType::I32: return ncclInt32;
    case DType::U8: return ncclUint8;
    }
    return ncclFloat32;
}

ncclRedOp_t operationOf(DeviceReduction reduction) { return reduction == DeviceReduction::Max ? ncclMax : ncclSum; }

class NcclGroup;

/// What the groups of one GPU have in common.
class NcclWatch {
public:
    explicit NcclWatch(CudaDevice& device) : device_(device) {}
    void add(NcclGroup& group);
    /// Returns when no thread gives groups up.
    void remove(NcclGroup& group);
    void follow(std::weak_ptr<const std::function<void()>> look) {
        const std::lock_guard held(mutex_);
        look_ = std::move(look);
    }
    /// WatchedGroups::requireMembers.
    void requireMembers();
    /// Throws where the groups have been given up.
    void requireHope() const {
        if (lost_) throw std::runtime_error(reason_);
    }
    /// Gives up all groups and throws `reason`.
    [[noreturn]] void giveUp(const std::string& reason);

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds looksApart{100};
    static constexpr std::chrono::milliseconds questionsApart{1};

    CudaDevice& device_;
    std::recursive_mutex mutex_;  ///< a look may wait for the GPU itself
    std::vector<NcclGroup*> groups_;
    std::weak_ptr<const std::function<void()>> look_;
    Clock::time_point looked_, asked_;
    std::atomic<bool> lost_ = false;
    std::string reason_;  ///< written before lost_
};

class NcclGroup final : public DeviceGroup {
public:
    NcclGroup(const Nccl& nccl, CudaDevice& device, NcclWatch& watch, const DeviceGroupId& id, int rank, int size)
        : nccl_(nccl), device_(device), watch_(watch) {
        device.enter();
        ncclUniqueId name;
        static_assert(sizeof name == sizeof id.bytes);
        std::memcpy(&name, id.bytes.data(), sizeof name);
        nccl_.require(nccl_.commInitRank(&communicator_, size, name, rank), "ncclCommInitRank");
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
        check(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming), "cudaEventCreate");
        watch_.add(*this);
    }

    ~NcclGroup() override {
        if (inUse_.owns_lock()) inUse_.unlock();  // an exchange that was begun and not ended
        const bool well = finished();
        watch_.remove(*this);
        if (well && communicator_) nccl_.commDestroy(communicator_);
        else abort();
        cudaEventDestroy(ready_);
        cudaStreamDestroy(stream_);
    }
    NcclGroup(const NcclGroup&) = delete;
    NcclGroup& operator=(const NcclGroup&) = delete;

    void begin(const DeviceMoment* after) override {
        device_.enter();
        cudaStream_t queue = after ? nullptr : device_.stream();
        inUse_.lock();
        watch_.requireHope();
        if (!after) check(cudaEventRecord(ready_, queue), "cudaEventRecord");
        check(cudaStreamWaitEvent(stream_, after ? EventClock::event(*after) : ready_, 0), "cudaStreamWaitEvent");
        begun_ = device_.clock().mark(stream_);
        require(nccl_.groupStart(), "ncclGroupStart");
    }

    void send(const void* data, std::size_t bytes, int peer) override {
        require(nccl_.send(data, bytes, ncclInt8, peer, communicator_, stream_), "ncclSend");
    }
    void receive(void* data, std::size_t bytes, int peer) override {
        require(nccl_.recv(data, bytes, ncclInt8, peer, communicator_, stream_), "ncclRecv");
    }
    void allReduce(ConstArray from, Array to, std::size_t count, DeviceReduction reduction) override {
        require(nccl_.allReduce(from.data, to.data, count, typeOf(from.type), operationOf(reduction), communicator_,
                                stream_),
                "ncclAllReduce");
    }
    void reduce(ConstArray from, Array to, std::size_t count, DeviceReduction reduction, int root) override {
        require(nccl_.reduce(from.data, to.data, count, typeOf(from.type), operationOf(reduction), root, communicator_,
                             stream_),
                "ncclReduce");
    }
    void reduceScatter(ConstArray from, Array to, std::size_t count, DeviceReduction reduction) override {
        require(nccl_.reduceScatter(from.data, to.data, count, typeOf(from.type), operationOf(reduction), communicator_,
                                    stream_),
                "ncclReduceScatter");
    }
    void allGather(ConstArray from, Array to, std::size_t count) override {
        require(nccl_.allGather(from.data, to.data, count, typeOf(from.type), communicator_, stream_), "ncclAllGather");
    }
    void broadcast(void* data, std::size_t bytes, int root) override {
        require(nccl_.broadcast(data, data, bytes, ncclInt8, root, communicator_, stream_), "ncclBroadcast");
    }

    std::unique_ptr<DeviceExchange> end() override {
        const ncclResult_t result = nccl_.groupEnd();
        inUse_.unlock();
        watch_.requireHope();  // it may have waited for a member that is lost
        require(result, "ncclGroupEnd");
        return std::make_unique<Exchange>(*this, std::move(begun_), device_.clock().mark(stream_));
    }

    /// Ends what is under way; a member that waits goes on, with any numbers. Another thread's call of NCCL is waited
    /// for, unless it hangs itself.
    void abort() {
        const std::unique_lock idle(calls_, std::chrono::milliseconds(100));
        if (communicator_) nccl_.commAbort(std::exchange(communicator_, nullptr));
    }
    /// Why an exchange has failed; empty: none has.
    std::string failure() const {
        ncclResult_t status = ncclSuccess;
        if (!communicator_) return {};
        try {
            require(nccl_.commGetAsyncError(communicator_, &status), "ncclCommGetAsyncError");
            require(status, "an exchange under way");
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return {};
    }

private:
    class Exchange final : public DeviceExchange {
    public:
        Exchange(NcclGroup& group, std::shared_ptr<DeviceMoment> begin, std::shared_ptr<DeviceMoment> end)
            : group_(group), begin_(std::move(begin)), end_(std::move(end)) {}
        bool done() override {
            const bool over = end_->reached().has_value();
            group_.watch_.requireHope();  // an exchange that was cut off counts as over, too
            if (!over) group_.watch_.requireMembers();
            else if (const std::string failure = group_.failure(); !failure.empty()) group_.watch_.giveUp(failure);
            return over;
        }
        void precede() override {
            check(cudaStreamWaitEvent(group_.device_.stream(), EventClock::event(*end_), 0), "cudaStreamWaitEvent");
        }
        std::shared_ptr<DeviceMoment> begin() const override { return begin_; }
        std::shared_ptr<DeviceMoment> end() const override { return end_; }

    private:
        NcclGroup& group_;
        std::shared_ptr<DeviceMoment> begin_, end_;
    };

    /// Waits for exchanges that others still take part in. False where they will not end, because this rank or one of
    /// them has failed.
    bool finished() {
        if (std::uncaught_exceptions() > 0) return false;
        try {
            waitLooking([this] { return cudaStreamQuery(stream_); }, "cudaStreamQuery",
                        [this] { watch_.requireMembers(); });
            return true;
        } catch (const std::exception&) {
            return false;
        }
    }

    void require(ncclResult_t result, const char* call) const { nccl_.require(result, call, communicator_); }

    const Nccl& nccl_;
    CudaDevice& device_;
    NcclWatch& watch_;
    std::timed_mutex calls_;
    std::unique_lock<std::timed_mutex> inUse_{calls_, std::defer_lock};  ///< from begin() to end()
    ncclComm_t communicator_ = nullptr;
    cudaStream_t stream_ = nullptr;
    cudaEvent_t ready_ = nullptr;
    std::shared_ptr<DeviceMoment> begun_;
};

void NcclWatch::add(NcclGroup& group) {
    const std::lock_guard held(mutex_);
    groups_.push_back(&group);
}

void NcclWatch::remove(NcclGroup& group) {
    const std::lock_guard held(mutex_);
    std::erase(groups_, &group);
}

void NcclWatch::requireMembers() {
    requireHope();
    const std::unique_lock held(mutex_, std::try_to_lock);
    if (!held) return;  // another thread looks
    const Clock::time_point now = Clock::now();
    if (now - asked_ >= questionsApart) {
        asked_ = now;
        for (const NcclGroup* group : groups_)
            if (const std::string failure = group->failure(); !failure.empty()) giveUp(failure);
    }
    const auto look = look_.lock();
    if (!look || !*look || now - looked_ < looksApart) return;
    looked_ = now;
    std::string reason;
    try {
        (*look)();
    } catch (const std::exception& error) {
        reason = error.what();
    }
    if (!reason.empty()) giveUp(reason);
}

void NcclWatch::giveUp(const std::string& reason) {
    const std::lock_guard held(mutex_);
    if (!lost_) {
        reason_ = reason + device_.underWay();
        lost_ = true;
        for (NcclGroup* group : groups_) group->abort();
    }
    throw std::runtime_error(reason_);
}

class NcclGroups final : public WatchedGroups {
public:
    NcclGroups(const Nccl& nccl, CudaDevice& device) : nccl_(nccl), device_(device), watch_(device) {}

    std::string name() const override {
        int code = 0;
        nccl_.require(nccl_.getVersion(&code), "ncclGetVersion");
        return "NCCL " + std::to_string(code / 10000) + "." + std::to_string(code / 100 % 100) + "." +
               std::to_string(code % 100);
    }
    DeviceGroupId newId() override {
        ncclUniqueId name;
        nccl_.require(nccl_.getUniqueId(&name), "ncclGetUniqueId");
        DeviceGroupId id;
        std::memcpy(id.bytes.data(), &name, sizeof name);
        return id;
    }
    std::unique_ptr<DeviceGroup> join(const DeviceGroupId& id, int rank, int size) override {
        watch_.requireHope();
        return std::make_unique<NcclGroup>(nccl_, device_, watch_, id, rank, size);
    }
    void watch(std::weak_ptr<const std::function<void()>> look) override { watch_.follow(std::move(look)); }
    void requireMembers() override { watch_.requireMembers(); }

private:
    Nccl nccl_;
    CudaDevice& device_;
    NcclWatch watch_;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

}  // namespace

std::unique_ptr<WatchedGroups> loadNccl(CudaDevice& device, std::string& reason) {
    const char* named = std::getenv("SHARDLAB_NCCL_LIBRARY");
    // Members connect when they join, not in their first collective, which would then wait for all members.
    setenv("NCCL_RUNTIME_CONNECT", "0", 0);
    // The library is never closed, because NCCL's own threads live in it.
    void* library = dlopen(named ? named : "libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        reason = std::string("NCCL does not load: ") + dlerror();
        return nullptr;
    }
    Nccl nccl;
    const bool whole =
        find(library, "ncclGetVersion", nccl.getVersion) && find(library, "ncclGetUniqueId", nccl.getUniqueId) &&
        find(library, "ncclCommInitRank", nccl.commInitRank) && find(library, "ncclCommDestroy", nccl.commDestroy) &&
        find(library, "ncclCommAbort", nccl.commAbort) &&
        find(library, "ncclCommGetAsyncError", nccl.commGetAsyncError) &&
        find(library, "ncclGetErrorString", nccl.getErrorString) &&
        find(library, "ncclGetLastError", nccl.getLastError) && find(library, "ncclGroupStart", nccl.groupStart) &&
        find(library, "ncclGroupEnd", nccl.groupEnd) && find(library, "ncclSend", nccl.send) &&
        find(library, "ncclRecv", nccl.recv) && find(library, "ncclAllReduce", nccl.allReduce) &&
        find(library, "ncclReduce", nccl.reduce) && find(library, "ncclReduceScatter", nccl.reduceScatter) &&
        find(library, "ncclAllGather", nccl.allGather) && find(library, "ncclBroadcast", nccl.broadcast);
    if (!whole) {
        reason = std::string("NCCL is too old: ") + dlerror();
        return nullptr;
    }
    return std::make_unique<NcclGroups>(nccl, device);
}

#else

std::unique_ptr<WatchedGroups> loadNccl(CudaDevice&, std::string& reason) {
    reason = "this build was made without NCCL's header (nccl.h)";
    return nullptr;
}

#endif

}  // namespace shardlab::kernels::cuda
