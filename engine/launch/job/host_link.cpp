// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/host_link.h"

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/base/units.h"
#include "engine/launch/job/remote_files.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

namespace shardlab::launch {
namespace {

constexpr std::int64_t bannerPatience = 30'000 * nsPerMillisecond;
constexpr std::int64_t connectPatience = 8'000 * nsPerMillisecond;
constexpr std::int64_t readyPatience = 10'000 * nsPerMillisecond;
constexpr std::int64_t pingEvery = 50 * nsPerMillisecond;
constexpr std::size_t linesKept = 6;
constexpr std::size_t pingsKept = 64;
constexpr std::size_t largestFetched = std::size_t{1} << 30;  ///< of a rank's that is fetched, in bytes

}  // namespace

void HostLink::call(const Agent& agent, const std::filesystem::path& program, const ForwarderSetup& setup,
                    std::int64_t now) {
    calledAt_ = now;
    program_ = agent.program();
    rankProgram_ = program.string();
    const std::vector<std::string> words =
        agent.command(host_.name, "exec " + shellQuoted(rankProgram_) + " " + forwarderArgument);
    const auto found =
        words.front().find('/') == std::string::npos ? findInPath(words.front()) : std::filesystem::path(words.front());
    if (!found)
        return giveUp({"the agent is missing", words.front(), "it is not in PATH",
                       "install it, or name another with --agent or /cluster/agent"});
    ProcessSpec spec{*found, {words.begin() + 1, words.end()}, {}, writeSetup(setup)};
    auto started = Process::start(spec);
    if (!started) return giveUp(started.error());
    agent_.emplace(std::move(*started));
}

void HostLink::giveUp(Error error) {
    if (!failure_) failure_ = std::move(error);
}

void HostLink::readAgent(std::int64_t now) {
    if (!agent_ || agentEnd_) return;
    std::vector<OutputLine> lines = agent_->read(0);
    agentEnd_ = agent_->exitStatus();
    if (agentEnd_) std::ranges::move(agent_->readRest(), std::back_inserter(lines));
    for (OutputLine& line : lines) {
        if (line.text.starts_with(forwarderError)) {
            giveUp({fmt::format("host {} cannot take part", host_.name),
                    "/cluster/hosts",
                    line.text.substr(forwarderError.size()),
                    {}});
        } else if (line.text.starts_with("shardlab-forwarder ")) {
            banner_ = true;
            calledAt_ = now;
            if (line.text != forwarderBanner())
                giveUp({fmt::format("host {} has another version", host_.name), rankProgram_,
                        fmt::format("it says {}, this is {}", line.text.substr(19), SHARDLAB_VERSION),
                        "the same version on every host"});
        } else if (const auto last = line.text.find_last_not_of(" \t\r"); last != std::string::npos) {
            said_.push_back(line.text.substr(0, last + 1));  // ssh ends its lines as a terminal wants them
            if (said_.size() > linesKept) said_.pop_front();
        }
    }
}

/// Says what keeps a host that is not ready.
void HostLink::judgeAgent(std::int64_t now) {
    if (ready_ || failure_) return;
    const std::string said = said_.empty() ? std::string() : fmt::format(": {}", fmt::join(said_, " / "));
    const bool missing = agentEnd_ && !agentEnd_->signalled && (agentEnd_->code == 126 || agentEnd_->code == 127);
    if (agentEnd_ && missing && !banner_)
        return giveUp({fmt::format("shardlab-rank is missing on host {}", host_.name), rankProgram_,
                       fmt::format("{} ended with {}{}", program_, agentEnd_->text(), said),
                       "the same program at the same path on every host"});
    if (agentEnd_)
        return giveUp(
            {banner_ ? fmt::format("the forwarder on host {} ended", host_.name)
                     : fmt::format("host {} cannot be reached", host_.name),
             program_, fmt::format("it ended with {}{}", agentEnd_->text(), said),
             banner_ ? "" : fmt::format("{} {} must work without a question, as with ssh keys", program_, host_.name)});
    if (!banner_ && now - calledAt_ > bannerPatience)
        return giveUp({fmt::format("host {} does not answer", host_.name),
                       program_,
                       fmt::format("nothing came for {}{}", formatSeconds(toSeconds(bannerPatience)), said),
                       {}});
    if (banner_ && !trunk_ && now - calledAt_ > connectPatience)
        return giveUp({fmt::format("host {} does not reach this machine", host_.name), "/cluster/network",
                       "its forwarder runs, but made no connection; a firewall may be between",
                       "the network that joins the hosts, such as 10.1.0.0/16"});
    if (trunk_ && now - connectedAt_ > readyPatience)
        return giveUp({fmt::format("host {} does not get ready", host_.name),
                       {},
                       fmt::format("nothing came for {}", formatSeconds(toSeconds(readyPatience))),
                       {}});
}

void HostLink::welcome(FrameLink trunk, const TrunkGreeting& greeting, const Orders& orders, std::int64_t now) {
    if (greeting.again) ++reconnected_;
    dropTrunk();
    trunk_.emplace(std::move(trunk));
    keepQueueShort(trunk_->descriptor());
    cores_ = std::max(1, greeting.cores);
    connectedAt_ = now;
    heard_ = true;
    silence_.broken();
    nextPing_ = now;
    trunk_->send(TrunkFrame::Welcome, encode(orders));
}

/// The ranks of the host call anew over the next one.
void HostLink::dropTrunk() {
    trunk_.reset();
    channels_.clear();
    fetches_.clear();
    pings_.clear();
}

void HostLink::watch(std::vector<pollfd>& watched) const {
    if (!trunk_) return;
    watched.push_back(trunk_->awaited());
    for (const auto& [number, channel] : channels_)
        if (const short events = channel.events(trunk_->hasRoom()))
            watched.push_back({channel.descriptor(), events, 0});
}

void HostLink::serve(std::int64_t now) {
    readAgent(now);
    judgeAgent(now);
    silence_.pass(now);
    if (trunk_ && acknowledgedLately(trunk_->descriptor())) silence_.broken();
    if (!trunk_) return;
    if (!serveTrunk() || silence_.length() > trunkSilence) return dropTrunk();
    for (auto each = channels_.begin(); each != channels_.end();)
        each = each->second.advance(*trunk_, trunk_->hasRoom()) ? std::next(each) : channels_.erase(each);
    if (now >= nextPing_) ping(now);
    if (!trunk_->flush()) dropTrunk();
}

void HostLink::ping(std::int64_t now) {
    nextPing_ = now + pingEvery;
    if (pings_.size() == pingsKept) pings_.pop_front();
    pings_.emplace_back(++lastPing_, monotonicNanoseconds());
    trunk_->send(TrunkFrame::Ping, encode(lastPing_));
}

bool HostLink::serveTrunk() {
    const auto count = trunk_->receive();
    const std::int64_t came = monotonicNanoseconds();
    if (count && *count > 0) silence_.broken();
    const bool open = trunk_->takeFrames([&](const Frame& frame) { return take(frame, came); }) == LinkState::Open;
    if (!open) ++garbage_;
    return count && open;
}

bool HostLink::take(const Frame& frame, std::int64_t came) {
    switch (frame.as<TrunkFrame>()) {
    case TrunkFrame::Ready: {
        const auto answer = decode<HostReady>(frame.body);
        if (!answer) return false;
        unshared_ = answer->unshared;
        fabrics_ = answer->fabrics;
        if (answer->problem.empty()) ready_ = true;
        else
            giveUp({fmt::format("host {} cannot take part", host_.name),
                    {},
                    answer->problem,
                    "what a run reads, and where its checkpoints lie, must be on a file system that all hosts share"});
        return true;
    }
    case TrunkFrame::Pong: {
        const auto pong = decode<Pong>(frame.body);
        if (!pong) return false;
        const auto sent = std::ranges::find(pings_, pong->number, [](const auto& each) { return each.first; });
        if (sent == pings_.end()) return true;  // the ping went over an earlier connection
        clock_.add({.sent = sent->second, .received = pong->received, .answered = pong->answered, .back = came});
        pings_.erase(pings_.begin(), sent + 1);
        if (!clock_.ready()) nextPing_ = came;  // at the start one after the other
        return true;
    }
    case TrunkFrame::Open: {
        const auto number = decode<std::uint32_t>(frame.body);
        if (!number || channels_.contains(*number)) return false;
        auto socket = connectUnix(collector_);
        if (socket) channels_.try_emplace(*number, *number, std::move(*socket));
        else sendOnChannel(*trunk_, TrunkFrame::Close, *number);  // between two starts nobody listens
        return true;
    }
    case TrunkFrame::Data:
    case TrunkFrame::Taken:
    case TrunkFrame::Close: return takeForChannel(channels_, frame);
    case TrunkFrame::Report: {
        const auto report = decode<RankReport>(frame.body);
        if (!report || report->rank < host_.firstRank || report->rank >= host_.firstRank + host_.ranks) return false;
        reports_[report->rank] = *report;
        return true;
    }
    case TrunkFrame::Piece: {
        const auto piece = decode<FilePiece>(frame.body);
        return piece && takePiece(*piece);
    }
    case TrunkFrame::Fetched: {
        const auto fetched = decode<FileFetched>(frame.body);
        return fetched && takeFetched(*fetched);
    }
    case TrunkFrame::Killed:
        killed_ = true;
        channels_.clear();
        return true;
    default: return false;
    }
}

HostLink::Fetching* HostLink::fetchOf(std::int32_t rank, RankFile what) {
    if (fetches_.empty()) return nullptr;
    Fetching& first = fetches_.front();
    return first.order.rank == rank && first.order.what == what ? &first : nullptr;
}

bool HostLink::takePiece(const FilePiece& piece) {
    Fetching* const fetching = fetchOf(piece.rank, piece.what);
    if (fetching == nullptr || fetching->content.size() + piece.bytes.size() > largestFetched) return false;
    fetching->content.insert(fetching->content.end(), piece.bytes.begin(), piece.bytes.end());
    return true;
}

bool HostLink::takeFetched(const FileFetched& fetched) {
    const Fetching* const fetching = fetchOf(fetched.rank, fetched.what);
    if (fetching == nullptr) return false;
    if (fetched.problem.empty())
        static_cast<void>(
            replaceFile(fetching->file, std::string_view(reinterpret_cast<const char*>(fetching->content.data()),
                                                         fetching->content.size())));
    fetches_.pop_front();
    return true;
}

std::optional<RankReport> HostLink::report(int rank) const {
    const auto found = reports_.find(rank);
    return found == reports_.end() ? std::nullopt : std::optional(found->second);
}

void HostLink::attempt(std::uint32_t number) {
    reports_.clear();
    channels_.clear();
    killed_ = false;
    if (trunk_) trunk_->send(TrunkFrame::Attempt, encode(number));
}

void HostLink::order(TrunkFrame type) {
    killed_ = false;
    if (trunk_) trunk_->send(type, {});
}

void HostLink::fetch(const FetchOrder& order, const std::filesystem::path& file) {
    if (!trunk_) return;
    fetches_.push_back({order, file, {}});
    trunk_->send(TrunkFrame::Fetch, encode(order));
}

void HostLink::endAgent() const {
    if (agent_ && !agentEnd_) agent_->signal(SIGTERM);
}

}  // namespace shardlab::launch
