// SPDX-License-Identifier: Apache-2.0
// What the launcher and the forwarder of another host say to each other, over one TCP connection: the trunk. Frames are
// those of engine/trace/record/wire.h, their bodies are written down in resources/manual/70-run-file.md.
#pragma once

#include "engine/base/fields.h"
#include "engine/launch/hosts/fabrics.h"
#include "engine/trace/record/status_page.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace shardlab::launch {

inline constexpr std::uint32_t trunkProtocol = 2;

/// Values are part of the protocol. "host" is the forwarder, "here" the launcher.
enum class TrunkFrame : std::uint8_t {
    Greeting = 64,  ///< host, first
    Refusal = 65,   ///< here, last: text
    Welcome = 66,   ///< here, once: Orders
    Ready = 67,     ///< host: HostReady
    Ping = 68,      ///< here: u64
    Pong = 69,      ///< host: Pong
    Open = 70,      ///< host: u32 channel: a rank has called
    Data = 71,      ///< both: u32 channel, bytes
    Taken = 72,     ///< both: u32 channel, u32 bytes that were passed on: so many more may come
    Close = 73,     ///< both: u32 channel
    Report = 74,    ///< host, several times a second: RankReport
    Attempt = 75,   ///< here: u32 number of the restart: ranks are started anew
    Fetch = 76,     ///< here: FetchOrder
    Piece = 77,     ///< host: FilePiece
    Fetched = 78,   ///< host: FileFetched
    Kill = 79,      ///< here: ends what the run has left on that host
    Killed = 80,    ///< host: u32 processes that were still there
    End = 81,       ///< here, last: the same, and the forwarder too
};
struct TrunkGreeting {
    std::uint32_t protocol = trunkProtocol;
    std::int32_t host = 0;  ///< its place in the run's list
    std::int32_t pid = 0;
    std::int32_t cores = 1;
    bool again = false;  ///< it was welcomed before: the connection broke and is back
    std::string name;    ///< what the host calls itself
    std::string token;
};
void fields(auto& archive, FieldsOf<TrunkGreeting> auto& greeting) {
    archive.frame("greeting");
    if (!archive.version("protocol", greeting.protocol, trunkProtocol)) return;
    archive("host", greeting.host);
    archive("pid", greeting.pid);
    archive("cores", greeting.cores);
    archive("again", greeting.again);
    archive("name", greeting.name);
    archive("token", greeting.token);
}

/// A file that the launcher's host has and the other must have under the same name.
struct SharedFile {
    enum class Need : std::uint8_t { Exists, Same, Wished };  ///< Wished: the same, but the run does without it
    Need need = Need::Exists;
    std::string path;
    std::uint32_t checksum = 0;  ///< CRC-32C of its content, where that counts
};
void fields(auto& archive, FieldsOf<SharedFile> auto& file) {
    archive("need", file.need);
    archive("path", file.path);
    archive("checksum", file.checksum);
}

/// What the frames Open, Data, Taken and Close say of one rank's link; Open and Close have no bytes.
struct ChannelBytes {
    std::uint32_t channel = 0;
    std::span<const std::byte> bytes;
};
void fields(auto& archive, FieldsOf<ChannelBytes> auto& data) {
    archive.frame("frame of a rank's link");
    archive("channel", data.channel);
    archive.rest("bytes", data.bytes);
}

/// What a forwarder is to make ready on its host.
struct Orders {
    std::uint32_t attempt = 0;  ///< the number of the restart
    std::string layout;         ///< the layout file for the ranks there
    std::vector<SharedFile> files;
};
void fields(auto& archive, FieldsOf<Orders> auto& orders) {
    archive.frame("orders");
    archive("attempt", orders.attempt);
    archive("layout", orders.layout);
    archive.list("file", orders.files);
}

/// What became of the orders.
struct HostReady {
    std::string problem;   ///< why the host cannot take part; empty: it can
    std::string unshared;  ///< folder of a wished file that is not there; empty: all are
    Fabrics fabrics;       ///< what ranks there can use besides TCP
};
void fields(auto& archive, FieldsOf<HostReady> auto& ready) {
    archive.frame("answer to the orders");
    archive("problem", ready.problem);
    archive("unshared", ready.unshared);
    archive("ucx", ready.fabrics.ucx);
    archive("ofi", ready.fabrics.ofi);
}

/// The answer to a ping, in times of the forwarder's monotonicNanoseconds().
struct Pong {
    std::uint64_t number = 0;   ///< the ping's
    std::int64_t received = 0;  ///< when the ping came
    std::int64_t answered = 0;  ///< when this goes
};
void fields(auto& archive, FieldsOf<Pong> auto& pong) {
    archive.frame("pong");
    archive("number", pong.number);
    archive("received", pong.received);
    archive("answered", pong.answered);
}

struct RankReport {
    std::int32_t rank = 0;
    enum class State : std::uint8_t { Runs, Stopped, Gone };  ///< Stopped: by a signal
    State state = State::Runs;
    RankStatus status;
};
void fields(auto& archive, FieldsOf<RankReport> auto& report) {
    archive.frame("report of a rank");
    archive("rank", report.rank);
    archive("state", report.state, RankReport::State::Gone);
    archive("pid", report.status.pid);
    archive("phase", report.status.phase, RankPhase::Checkpointing);
    archive("step", report.status.step);
    archive("action", report.status.action);
    archive("peer", report.status.peer);
    archive("heartbeat", report.status.heartbeat);
    archive("pulse", report.status.pulse);
}

enum class RankFile : std::uint8_t { Flight, Spool };
struct FetchOrder {
    std::int32_t rank = 0;
    RankFile what = RankFile::Flight;
    std::uint64_t from = 0;  ///< offset in the spool
};
void fields(auto& archive, FieldsOf<FetchOrder> auto& order) {
    archive.frame("order to fetch");
    archive("rank", order.rank);
    archive("what", order.what, RankFile::Spool);
    archive("from", order.from);
}

/// A piece of the file that was fetched, as long as there are some.
struct FilePiece {
    std::int32_t rank = 0;
    RankFile what = RankFile::Flight;
    std::span<const std::byte> bytes;
};
void fields(auto& archive, FieldsOf<FilePiece> auto& piece) {
    archive.frame("piece of a file");
    archive("rank", piece.rank);
    archive("what", piece.what, RankFile::Spool);
    archive.rest("bytes", piece.bytes);
}

/// The last word on a file that was fetched.
struct FileFetched {
    std::int32_t rank = 0;
    RankFile what = RankFile::Flight;
    std::string problem;  ///< why it is not all there; empty: all of it was sent
};
void fields(auto& archive, FieldsOf<FileFetched> auto& fetched) {
    archive.frame("end of a file");
    archive("rank", fetched.rank);
    archive("what", fetched.what, RankFile::Spool);
    archive("problem", fetched.problem);
}

}  // namespace shardlab::launch
