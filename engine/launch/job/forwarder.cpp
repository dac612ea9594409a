// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/forwarder.h"

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/base/tcp_socket.h"
#include "engine/launch/hosts/silence.h"
#include "engine/launch/hosts/trunk_channel.h"
#include "engine/launch/job/remote_files.h"
#include "engine/launch/job/mpirun.h"
#include "engine/trace/record/rank_arguments.h"
#include "engine/launch/job/stray_processes.h"
#include "engine/launch/job/temporary_folder.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <deque>
#include <map>
#include <poll.h>
#include <sys/signalfd.h>
#include <thread>
#include <unistd.h>

namespace shardlab::launch {
namespace {

constexpr int forwardPoll = 20;
constexpr std::int64_t reportEvery = 100 * nsPerMillisecond;
constexpr std::int64_t attemptEvery = 200 * nsPerMillisecond;
constexpr std::chrono::milliseconds attemptPatience{500};
constexpr std::chrono::seconds rankKillPatience{1};
constexpr std::size_t pieceBytes = std::size_t{1} << 16;

/// Asked to end by a signal; blocked, and read in the loop.
Descriptor endingSignals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGTERM, SIGINT}) sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    std::signal(SIGHUP, SIG_IGN);  // the agent may go, the link is another
    std::signal(SIGPIPE, SIG_IGN);
    return Descriptor(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

RankReport::State stateOf(int process) {
    if (kill(process, 0) != 0 && errno == ESRCH) return RankReport::State::Gone;
    return isStopped(process) ? RankReport::State::Stopped : RankReport::State::Runs;
}

/// Part of a rank's file on its way.
struct Sending {
    FetchOrder order;
    Bytes content;
    std::size_t sent = 0;
    std::string problem;
};

class Forwarder {
public:
    Forwarder(ForwarderSetup setup, Descriptor listener)
        : setup_(std::move(setup)), listener_(std::move(listener)), signals_(endingSignals()) {
        files_.folder = setup_.hostFolder();
    }

    /// Empty: the run has ended in order. Else why this ends.
    std::string run() {
        while (!ended_) {
            const std::int64_t now = monotonicNanoseconds();
            silence_.pass(now);
            if (trunk_ && acknowledgedLately(trunk_->descriptor())) silence_.broken();
            if (silence_.length() > hostPatience)
                return "nothing was heard of the launcher for " + std::to_string(hostPatience / nsPerSecond) + " s";
            if (trunk_ && silence_.length() > trunkSilence && now - connectedAt_ > trunkSilence) dropTrunk(now);
            if (!trunk_ && now >= nextAttempt_) connect();
            wait();
            if (trunk_ && !serveTrunk()) dropTrunk(monotonicNanoseconds());
            if (!refusal_.empty()) return refusal_;
            if (welcomed()) acceptRanks();
            advanceChannels();
            report();
            sendPieces();
            if (trunk_ && !trunk_->flush()) dropTrunk(monotonicNanoseconds());
            signalfd_siginfo caught{};
            if (::read(signals_.value(), &caught, sizeof caught) == sizeof caught)
                return "ended by " + std::string(strsignal(static_cast<int>(caught.ssi_signo)));
        }
        return {};
    }

private:
    bool welcomed() const { return trunk_ && welcomed_; }
    bool room() const { return trunk_ && trunk_->hasRoom(); }

    void connect() {
        std::string why;
        for (std::size_t i = 0; i < setup_.addresses.size(); ++i) {
            const std::string& text = setup_.addresses[(reachedBy_ + i) % setup_.addresses.size()];
            const auto address = parseTcpAddress(text);
            auto socket =
                address ? connectTcp(*address, attemptPatience, never_) : Result<Descriptor>(fail(address.error()));
            if (!socket) {
                lastFailure_ = socket.error().text();
                continue;
            }
            reachedBy_ = (reachedBy_ + i) % setup_.addresses.size();
            connectedAt_ = monotonicNanoseconds();
            trunk_.emplace(std::move(*socket));
            keepQueueShort(trunk_->descriptor());
            std::array<char, 256> name{};
            gethostname(name.data(), name.size() - 1);
            trunk_->send(TrunkFrame::Greeting, encode(TrunkGreeting{trunkProtocol, setup_.host, getpid(), usableCores(),
                                                                    everWelcomed_, name.data(), setup_.token}));
            return;
        }
        nextAttempt_ = monotonicNanoseconds() + attemptEvery;
    }

    /// Ranks call again, and go on from what was acknowledged.
    void dropTrunk(std::int64_t now) {
        trunk_.reset();
        welcomed_ = false;
        channels_.clear();
        sending_.clear();
        nextAttempt_ = now + attemptEvery;
    }

    void wait() {
        std::vector<pollfd> watched{{signals_.value(), POLLIN, 0}};
        if (trunk_) watched.push_back(trunk_->awaited());
        if (welcomed()) watched.push_back({listener_.value(), POLLIN, 0});
        for (const auto& [number, channel] : channels_)
            if (const short events = channel.events(room())) watched.push_back({channel.descriptor(), events, 0});
        ::poll(watched.data(), watched.size(), forwardPoll);
    }

    bool serveTrunk() {
        const auto count = trunk_->receive();
        if (count && *count > 0) silence_.broken();
        return trunk_->takeFrames([this](const Frame& frame) { return take(frame); }) == LinkState::Open && count;
    }

    bool take(const Frame& frame) {
        switch (frame.as<TrunkFrame>()) {
        case TrunkFrame::Refusal:
            refusal_ = "the launcher refuses: " + decode<std::string>(frame.body).value_or("");
            return true;
        case TrunkFrame::Welcome: {
            const auto orders = decode<Orders>(frame.body);
            if (!orders) return false;
            welcomed_ = everWelcomed_ = true;
            trunk_->send(TrunkFrame::Ready, encode(carryOut(*orders)));
            return true;
        }
        case TrunkFrame::Ping: {
            const std::int64_t came = monotonicNanoseconds();
            const auto number = decode<std::uint64_t>(frame.body);
            if (!number) return false;
            trunk_->send(TrunkFrame::Pong, encode(Pong{*number, came, monotonicNanoseconds()}));
            return trunk_->flush();
        }
        case TrunkFrame::Data:
        case TrunkFrame::Taken:
        case TrunkFrame::Close: return takeForChannel(channels_, frame);
        case TrunkFrame::Attempt: {
            const auto number = decode<std::uint32_t>(frame.body);
            if (number) beginAttempt(*number);
            return number.has_value();
        }
        case TrunkFrame::Fetch: {
            const auto order = decode<FetchOrder>(frame.body);
            if (order) fetch(*order);
            return order.has_value();
        }
        case TrunkFrame::Kill:
        case TrunkFrame::End: {
            const auto killed =
                static_cast<std::uint32_t>(killJob(setup_.hostFolder(), setup_.folder, rankKillPatience));
            channels_.clear();
            trunk_->send(TrunkFrame::Killed, encode(killed));
            ended_ = frame.as<TrunkFrame>() == TrunkFrame::End;
            return trunk_->flush();
        }
        default: return false;
        }
    }

    HostReady carryOut(const Orders& orders) {
        if (const Status saved = replaceFile(setup_.hostFolder() / "layout.json", orders.layout); !saved)
            return {saved.error().text(), {}};
        HostReady ready;
        for (const SharedFile& file : orders.files) {
            if (hasFile(file)) continue;
            if (file.need == SharedFile::Need::Exists) return {file.path + " is missing there", {}};
            const std::string folder = std::filesystem::path(file.path).parent_path().string();
            if (file.need == SharedFile::Need::Same)
                return {folder + " is not the folder that the launcher's host has under that name", {}};
            ready.unshared = folder;
        }
        beginAttempt(orders.attempt);
        ready.fabrics = fabricsHere();
        return ready;
    }

    void beginAttempt(std::uint32_t number) {
        const std::filesystem::path folder =
            RankArguments::attemptFolder(setup_.hostFolder(), static_cast<int>(number));
        if (folder == files_.folder) return;
        std::error_code ignored;
        std::filesystem::create_directory(folder, ignored);
        files_.folder = folder;
        channels_.clear();
    }

    void acceptRanks() {
        while (auto socket = acceptCall(listener_)) {
            const std::uint32_t number = ++lastChannel_;
            channels_.try_emplace(number, number, std::move(*socket));
            sendOnChannel(*trunk_, TrunkFrame::Open, number);
        }
    }

    void advanceChannels() {
        if (!trunk_) return;
        for (auto each = channels_.begin(); each != channels_.end();)
            each = each->second.advance(*trunk_, room()) ? std::next(each) : channels_.erase(each);
    }

    void report() {
        const std::int64_t now = monotonicNanoseconds();
        if (!welcomed() || now - reportedAt_ < reportEvery || !room()) return;
        reportedAt_ = now;
        for (int rank = setup_.firstRank; rank < setup_.firstRank + setup_.ranks; ++rank)
            if (const auto status = readStatus(files_.statusFile(rank)))
                trunk_->send(TrunkFrame::Report, encode(RankReport{rank, stateOf(status->pid), *status}));
    }

    void fetch(const FetchOrder& order) {
        Sending sending{order, {}, 0, {}};
        auto content = order.what == RankFile::Flight ? flightOf(files_.flightFile(order.rank))
                                                      : spoolFrom(files_.spoolFile(order.rank), order.from);
        if (content) sending.content = std::move(*content);
        else sending.problem = content.error().text();
        sending_.push_back(std::move(sending));
    }

    void sendPieces() {
        while (trunk_ && !sending_.empty() && room()) {
            Sending& next = sending_.front();
            const auto left = std::span<const std::byte>(next.content).subspan(next.sent);
            const auto& [rank, what, from] = next.order;
            if (left.empty()) {
                trunk_->send(TrunkFrame::Fetched, encode(FileFetched{rank, what, next.problem}));
                sending_.pop_front();
                continue;
            }
            const auto piece = left.first(std::min(left.size(), pieceBytes));
            trunk_->send(TrunkFrame::Piece, encode(FilePiece{rank, what, piece}));
            next.sent += piece.size();
        }
    }

    ForwarderSetup setup_;
    RankArguments files_;  ///< names of the ranks' files, of the present attempt
    Descriptor listener_;
    Descriptor signals_;
    WakeUp never_;
    std::optional<FrameLink> trunk_;
    std::map<std::uint32_t, TrunkChannel> channels_;
    std::deque<Sending> sending_;
    std::uint32_t lastChannel_ = 0;
    std::size_t reachedBy_ = 0;  ///< which address
    bool welcomed_ = false;
    bool everWelcomed_ = false;
    bool ended_ = false;
    Silence silence_;
    std::int64_t connectedAt_ = 0;
    std::int64_t nextAttempt_ = 0;
    std::int64_t reportedAt_ = 0;
    std::string refusal_;
    std::string lastFailure_;

public:
    const std::string& lastFailure() const { return lastFailure_; }
};

int complain(const std::string& problem) {
    std::printf("%s%s\n", std::string(forwarderError).c_str(), problem.c_str());
    std::fflush(stdout);
    return 1;
}

/// Why this host's part of the run ends, where it does not end in order. Error: it cannot begin.
Result<std::string> takePart(const ForwarderSetup& setup) {
    sweepAbandonedFolders(setup.folder.parent_path());
    sweepAbandonedFolders(setup.sharedMemory.parent_path());
    const std::string owner = setup.hostFolder().filename();
    auto folder = TemporaryFolder::createAs(setup.folder, owner);
    if (!folder) return fail(folder.error());
    auto own = HostFolder::create(setup.hostFolder());
    if (!own) return fail(own.error());
    // Without it Open MPI's segments of this host would have no place.
    auto sharedMemory = setup.sharedMemory.empty() ? Result<TemporaryFolder>(fail(Error{}))
                                                   : TemporaryFolder::createAs(setup.sharedMemory, owner);
    if (!setup.sharedMemory.empty() && !sharedMemory) return fail(sharedMemory.error());
    auto listener = listenUnix(ForwarderSetup::socketIn(setup.hostFolder()));
    if (!listener) return fail(listener.error());

    Forwarder forwarder(setup, std::move(*listener));
    std::string problem = forwarder.run();
    killJob(setup.hostFolder(), setup.folder, rankKillPatience);
    // The agent starts no daemon of Open MPI without the mark; one that it had started just before is found now.
    folder->close();
    killJob(setup.hostFolder(), setup.folder, rankKillPatience);
    if (!problem.empty() && !forwarder.lastFailure().empty()) problem += "; last: " + forwarder.lastFailure();
    return problem;
}

}  // namespace

int runForwarder() {
    std::printf("%s\n", forwarderBanner().c_str());
    std::fflush(stdout);
    std::string line;
    for (int c = 0; line.size() < (std::size_t{1} << 16) && (c = std::getchar()) != EOF && c != '\n';)
        line += static_cast<char>(c);
    const auto setup = readSetup(line);
    if (!setup) return complain(setup.error().text());

    setsid();  // whoever ends the agent and what it started does not end this, which has something to clear away
    const Result<std::string> problem = takePart(*setup);
    if (!problem) return complain(problem.error().text());
    return problem->empty() ? 0 : complain(*problem);
}

}  // namespace shardlab::launch
