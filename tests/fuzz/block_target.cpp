// SPDX-License-Identifier: Apache-2.0
// Blocks of the run file: packed bytes of any kind, and any events, packed and unpacked.
#include "engine/trace/event/event_codec.h"
#include "engine/trace/run_file/run_block.h"
#include "tests/fuzz/any_events.h"
#include "tests/support/wings.h"

using namespace shardlab::test;
using namespace shardlab::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    static BlockUnpacker unpacker;
    static BlockPacker packer;
    const std::uint8_t what = input.number<std::uint8_t>() % 3;
    std::vector<Event> events;
    if (what == 2) {
        events = anyEvents(input, largestBlock);
        if (events.empty()) return 0;
    } else {
        const auto bytes = input.bytes(std::size_t{1} << 20);
        const Status read = what == 0 ? unpacker.unpack(bytes, events) : decodeEvents(bytes, events);
        if (!read) {
            require(events.empty(), "a damaged block gives no events");
            requireClear(read.error());
            return 0;
        }
        require(!illegalTime(events), "a block has times that a run can have");
        require(!events.empty() && events.size() <= largestBlock, "a block has 1 to 4096 events");
    }
    std::vector<Event> again;
    Event beyond = events.back();
    beyond.end = latestTime + 1 + std::abs(beyond.bytes % latestTime);
    require(!unpacker.unpack(packer.pack(std::span(&beyond, 1)), again), "an event beyond all times is refused");
    require(unpacker.unpack(packer.pack(events), again).has_value(), "what was packed can be unpacked");
    require(std::ranges::equal(events, again, identical), "events come back bit for bit");
    return 0;
}
