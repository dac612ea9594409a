// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/status_page.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace shardlab {
namespace {

constexpr std::uint64_t magic = 0x31656761'50444c53;  // "SLDPage1" in the file; the digit is the version

/// One status, in words of eight bytes. `stamp` is the number of the set() that wrote it, ~stamp its complement.
struct Slot {
    std::uint64_t stamp = 0;
    std::uint64_t pidAndPhase = 0;
    std::uint64_t stepAndPeer = 0;
    std::uint64_t action = 0;
    std::uint64_t heartbeat = 0;
    std::uint64_t complement = 0;
};

/// The n-th set() writes slot n mod 2 and then publishes n. A writer killed half way leaves the other slot whole;
/// a reader overtaken by two further set() calls sees it from `published` and reads again.
struct Page {
    std::uint64_t magic = 0;
    std::uint64_t published = 0;
    std::array<Slot, 2> slots;
};

void put(std::uint64_t& word, std::uint64_t value) {
    std::atomic_ref(word).store(value, std::memory_order_relaxed);
}
std::uint64_t get(std::uint64_t& word) { return std::atomic_ref(word).load(std::memory_order_relaxed); }

std::uint64_t pack(std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32 | low; }
std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

/// A file mapped whole; unmapped by its destructor.
class MappedPage {
public:
    static Result<MappedPage> open(const std::filesystem::path& file, int flags, int protection) {
        const char* what = (flags & O_CREAT) != 0 ? "cannot create the status page" : "cannot read the status page";
        const int descriptor = ::open(file.c_str(), flags | O_CLOEXEC, 0666);
        if (descriptor < 0) return fail({what, file.string(), std::strerror(errno), ""});
        void* at = MAP_FAILED;
        int code = 0;
        if ((flags & O_CREAT) != 0) {
            // Blocks taken now: on a full disk a later store into the mapping would be a SIGBUS.
            code = ::posix_fallocate(descriptor, 0, sizeof(Page));
        } else if (::lseek(descriptor, 0, SEEK_END) < static_cast<off_t>(sizeof(Page))) {
            code = ENODATA;
        }
        if (code == 0) at = ::mmap(nullptr, sizeof(Page), protection, MAP_SHARED, descriptor, 0);
        if (code == 0 && at == MAP_FAILED) code = errno;
        ::close(descriptor);
        if (code != 0) return fail({what, file.string(), code == ENODATA ? "it is too short" : std::strerror(code), ""});
        return MappedPage(static_cast<Page*>(at));
    }
    MappedPage(MappedPage&& other) noexcept : page_(std::exchange(other.page_, nullptr)) {}
    MappedPage& operator=(MappedPage&&) = delete;
    ~MappedPage() {
        if (page_ != nullptr) ::munmap(page_, sizeof(Page));
    }
    Page& page() const { return *page_; }

private:
    explicit MappedPage(Page* page) : page_(page) {}
    Page* page_;
};

}  // namespace

std::string_view name(RankPhase phase) {
    constexpr std::array<std::string_view, 9> names{"starting",       "setting up", "computing",  "waiting", "communicating",
                                                    "between steps", "paused",     "validating", "finished"};
    const auto index = static_cast<std::size_t>(phase);
    return index < names.size() ? names[index] : "unknown phase";
}

struct StatusPage::Mapping {
    explicit Mapping(MappedPage whole) : mapped(std::move(whole)) {}
    MappedPage mapped;
    std::uint64_t count = 0;
};

StatusPage::StatusPage(std::unique_ptr<Mapping> mapping) : mapping_(std::move(mapping)) {}
StatusPage::StatusPage(StatusPage&&) noexcept = default;
StatusPage& StatusPage::operator=(StatusPage&&) noexcept = default;
StatusPage::~StatusPage() = default;

Result<StatusPage> StatusPage::create(const std::filesystem::path& file) {
    auto mapped = MappedPage::open(file, O_RDWR | O_CREAT | O_TRUNC, PROT_READ | PROT_WRITE);
    if (!mapped) return fail(mapped.error());
    StatusPage page(std::make_unique<Mapping>(std::move(*mapped)));
    RankStatus status;
    status.pid = ::getpid();
    page.set(status);
    std::atomic_ref(page.mapping_->mapped.page().magic).store(magic, std::memory_order_release);
    return page;
}

void StatusPage::set(const RankStatus& status) {
    Page& page = mapping_->mapped.page();
    const std::uint64_t number = ++mapping_->count;
    Slot& slot = page.slots[number % 2];
    put(slot.stamp, number);
    std::atomic_thread_fence(std::memory_order_release);
    put(slot.pidAndPhase, pack(static_cast<std::uint32_t>(status.pid), static_cast<std::uint32_t>(status.phase)));
    put(slot.stepAndPeer, pack(static_cast<std::uint32_t>(status.step), static_cast<std::uint32_t>(status.peer)));
    put(slot.action, status.action);
    put(slot.heartbeat, static_cast<std::uint64_t>(status.heartbeat));
    put(slot.complement, ~number);
    std::atomic_ref(page.published).store(number, std::memory_order_release);
}

Result<RankStatus> readStatus(const std::filesystem::path& file) {
    const auto mapped = MappedPage::open(file, O_RDONLY, PROT_READ);
    if (!mapped) return fail(mapped.error());
    Page& page = mapped->page();
    if (std::atomic_ref(page.magic).load(std::memory_order_acquire) != magic)
        return fail({"cannot read the status page", file.string(), "it is no status page, or of another version", ""});
    for (int attempt = 0; attempt < 1000; ++attempt) {
        const std::uint64_t number = std::atomic_ref(page.published).load(std::memory_order_acquire);
        Slot& slot = page.slots[number % 2];
        const std::uint64_t pidAndPhase = get(slot.pidAndPhase);
        const std::uint64_t stepAndPeer = get(slot.stepAndPeer);
        RankStatus status;
        status.pid = static_cast<int>(high(pidAndPhase));
        status.phase = static_cast<RankPhase>(low(pidAndPhase));
        status.step = static_cast<std::int32_t>(high(stepAndPeer));
        status.peer = static_cast<int>(low(stepAndPeer));
        status.action = get(slot.action);
        status.heartbeat = static_cast<std::int64_t>(get(slot.heartbeat));
        const std::uint64_t complement = get(slot.complement);
        std::atomic_thread_fence(std::memory_order_acquire);
        if (get(slot.stamp) == number && complement == ~number && low(pidAndPhase) <= static_cast<std::uint32_t>(RankPhase::Finished))
            return status;
    }
    return fail({"cannot read the status page", file.string(), "it is torn or damaged", ""});
}

}  // namespace shardlab
