// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/nccl_groups.cuh"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/event_clock.cuh"

#if __has_include(<nccl.h>)
#include <nccl.h>

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <thread>
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

class NcclGroup final : public DeviceGroup {
public:
    NcclGroup(const Nccl& nccl, CudaDevice& device, const DeviceGroupId& id, int rank, int size)
        : nccl_(nccl), device_(device) {
        device.enter();
        ncclUniqueId name;
        static_assert(sizeof name == sizeof id.bytes);
        std::memcpy(&name, id.bytes.data(), sizeof name);
        nccl_.require(nccl_.commInitRank(&communicator_, size, name, rank), "ncclCommInitRank");
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
        check(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming), "cudaEventCreate");
    }

    ~NcclGroup() override {
        if (finished()) nccl_.commDestroy(communicator_);
        else nccl_.commAbort(communicator_);
        cudaEventDestroy(ready_);
        cudaStreamDestroy(stream_);
    }
    NcclGroup(const NcclGroup&) = delete;
    NcclGroup& operator=(const NcclGroup&) = delete;

    void begin() override {
        device_.enter();
        check(cudaEventRecord(ready_, device_.stream()), "cudaEventRecord");
        check(cudaStreamWaitEvent(stream_, ready_, 0), "cudaStreamWaitEvent");
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
        require(nccl_.groupEnd(), "ncclGroupEnd");
        return std::make_unique<Exchange>(*this, std::move(begun_), device_.clock().mark(stream_));
    }

private:
    class Exchange final : public DeviceExchange {
    public:
        Exchange(NcclGroup& group, std::shared_ptr<DeviceMoment> begin, std::shared_ptr<DeviceMoment> end)
            : group_(group), begin_(std::move(begin)), end_(std::move(end)) {}
        bool done() override {
            const bool over = end_->reached().has_value();
            group_.requireMembers();  // an exchange that was cut off counts as over, too
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
    bool finished() const {
        while (std::uncaught_exceptions() == 0) {
            const cudaError_t status = cudaStreamQuery(stream_);
            if (status == cudaSuccess) return true;
            cudaGetLastError();  // clears the error, which is handled here
            ncclResult_t error = ncclSuccess;
            if (status != cudaErrorNotReady || nccl_.commGetAsyncError(communicator_, &error) != ncclSuccess ||
                error != ncclSuccess)
                return false;
            std::this_thread::yield();
        }
        return false;
    }

    void require(ncclResult_t result, const char* call) const { nccl_.require(result, call, communicator_); }
    void requireMembers() const {
        ncclResult_t status = ncclSuccess;
        require(nccl_.commGetAsyncError(communicator_, &status), "ncclCommGetAsyncError");
        require(status, "an exchange under way");
    }

    const Nccl& nccl_;
    CudaDevice& device_;
    ncclComm_t communicator_ = nullptr;
    cudaStream_t stream_ = nullptr;
    cudaEvent_t ready_ = nullptr;
    std::shared_ptr<DeviceMoment> begun_;
};

class NcclGroups final : public DeviceGroups {
public:
    NcclGroups(const Nccl& nccl, CudaDevice& device) : nccl_(nccl), device_(device) {}

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
        return std::make_unique<NcclGroup>(nccl_, device_, id, rank, size);
    }

private:
    Nccl nccl_;
    CudaDevice& device_;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

}  // namespace

std::unique_ptr<DeviceGroups> loadNccl(CudaDevice& device, std::string& reason) {
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

std::unique_ptr<DeviceGroups> loadNccl(CudaDevice&, std::string& reason) {
    reason = "this build was made without NCCL's header (nccl.h)";
    return nullptr;
}

#endif

}  // namespace shardlab::kernels::cuda
