// SPDX-License-Identifier: Apache-2.0
// NCCL's functions among threads of one process, each with an emulated GPU of its own. What NCCL promises and no more:
// calls of a group start together in their stream, messages wait for their receiver, the first message of two members
// holds up both callers until the other calls too, who leaves waits for the others to leave, numbers of 16 bits are
// rounded after each addition, and two members on one GPU are refused. A member that gives up its end ends the waits of
// the others too. SHARDLAB_EMULATED_NCCL says what more goes wrong:
//   silent  nobody hears of a member that gives up, as where a process is killed: what waits for it does so until its
//           own end is given up
//   hang    no exchange begins while this is said, or until the member gives up its end
//   late    each exchange begins some time later, so that groups that share a GPU overtake each other, and messages of
//           one call come in any order that NCCL allows
#include "tests/gpu/emulated_cuda.h"

#include "kernels/cuda/types.cuh"

#include <nccl.h>

#include <algorithm>
#include <atomic>
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
#include <string_view>
#include <thread>
#include <vector>

namespace {

/// Where NCCL would wait for ever, the emulation ends after so long: far more than the slowest machine needs.
constexpr std::chrono::seconds patience(60);

enum class Call { Send, Receive, AllReduce, Reduce, ReduceScatter, AllGather, Broadcast };

struct Operation {
    Call call{};
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    std::size_t count = 0;
    ncclDataType_t type = ncclInt8;
    ncclRedOp_t reduction = ncclSum;
    int peer = 0;  ///< or root
};

bool goesWrong(std::string_view how) {
    const char* const said = std::getenv("SHARDLAB_EMULATED_NCCL");
    return said && said == how;
}

std::size_t sizeOf(ncclDataType_t type) {
    switch (type) {
    case ncclInt8: return 1;
    case ncclFloat16:
    case ncclBfloat16: return 2;
    default: return 4;
    }
}

template <class T>
void reduceAs(const std::vector<const std::byte*>& sources, std::size_t count, ncclRedOp_t reduction, std::byte* to) {
    using namespace shardlab::kernels::cuda;
    std::vector<T> result(count);
    for (std::size_t i = 0; i < count; ++i) {
        T value = reinterpret_cast<const T*>(sources[0])[i];
        for (std::size_t k = 1; k < sources.size(); ++k) {
            const float a = toFloat(value), b = toFloat(reinterpret_cast<const T*>(sources[k])[i]);
            value = fromFloat<T>(reduction == ncclMax ? std::max(a, b) : a + b);
        }
        result[i] = value;
    }
    if (count > 0) std::memcpy(to, result.data(), count * sizeof(T));
}

void reduce(const std::vector<const std::byte*>& sources, std::size_t count, ncclDataType_t type, ncclRedOp_t reduction,
            std::byte* to) {
    switch (type) {
    case ncclFloat16: return reduceAs<__half>(sources, count, reduction, to);
    case ncclBfloat16: return reduceAs<__nv_bfloat16>(sources, count, reduction, to);
    default: return reduceAs<float>(sources, count, reduction, to);
    }
}

/// Where the members of a group meet.
class Hub {
public:
    explicit Hub(int size)
        : size_(static_cast<std::size_t>(size)), operations_(size_), devices_(size_, -1), gone_(size_, false) {}

    /// False: another member uses the GPU. Returns when all have come.
    bool join(int rank, int device) {
        std::unique_lock held(mutex_);
        twice_ = twice_ || std::ranges::find(devices_, device) != devices_.end();
        devices_[static_cast<std::size_t>(rank)] = device;
        ++joined_;
        changed_.notify_all();
        changed_.wait(held, [&] { return joined_ == size_ || ends(rank); });
        return !twice_;
    }

    /// False: others stay.
    bool leave(int rank) {
        std::unique_lock held(mutex_);
        ++left_;
        changed_.notify_all();
        return changed_.wait_for(held, patience, [&] { return left_ == size_ || ends(rank); });
    }

    void abort(int rank) {
        const std::lock_guard held(mutex_);
        gone_[static_cast<std::size_t>(rank)] = true;
        changed_.notify_all();
    }
    bool aborted(int rank) {
        const std::lock_guard held(mutex_);
        return ends(rank);
    }

    /// Connects the member to those that its messages go to or come from, which must ask for the same. False: one of
    /// them does not.
    bool shakeHands(int rank, const std::vector<Operation>& operations) {
        std::set<std::pair<int, int>> ways;  // from one to the other
        for (const Operation& operation : operations) {
            if (operation.call == Call::Send) ways.insert({rank, operation.peer});
            if (operation.call == Call::Receive) ways.insert({operation.peer, rank});
        }
        std::unique_lock held(mutex_);
        for (const auto& way : ways) offered_.insert({way, rank});
        changed_.notify_all();
        return changed_.wait_for(held, patience, [&] {
            return ends(rank) || std::ranges::all_of(ways, [&](const auto& way) {
                       return offered_.contains({way, way.first}) && offered_.contains({way, way.second});
                   });
        });
    }

    /// One member's calls of a group: its messages together, its collectives one after another.
    void run(int rank, std::vector<Operation> operations) {
        delay(rank, operations);
        std::vector<std::shared_ptr<Message>> sent;
        for (const Operation& operation : operations)
            if (operation.call == Call::Send) sent.push_back(post(rank, operation));
        for (const Operation& operation : operations) {
            if (operation.call == Call::Receive) take(rank, operation);
            else if (operation.call != Call::Send) meet(rank, operation);
        }
        std::unique_lock held(mutex_);
        for (const auto& message : sent) changed_.wait(held, [&] { return message->taken || ends(rank); });
    }

private:
    struct Message {
        Operation operation;
        bool taken = false;
    };

    /// Whether the member waits in vain, as far as it can know.
    bool ends(int rank) const {
        if (gone_[static_cast<std::size_t>(rank)]) return true;
        return !goesWrong("silent") && std::ranges::find(gone_, true) != gone_.end();
    }

    void delay(int rank, std::vector<Operation>& operations) {
        using std::chrono::microseconds;
        if (goesWrong("hang")) shardlab::emulation::count("exchange that hangs");
        while (goesWrong("hang") && !aborted(rank)) std::this_thread::sleep_for(microseconds(200));
        if (!goesWrong("late")) return;
        thread_local std::minstd_rand random(std::random_device{}());
        std::this_thread::sleep_for(microseconds(random() % 2000));
        const auto collective = [](const Operation& each) {
            return each.call != Call::Send && each.call != Call::Receive;
        };
        if (std::ranges::any_of(operations, collective)) return;
        // Messages of two members keep their order.
        const unsigned key = random();
        std::ranges::stable_sort(operations, {},
                                 [key](const Operation& each) { return static_cast<unsigned>(each.peer) ^ key; });
    }

    std::shared_ptr<Message> post(int rank, const Operation& operation) {
        auto message = std::make_shared<Message>(Message{operation, false});
        const std::lock_guard held(mutex_);
        messages_[{rank, operation.peer}].push_back(message);
        changed_.notify_all();
        return message;
    }

    void take(int rank, const Operation& operation) {
        std::unique_lock held(mutex_);
        auto& queue = messages_[{operation.peer, rank}];
        changed_.wait(held, [&] { return !queue.empty() || ends(rank); });
        if (ends(rank)) return;
        Message& message = *queue.front();
        if (message.operation.count != operation.count) std::abort();  // NCCL would hang, or write where it must not
        std::memcpy(operation.to, message.operation.from, operation.count);
        message.taken = true;
        queue.pop_front();
        changed_.notify_all();
    }

    /// The last that comes does it for all.
    void meet(int rank, const Operation& operation) {
        std::unique_lock held(mutex_);
        if (ends(rank)) return;
        operations_[static_cast<std::size_t>(rank)] = operation;
        const std::size_t meeting = meetings_;
        if (++arrived_ < size_) {
            changed_.wait(held, [&] { return meetings_ != meeting || ends(rank); });
            return;
        }
        carryOut();
        arrived_ = 0;
        ++meetings_;
        changed_.notify_all();
    }

    void carryOut() {
        const Operation& first = operations_[0];
        const std::size_t bytes = first.count * sizeOf(first.type);
        for (const Operation& each : operations_)
            if (each.call != first.call || each.count != first.count || each.type != first.type) std::abort();
        const auto sources = [&](std::size_t offset) {
            std::vector<const std::byte*> from;
            for (const Operation& each : operations_) from.push_back(each.from + offset);
            return from;
        };
        std::vector<std::byte> result(bytes * size_);
        switch (first.call) {
        case Call::AllReduce:
            reduce(sources(0), first.count, first.type, first.reduction, result.data());
            for (const Operation& each : operations_) std::copy_n(result.data(), bytes, each.to);
            break;
        case Call::Reduce:
            reduce(sources(0), first.count, first.type, first.reduction,
                   operations_[static_cast<std::size_t>(first.peer)].to);
            break;
        case Call::ReduceScatter:
            for (std::size_t k = 0; k < size_; ++k)
                reduce(sources(k * bytes), first.count, first.type, first.reduction, result.data() + k * bytes);
            for (std::size_t k = 0; k < size_; ++k) std::copy_n(result.data() + k * bytes, bytes, operations_[k].to);
            break;
        case Call::AllGather:
            for (std::size_t k = 0; k < size_; ++k) std::copy_n(operations_[k].from, bytes, result.data() + k * bytes);
            for (const Operation& each : operations_) std::copy_n(result.data(), result.size(), each.to);
            break;
        case Call::Broadcast:
            std::copy_n(operations_[static_cast<std::size_t>(first.peer)].from, bytes, result.data());
            for (const Operation& each : operations_) std::copy_n(result.data(), bytes, each.to);
            break;
        case Call::Send:
        case Call::Receive: break;
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t size_;
    std::vector<Operation> operations_;  ///< of the collective they meet for
    std::vector<int> devices_;
    std::vector<bool> gone_;  ///< who has given up its end
    std::map<std::pair<int, int>, std::deque<std::shared_ptr<Message>>> messages_;
    std::set<std::pair<std::pair<int, int>, int>> offered_;  ///< ways, and the ends that have asked for them
    std::size_t joined_ = 0, left_ = 0, arrived_ = 0, meetings_ = 0;
    bool twice_ = false;
};

std::mutex hubsMutex;
std::map<std::int64_t, std::weak_ptr<Hub>> hubs;
std::atomic<std::int64_t> ids = 0;

}  // namespace

struct ncclComm {
    std::shared_ptr<Hub> hub;
    int rank = 0;
};

namespace {

struct Asked {
    ncclComm_t communicator;
    cudaStream_t stream;
    Operation operation;
};
/// Between start and end of the thread's group.
thread_local std::vector<Asked> asked;
thread_local int depth = 0;

ncclResult_t start() {
    std::vector<std::pair<Asked, std::vector<Operation>>> batches;  // one for each communicator
    for (const Asked& each : std::exchange(asked, {})) {
        const auto same = std::ranges::find_if(
            batches, [&](const auto& batch) { return batch.first.communicator == each.communicator; });
        if (same == batches.end()) batches.push_back({each, {each.operation}});
        else same->second.push_back(each.operation);
    }
    for (auto& [first, operations] : batches) {
        if (!first.communicator->hub->shakeHands(first.communicator->rank, operations)) return ncclInternalError;
        shardlab::emulation::enqueue(first.stream, [hub = first.communicator->hub, rank = first.communicator->rank,
                                                    operations] { hub->run(rank, operations); });
    }
    return ncclSuccess;
}

ncclResult_t ask(ncclComm_t communicator, cudaStream_t stream, const Operation& operation) {
    asked.push_back({communicator, stream, operation});
    return depth > 0 ? ncclSuccess : start();
}

const std::byte* bytes(const void* data) { return static_cast<const std::byte*>(data); }
std::byte* bytes(void* data) { return static_cast<std::byte*>(data); }

}  // namespace

ncclResult_t ncclGetVersion(int* version) {
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}
const char* ncclGetErrorString(ncclResult_t result) {
    switch (result) {
    case ncclSuccess: return "no error";
    case ncclInvalidUsage: return "invalid usage";
    case ncclRemoteError: return "remote process exited or there was a network error";
    case ncclInternalError: return "the emulation waited in vain for the peer's first call";
    default: return "another error";
    }
}
const char* ncclGetLastError(ncclComm_t) { return ""; }
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    *id = {};
    const std::int64_t number = ++ids;
    std::memcpy(id->internal, &number, sizeof number);
    return ncclSuccess;
}
ncclResult_t ncclCommInitRank(ncclComm_t* communicator, int size, ncclUniqueId id, int rank) {
    std::int64_t number = 0;
    std::memcpy(&number, id.internal, sizeof number);
    std::shared_ptr<Hub> hub;
    {
        const std::lock_guard held(hubsMutex);
        hub = hubs[number].lock();
        if (!hub) hubs[number] = hub = std::make_shared<Hub>(size);
    }
    if (!hub->join(rank, shardlab::emulation::currentDevice())) return ncclInvalidUsage;
    *communicator = new ncclComm{hub, rank};
    return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
    if (!communicator->hub->leave(communicator->rank)) std::abort();  // NCCL would hang
    delete communicator;
    return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t communicator) {
    communicator->hub->abort(communicator->rank);
    delete communicator;
    return ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* error) {
    *error = communicator->hub->aborted(communicator->rank) ? ncclRemoteError : ncclSuccess;
    return ncclSuccess;
}
ncclResult_t ncclGroupStart() {
    ++depth;
    return ncclSuccess;
}
ncclResult_t ncclGroupEnd() { return --depth > 0 ? ncclSuccess : start(); }

ncclResult_t ncclSend(const void* data, std::size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      cudaStream_t stream) {
    return ask(communicator, stream, {Call::Send, bytes(data), nullptr, count * sizeOf(type), ncclInt8, ncclSum, peer});
}
ncclResult_t ncclRecv(void* data, std::size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      cudaStream_t stream) {
    return ask(communicator, stream,
               {Call::Receive, nullptr, bytes(data), count * sizeOf(type), ncclInt8, ncclSum, peer});
}
ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t reduction,
                           ncclComm_t communicator, cudaStream_t stream) {
    return ask(communicator, stream, {Call::AllReduce, bytes(from), bytes(to), count, type, reduction, 0});
}
ncclResult_t ncclReduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t reduction,
                        int root, ncclComm_t communicator, cudaStream_t stream) {
    return ask(communicator, stream, {Call::Reduce, bytes(from), bytes(to), count, type, reduction, root});
}
ncclResult_t ncclReduceScatter(const void* from, void* to, std::size_t count, ncclDataType_t type,
                               ncclRedOp_t reduction, ncclComm_t communicator, cudaStream_t stream) {
    return ask(communicator, stream, {Call::ReduceScatter, bytes(from), bytes(to), count, type, reduction, 0});
}
ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclComm_t communicator,
                           cudaStream_t stream) {
    return ask(communicator, stream, {Call::AllGather, bytes(from), bytes(to), count, type, ncclSum, 0});
}
ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                           ncclComm_t communicator, cudaStream_t stream) {
    return ask(communicator, stream, {Call::Broadcast, bytes(from), bytes(to), count, type, ncclSum, root});
}
