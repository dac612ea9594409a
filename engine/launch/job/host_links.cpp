// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/host_links.h"

#include "engine/base/clock.h"
#include "engine/launch/hosts/this_machine.h"

#include <algorithm>
#include <fmt/format.h>
#include <poll.h>

namespace shardlab::launch {
namespace {

constexpr int linksPoll = 20;
constexpr std::int64_t afterInterruption = 5 * nsPerSecond;  ///< so long ranks may take to call again
constexpr std::chrono::milliseconds agentPatience{2000};

}  // namespace

Result<std::unique_ptr<HostLinks>> HostLinks::start(HostLinksOptions options) {
    auto addresses = reachableAddresses(options.network);
    if (!addresses) return fail(addresses.error());
    auto token = randomToken();
    if (!token) return fail(token.error());
    const bool many = addresses->size() > 1;
    const TcpAddress asked{many ? "0.0.0.0" : addresses->front(), 0};
    auto listener = listenTcp(asked);
    if (!listener) return fail(listener.error());
    const std::uint16_t port = boundAddress(*listener, asked).port;
    std::vector<std::string> texts;
    for (const std::string& address : *addresses)
        if (!many || address.find(':') == std::string::npos) texts.push_back(TcpAddress{address, port}.text());
    if (options.orders.layout.size() > largestFrame / 2)
        return fail(Error{say("the layout is too long to be sent to other hosts"),
                          options.folder.string(),
                          say("it has more than 512 KiB"),
                          {}});
    std::unique_ptr<HostLinks> links(
        new HostLinks(std::move(options), std::move(*listener), std::move(*token), std::move(texts)));
    links->thread_ = std::thread([&all = *links] { all.loop(); });
    return links;
}

HostLinks::HostLinks(HostLinksOptions options, Descriptor listener, std::string token,
                     std::vector<std::string> addresses)
    : options_(std::move(options)),
      listener_(std::move(listener), {token, FrameType(TrunkFrame::Greeting), FrameType(TrunkFrame::Refusal)}),
      token_(std::move(token)), addresses_(std::move(addresses)) {
    for (const RemoteHost& host : options_.hosts) links_.emplace_back(host, options_.collector, options_.folder);
}

HostLinks::~HostLinks() {
    {
        const std::lock_guard lock(mutex_);
        for (HostLink& link : links_) link.order(TrunkFrame::End);
        stopping_ = true;
    }
    wake_.ring();
    if (thread_.joinable()) thread_.join();
}

void HostLinks::callAll() {
    for (HostLink& link : links_) {
        const RemoteHost& host = link.host();
        link.call(options_.agent, options_.rankProgram,
                  {host.index, host.firstRank, host.ranks, token_, addresses_, options_.folder, options_.sharedMemory},
                  monotonicNanoseconds());
    }
}

void HostLinks::loop() {
    std::int64_t endBy = 0;
    {
        const std::lock_guard lock(mutex_);
        callAll();  // by this thread: the kernel ends an agent when its starter ends
    }
    for (;;) {
        std::vector<pollfd> watched{{wake_.descriptor(), POLLIN, 0}};
        {
            const std::lock_guard lock(mutex_);
            listener_.watch(watched);
            for (const HostLink& link : links_) link.watch(watched);
        }
        ::poll(watched.data(), watched.size(), linksPoll);
        wake_.clear();
        const std::lock_guard lock(mutex_);
        const std::int64_t now = monotonicNanoseconds();
        listener_.attend(
            now, [&](FrameLink& trunk, const TrunkGreeting& greeting) { return welcome(trunk, greeting, now); });
        for (HostLink& link : links_) link.serve(monotonicNanoseconds());
        changed_.notify_all();
        if (!stopping_) continue;
        if (endBy == 0) endBy = now + std::chrono::nanoseconds(agentPatience).count();
        // A forwarder that has ended takes its agent with it; one that cannot be reached ends by itself, later.
        const auto leaving = [](const HostLink& link) {
            return link.ready() && link.silence() < trunkSilence && !link.agentEnded();
        };
        if (now < endBy && std::ranges::any_of(links_, leaving)) continue;
        for (const HostLink& link : links_) link.endAgent();
        links_.clear();
        return;
    }
}

std::optional<Refusal> HostLinks::welcome(FrameLink& trunk, const TrunkGreeting& greeting, std::int64_t now) {
    const auto link = std::ranges::find(links_, greeting.host, [](const HostLink& each) { return each.host().index; });
    if (link == links_.end()) return Refusal{&CallerCounts::wrongGreeting, "the run has no such host"};
    Orders orders = options_.orders;
    orders.attempt = attempt_;
    if (link->ready()) orders.files.clear();  // looked for when the run began; the marker is gone
    link->welcome(std::move(trunk), greeting, orders, now);
    return std::nullopt;
}

const HostLink* HostLinks::linkOf(int rank) const {
    const auto found = std::ranges::find_if(links_, [rank](const HostLink& link) {
        return rank >= link.host().firstRank && rank < link.host().firstRank + link.host().ranks;
    });
    return found == links_.end() ? nullptr : &*found;
}

const HostLink* HostLinks::linkAt(int index) const {
    const auto found = std::ranges::find(links_, index, [](const HostLink& link) { return link.host().index; });
    return found == links_.end() ? nullptr : &*found;
}

Result<bool> HostLinks::ready() const {
    const std::lock_guard lock(mutex_);
    const HostLink* first = nullptr;
    int failed = 0;
    for (const HostLink& link : links_) {
        if (!link.failure()) continue;
        if (first == nullptr) first = &link;
        ++failed;
    }
    if (first != nullptr) {
        Error error = *first->failure();
        if (failed > 1)
            error.why = say("{}; {} more of {} hosts cannot take part", error.why, failed - 1, links_.size());
        return fail(std::move(error));
    }
    return std::ranges::all_of(links_, [](const HostLink& link) { return link.ready(); });
}

std::vector<HostState> HostLinks::states() const {
    const std::lock_guard lock(mutex_);
    std::vector<HostState> states;
    for (const HostLink& link : links_) {
        HostState state{link.host().name, link.ready(),  link.failure(), link.cores(), {},
                        link.unshared(),  link.fabrics()};
        if (state.ready) state.clock = link.clock().at(monotonicNanoseconds());
        states.push_back(std::move(state));
    }
    return states;
}

std::string HostLinks::lost() const {
    const std::lock_guard lock(mutex_);
    for (const HostLink& link : links_)
        if (link.silence() > hostPatience) return link.host().name;
    return {};
}

bool HostLinks::interrupted() const {
    const std::lock_guard lock(mutex_);
    const std::int64_t now = monotonicNanoseconds();
    return std::ranges::any_of(links_, [now](const HostLink& link) {
        return !link.connected() || link.silence() > nsPerSecond / 2 ||
               (link.reconnected() > 0 && now - link.connectedAt() < afterInterruption);
    });
}

std::vector<std::string> HostLinks::silent() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const HostLink& link : links_)
        if (link.silence() > nsPerSecond) names.push_back(link.host().name);
    return names;
}

int HostLinks::cores(int index) const {
    const std::lock_guard lock(mutex_);
    const HostLink* link = linkAt(index);
    return link ? link->cores() : 1;
}

std::string HostLinks::unshared() const {
    const std::lock_guard lock(mutex_);
    for (const HostLink& link : links_)
        if (!link.unshared().empty())
            return fmt::format("host {} does not share {}", link.host().name, link.unshared());
    return {};
}

std::vector<HostClock> HostLinks::clocks() const {
    const std::lock_guard lock(mutex_);
    const std::int64_t now = monotonicNanoseconds();
    std::vector<HostClock> all;
    for (const HostLink& link : links_) {
        if (link.clock().pings() == 0) continue;
        const ClockReading reading = link.clock().at(now);
        all.push_back(
            {link.host().name, now - options_.clockOrigin, reading.offset, reading.uncertainty, reading.drift});
    }
    return all;
}

std::optional<RankReport> HostLinks::report(int rank) const {
    const std::lock_guard lock(mutex_);
    const HostLink* link = linkOf(rank);
    return link ? link->report(rank) : std::nullopt;
}

bool HostLinks::fetch(const FetchOrder& order, const std::filesystem::path& file, std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    HostLink* link = linkOf(order.rank);
    if (link == nullptr || !link->connected()) return false;
    link->fetch(order, file);
    wake_.ring();
    changed_.wait_for(lock, patience, [&] { return !link->fetching(); });
    std::error_code ignored;
    return std::filesystem::exists(file, ignored);
}

void HostLinks::attempt(int number) {
    {
        const std::lock_guard lock(mutex_);
        attempt_ = static_cast<std::uint32_t>(number);
        for (HostLink& link : links_) link.attempt(attempt_);
    }
    wake_.ring();
}

void HostLinks::kill(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    for (HostLink& link : links_) link.order(TrunkFrame::Kill);
    wake_.ring();
    changed_.wait_for(lock, patience, [this] {
        return std::ranges::all_of(links_, [](const HostLink& link) { return !link.connected() || link.killed(); });
    });
}

HostCounts HostLinks::counts() const {
    const std::lock_guard lock(mutex_);
    HostCounts all{listener_.counts()};
    for (const HostLink& link : links_) {
        all.garbage += link.garbage();
        all.reconnected += link.reconnected();
    }
    return all;
}

}  // namespace shardlab::launch
