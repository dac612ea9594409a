// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/shared/shared_heap.h"

#include "engine/base/clock.h"
#include "engine/base/machine_memory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <iterator>
#include <map>
#include <new>
#include <poll.h>
#include <random>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace shardlab::train {

namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t page = std::size_t{2} << 20;  ///< size of a large page, which the mapping asks for

std::size_t roundedUp(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

std::string systemError() { return std::strerror(errno); }

/// Maps the file; null where that fails, and errno tells why.
std::byte* map(int file, std::size_t bytes) {
    void* const base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (base == MAP_FAILED) return nullptr;
    madvise(base, bytes, MADV_HUGEPAGE);  // where the kernel has no large pages for shared memory, it uses small ones
    return static_cast<std::byte*>(base);
}

std::uint64_t randomToken() {
    std::random_device device;
    return (std::uint64_t{device()} << 32 | device()) | 1;
}

}  // namespace

std::uint64_t hostIdentity() {
    std::string name(256, '\0');
    gethostname(name.data(), name.size() - 1);
    return std::hash<std::string>{}(bootId() + name.c_str());
}

Result<std::shared_ptr<RemoteHeap>> RemoteHeap::open(const HeapAddress& address) {
    const std::string path = "/proc/" + std::to_string(address.process) + "/fd/" + std::to_string(address.file);
    const auto refuse = [&](const std::string& why) {
        return fail({"cannot reach the memory of another rank", path, why, ""});
    };
    const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return refuse(systemError());
    // In a container the same number may belong to another process.
    std::uint64_t token = 0;
    const bool same = pread(file, &token, sizeof token, 0) == sizeof token && token == address.token;
    std::byte* const base = same ? map(file, address.bytes) : nullptr;
    const std::string why = same ? systemError() : "this is another process";
    close(file);
    if (!base) return refuse(why);
    const auto process = static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(address.process), 0));
    return std::shared_ptr<RemoteHeap>(new RemoteHeap(base, address.bytes, process));
}

RemoteHeap::~RemoteHeap() {
    munmap(base_, bytes_);
    if (process_ >= 0) close(process_);
}

bool RemoteHeap::orphaned() const {
    pollfd ended{process_, POLLIN, 0};
    return process_ >= 0 && poll(&ended, 1, 0) > 0;
}

struct SharedHeap::Blocks {
    std::map<std::size_t, std::size_t> free;                     ///< bytes by offset; no two blocks are neighbours
    std::map<std::size_t, std::size_t> taken;                    ///< bytes by offset
    std::map<std::uint64_t, std::weak_ptr<RemoteHeap>> reached;  ///< heaps of other processes by token
};

Result<std::unique_ptr<SharedHeap>> SharedHeap::create(std::size_t bytes) {
    const auto refuse = [](const char* what) { return fail({"no memory to share", what, systemError(), ""}); };
    const std::size_t size = roundedUp(bytes > 0 ? bytes : static_cast<std::size_t>(machineMemory()), page);
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size) {  // growing the file would end the process
        errno = EFBIG;
        return refuse("the limit of file sizes");
    }
    const int file = memfd_create("shardlab", MFD_CLOEXEC);
    if (file < 0) return refuse("memfd_create");
    std::byte* const base = ftruncate(file, static_cast<off_t>(size)) == 0 ? map(file, size) : nullptr;
    if (!base) {
        const auto refused = refuse("mapping an anonymous file");
        close(file);
        return refused;
    }
    const HeapAddress address{hostIdentity(), static_cast<std::uint64_t>(getpid()), static_cast<std::uint64_t>(file),
                              randomToken(), size};
    return std::unique_ptr<SharedHeap>(new SharedHeap(file, base, address));
}

SharedHeap::SharedHeap(int file, std::byte* base, const HeapAddress& address)
    : file_(file), base_(base), address_(address), blocks_(std::make_unique<Blocks>()) {
    std::memcpy(base_, &address_.token, sizeof address_.token);
    blocks_->free[alignment] = address_.bytes - alignment;
}

SharedHeap::~SharedHeap() {
    munmap(base_, address_.bytes);
    close(file_);
}

void* SharedHeap::allocate(std::size_t bytes) {
    const std::size_t size = roundedUp(std::max<std::size_t>(bytes, 1), alignment);
    const std::lock_guard held(mutex_);
    const auto found = std::ranges::find_if(blocks_->free, [&](const auto& block) { return block.second >= size; });
    if (found == blocks_->free.end()) throw std::bad_alloc();
    const auto [offset, room] = *found;
    blocks_->free.erase(found);
    if (room > size) blocks_->free[offset + size] = room - size;
    blocks_->taken[offset] = size;
    return base_ + offset;
}

void SharedHeap::release(void* data) {
    if (!data) return;
    const std::lock_guard held(mutex_);
    const auto block = blocks_->taken.find(static_cast<std::size_t>(static_cast<std::byte*>(data) - base_));
    auto [offset, size] = *block;
    blocks_->taken.erase(block);
    auto next = blocks_->free.lower_bound(offset);
    if (next != blocks_->free.end() && next->first == offset + size) {
        size += next->second;
        next = blocks_->free.erase(next);
    }
    if (next != blocks_->free.begin() && std::prev(next)->first + std::prev(next)->second == offset)
        std::prev(next)->second += size;
    else blocks_->free[offset] = size;
}

std::optional<std::uint64_t> SharedHeap::offsetOf(std::span<const std::byte> bytes) const {
    const std::less_equal<const std::byte*> notAfter;
    if (bytes.empty()) return 0;
    if (!notAfter(base_, bytes.data()) || !notAfter(bytes.data() + bytes.size(), base_ + address_.bytes)) return {};
    return static_cast<std::uint64_t>(bytes.data() - base_);
}

Result<std::shared_ptr<RemoteHeap>> SharedHeap::reach(const HeapAddress& other) {
    const std::lock_guard held(mutex_);
    std::weak_ptr<RemoteHeap>& known = blocks_->reached[other.token];
    if (auto mapped = known.lock()) return mapped;
    auto mapped = RemoteHeap::open(other);
    if (mapped) known = *mapped;
    return mapped;
}

}  // namespace shardlab::train
