// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/record/status_page.h"

#include "engine/base/mapped_file.h"

#include <array>
#include <unistd.h>

namespace shardlab::trace {
namespace {

constexpr std::uint64_t statusMagic = 0x32656761'50444c53;  // "SLDPage2" in the file; the digit is the version

/// One status, in words of eight bytes. `stamp` is the number of the set() that wrote it, ~stamp its complement.
struct StatusSlot {
    std::uint64_t stamp = 0;
    std::uint64_t pidAndPhase = 0;
    std::uint64_t stepAndPeer = 0;
    std::uint64_t action = 0;
    std::uint64_t heartbeat = 0;
    std::uint64_t complement = 0;
};

/// The n-th set() writes slot n mod 2 and then publishes n. A writer killed half way leaves the other slot whole;
/// a reader overtaken by two further set() calls sees it from `published` and reads again.
struct MappedPage {
    std::uint64_t magic = 0;
    std::uint64_t published = 0;
    std::uint64_t pulse = 0;
    std::array<StatusSlot, 2> slots;
};
constexpr std::size_t statusPageWords = sizeof(MappedPage) / sizeof(std::uint64_t);
constexpr const char* statusPage = "the status page";

MappedPage& statusPageOf(const MappedFile& file) { return *reinterpret_cast<MappedPage*>(file.words().data()); }

std::uint64_t pack(std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32 | low; }
std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

}  // namespace

std::string_view name(RankPhase phase) {
    constexpr std::array<std::string_view, 10> names{"starting",      "setting up",         "computing", "waiting",
                                                     "communicating", "between steps",      "paused",    "validating",
                                                     "finished",      "taking a checkpoint"};
    const auto index = static_cast<std::size_t>(phase);
    return index < names.size() ? names[index] : "unknown phase";
}

struct StatusPage::Mapping {
    explicit Mapping(MappedFile whole) : mapped(std::move(whole)) {}
    MappedFile mapped;
    std::uint64_t count = 0;
};

StatusPage::StatusPage(std::unique_ptr<Mapping> mapping) : mapping_(std::move(mapping)) {}
StatusPage::StatusPage(StatusPage&&) noexcept = default;
StatusPage& StatusPage::operator=(StatusPage&&) noexcept = default;
StatusPage::~StatusPage() = default;

Result<StatusPage> StatusPage::create(const std::filesystem::path& file) {
    auto mapped = MappedFile::create(file, statusPageWords, statusPage);
    if (!mapped) return fail(mapped.error());
    StatusPage page(std::make_unique<Mapping>(std::move(*mapped)));
    RankStatus status;
    status.pid = ::getpid();
    page.set(status);
    std::atomic_ref(statusPageOf(page.mapping_->mapped).magic).store(statusMagic, std::memory_order_release);
    return page;
}

void StatusPage::set(const RankStatus& status) {
    MappedPage& page = statusPageOf(mapping_->mapped);
    const std::uint64_t number = ++mapping_->count;
    StatusSlot& slot = page.slots[number % 2];
    put(slot.stamp, number);
    std::atomic_thread_fence(std::memory_order_release);
    put(slot.pidAndPhase, pack(static_cast<std::uint32_t>(status.pid), static_cast<std::uint32_t>(status.phase)));
    put(slot.stepAndPeer, pack(static_cast<std::uint32_t>(status.step), static_cast<std::uint32_t>(status.peer)));
    put(slot.action, status.action);
    put(slot.heartbeat, static_cast<std::uint64_t>(status.heartbeat));
    put(slot.complement, ~number);
    std::atomic_ref(page.published).store(number, std::memory_order_release);
}

void StatusPage::beat() {
    std::atomic_ref(statusPageOf(mapping_->mapped).pulse).fetch_add(1, std::memory_order_relaxed);
}

Result<RankStatus> readStatus(const std::filesystem::path& file) {
    const auto mapped = MappedFile::open(file, statusPageWords, statusPage);
    if (!mapped) return fail(mapped.error());
    MappedPage& page = statusPageOf(*mapped);
    if (std::atomic_ref(page.magic).load(std::memory_order_acquire) != statusMagic)
        return fail({"cannot read the status page", file.string(), "it is no status page, or of another version", ""});
    for (int attempt = 0; attempt < 1000; ++attempt) {
        const std::uint64_t number = std::atomic_ref(page.published).load(std::memory_order_acquire);
        StatusSlot& slot = page.slots[number % 2];
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
        if (get(slot.stamp) == number && complement == ~number &&
            low(pidAndPhase) <= static_cast<std::uint32_t>(RankPhase::Checkpointing)) {
            status.pulse = get(page.pulse);
            return status;
        }
    }
    return fail({"cannot read the status page", file.string(), "it is torn or damaged", ""});
}

}  // namespace shardlab::trace
