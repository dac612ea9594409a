// SPDX-License-Identifier: Apache-2.0
// Both ends of the link between a rank and the collector, each against a peer that sends what the input says.
#include "engine/base/unix_socket.h"
#include "engine/launch/job/collector.h"
#include "engine/trace/record/frame_link.h"
#include "engine/trace/record/rank_link.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_files.h"
#include "tests/support/wings.h"

#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace shardlab::test;
using namespace shardlab::fuzz;

namespace {

constexpr const char* token = "token";
constexpr int ranks = 2;

/// Frames with checksums that are right, or bytes as they come. Offsets follow one another where the input says so.
Bytes stream(Input& input, std::uint64_t offset) {
    Bytes out;
    while (!input.empty()) {
        const auto kind = input.number<std::uint8_t>();
        if (kind == 255) {
            ByteWriter(out).bytes(input.bytes(input.below(4096)));
            continue;
        }
        Bytes body;
        if ((kind & 128) == 0) ByteWriter(body).fixed(offset);
        ByteWriter(body).bytes(input.bytes(input.below(1024)));
        const std::size_t before = out.size();
        appendFrame(out, static_cast<FrameType>(kind & 7), body);
        offset += out.size() - before;
    }
    return out;
}

/// What the collector hands over, which must be of ranks of the run.
struct Heard {
    std::int64_t events = 0;
    void operator()(const RankHello& hello) const { requireRank(hello.rank); }
    void operator()(const std::vector<Event>& some) {
        for (const Event& event : some) requireRank(event.rank);
        events += static_cast<std::int64_t>(some.size());
    }
    void operator()(const RankName& name) const {
        requireRank(name.rank);
        require(name.name.number > 0, "a name has a number");
    }
    void operator()(const LogLine& line) const { require(line.level <= LogLevel::Error, "a log line has a level"); }
    void operator()(const RankGoodbye& goodbye) const { requireRank(goodbye.rank); }
    void operator()(const RankLinkLost& lost) const { requireRank(lost.rank); }

private:
    static void requireRank(int rank) { require(rank >= 0 && rank < ranks, "only ranks of the run are heard"); }
};

/// Sends all of it, then waits until the collector closes: it has then taken whatever it takes.
void talk(const std::filesystem::path& socket, std::span<const std::byte> bytes) {
    auto link = connectUnix(socket);
    if (!link) return;
    bool gone = false;
    while (!gone) {
        const auto sent = bytes.empty() ? 0 : sendSome(*link, bytes);
        if (!sent) break;
        bytes = bytes.subspan(*sent);
        if (bytes.empty()) ::shutdown(link->value(), SHUT_WR);
        Bytes answer(4096);
        pollfd watched{link->value(), static_cast<short>(POLLIN | (bytes.empty() ? 0 : POLLOUT)), 0};
        ::poll(&watched, 1, 1000);
        gone = !receiveSome(*link, answer);
    }
}

void collector(Input& input) {
    CollectorOptions options;
    options.socket = scratch() / "collector";
    options.token = token;
    options.ranks = ranks;
    const auto listening = Collector::listen(options);
    require(listening.has_value(), "the collector can listen");
    if (input.below(2) == 0) (*listening)->send(Command::Pause);
    Hello hello;
    hello.rank = input.number<std::int8_t>() % 3;
    hello.commandsTaken = input.number<std::uint8_t>() % 3;
    hello.token = input.below(8) != 0 ? token : "another";
    Bytes all;
    if (input.below(8) != 0) appendFrame(all, FrameType::Hello, encode(hello));
    const Bytes frames = stream(input, 0);
    all.insert(all.end(), frames.begin(), frames.end());
    talk(options.socket, all);
    (*listening)->stop();
    const CollectorCounts counts = (*listening)->counts();
    Heard heard;
    for (const RankMessage& message : (*listening)->take()) std::visit(heard, message);
    require(counts.events == heard.events, "events are counted as they are handed over");
    const std::int64_t refusals = counts.refused();
    require(refusals <= 1 && counts.resumed == 0, "a connection is refused once");
}

void rank(Input& input) {
    MemoryFiles disk;
    Spool spool(disk, "0.spool");
    for (std::size_t i = input.below(4); i > 0; --i)
        static_cast<void>(spool.append(FrameType::Goodbye, input.bytes(input.below(200))));
    RankLinkOptions options;
    options.socket = (scratch() / "rank").string();
    options.token = token;
    RankLink link(options, spool);
    const auto listener = listenUnix(options.socket, 4);
    require(listener.has_value(), "the socket can be listened at");
    std::int64_t now = 1'000'000'000;
    link.advance(now);
    const auto peer = acceptCall(*listener);
    require(peer.has_value(), "a rank connects");
    Bytes answer;
    if (input.below(4) != 0) {
        const std::uint64_t from = input.below(8) == 0 ? input.number<std::uint64_t>() : 0;
        appendFrame(answer, FrameType::Welcome, std::as_bytes(std::span(&from, 1)));
    }
    const Bytes frames = stream(input, 0);
    answer.insert(answer.end(), frames.begin(), frames.end());
    std::size_t commands = 0;
    std::uint64_t acknowledged = 0;
    for (std::span<const std::byte> left(answer);;) {
        const auto sent = left.empty() ? 0 : sendSome(*peer, left);
        if (sent) left = left.subspan(*sent);
        link.advance(now += 1'000'000);
        commands += link.takeCommands().size();
        require(link.acknowledged() >= acknowledged && link.acknowledged() <= spool.end(),
                "what is acknowledged was spooled, and stays");
        acknowledged = link.acknowledged();
        if (left.empty() || !sent || link.descriptor() < 0) break;
        Bytes drained(65536);
        if (!receiveSome(*peer, drained)) break;
    }
    require(commands <= answer.size() / frameOverhead, "a command comes in a frame");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    input.number<std::uint8_t>() % 2 == 0 ? collector(input) : rank(input);
    return 0;
}
