// SPDX-License-Identifier: Apache-2.0
// What the launcher and the forwarder of another host say to each other, over one TCP connection: the trunk. Frames are
// those of engine/trace/record/wire.h, their bodies are written down in resources/manual/70-run-file.md.
#pragma once

#include "engine/base/bytes.h"
#include "engine/base/result.h"
#include "engine/trace/record/status_page.h"
#include "engine/trace/record/wire.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace shardlab {

inline constexpr std::uint32_t trunkProtocol = 1;
inline constexpr std::size_t largestTrunkGreeting = 4096;

/// Values are part of the protocol. "host" is the forwarder, "here" the launcher.
enum class TrunkFrame : std::uint8_t {
    Greeting = 64,  ///< host, first
    Refusal = 65,   ///< here, last: text
    Welcome = 66,   ///< here, once: Orders
    Ready = 67,     ///< host: text, what is wrong (empty: nothing); text, a wished file that is not there (empty: none)
    Ping = 68,      ///< here: u64
    Pong = 69,      ///< host: u64, i64 when it came, i64 when it goes (monotonicNanoseconds there)
    Open = 70,      ///< host: u32 channel: a rank has called
    Data = 71,      ///< both: u32 channel, bytes
    Taken = 72,     ///< both: u32 channel, u32 bytes that were passed on: so many more may come
    Close = 73,     ///< both: u32 channel
    Report = 74,    ///< host, several times a second: RankReport
    Attempt = 75,   ///< here: u32 number of the restart: ranks are started anew
    Fetch = 76,     ///< here: FetchOrder
    Piece = 77,     ///< host: i32 rank, u8 what, bytes
    Fetched = 78,   ///< host: i32 rank, u8 what, text why not; empty: all of it was sent
    Kill = 79,      ///< here: ends what the run has left on that host
    Killed = 80,    ///< host: u32 processes that were still there
    End = 81,       ///< here, last: the same, and the forwarder too
};
constexpr FrameType frameType(TrunkFrame type) { return static_cast<FrameType>(type); }

struct TrunkGreeting {
    std::uint32_t protocol = trunkProtocol;
    std::int32_t host = 0;  ///< its place in the run's list
    std::int32_t pid = 0;
    std::int32_t cores = 1;
    bool again = false;  ///< it was welcomed before: the connection broke and is back
    std::string name;    ///< what the host calls itself
    std::string token;
};
Bytes encode(const TrunkGreeting& greeting);
Result<TrunkGreeting> decodeTrunkGreeting(std::span<const std::byte> body);

/// A file that the launcher's host has and the other must have under the same name.
struct SharedFile {
    enum class Need : std::uint8_t { Exists, Same, Wished };  ///< Wished: the same, but the run does without it
    Need need = Need::Exists;
    std::string path;
    std::uint32_t checksum = 0;  ///< CRC-32C of its content, where that counts
};

/// What a forwarder is to make ready on its host.
struct Orders {
    std::uint32_t attempt = 0;  ///< number of the restart
    std::string layout;         ///< the layout file for the ranks there
    std::vector<SharedFile> files;
};
Bytes encode(const Orders& orders);
Result<Orders> decodeOrders(std::span<const std::byte> body);

struct RankReport {
    std::int32_t rank = 0;
    enum class State : std::uint8_t { Runs, Stopped, Gone };  ///< Stopped: by a signal
    State state = State::Runs;
    RankStatus status;
};
Bytes encode(const RankReport& report);
Result<RankReport> decodeRankReport(std::span<const std::byte> body);

enum class RankFile : std::uint8_t { Flight, Spool };
struct FetchOrder {
    std::int32_t rank = 0;
    RankFile what = RankFile::Flight;
    std::uint64_t from = 0;  ///< offset in the spool
};
Bytes encode(const FetchOrder& order);
Result<FetchOrder> decodeFetchOrder(std::span<const std::byte> body);

}  // namespace shardlab
