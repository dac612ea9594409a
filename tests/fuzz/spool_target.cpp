// SPDX-License-Identifier: Apache-2.0
// The spool, read from any bytes; and written, read and acknowledged in any order on a disk that may fill up, beside a
// plain list of what was appended.
#include "engine/trace/record/spool.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_files.h"
#include "tests/support/wings.h"

using namespace shardlab::test;
using namespace shardlab::fuzz;

namespace {

const std::filesystem::path place = "0.spool";

void readBytes(Input& input) {
    MemoryFiles disk;
    const std::uint64_t from = input.number<std::uint32_t>();
    const auto bytes = input.bytes(std::size_t{1} << 24);
    disk.contents[place] = std::make_shared<Bytes>(bytes.begin(), bytes.end());
    std::size_t taken = 0;
    const Status read = readSpool(disk, place, from, [&](std::uint64_t offset, const Frame& frame) {
        require(offset >= from, "nothing before the asked offset is given");
        require(frame.size == frame.body.size() + sizeof offset + frameOverhead, "the offset is taken off the body");
        taken += frame.size;
    });
    require(taken <= bytes.size(), "no more is given than there is");
    if (!read) requireClear(read.error());
}

/// Frames with checksums that are right, at offsets that may not be.
void readFrames(Input& input) {
    Bytes file;
    std::vector<std::uint64_t> offsets;
    while (!input.empty()) {
        const auto type = static_cast<FrameType>(input.number<std::uint8_t>());
        const bool inPlace = input.below(4) != 0;
        const auto content = input.bytes(input.below(600));
        Bytes body;
        if (inPlace) ByteWriter(body).fixed(static_cast<std::uint64_t>(file.size()));
        ByteWriter(body).bytes(content);
        appendFrame(file, type, body);
        if (body.size() < sizeof(std::uint64_t)) break;
        offsets.push_back(ByteReader(body).fixed<std::uint64_t>());
    }
    MemoryFiles disk;
    disk.contents[place] = std::make_shared<Bytes>(file);
    std::size_t at = 0;
    const Status read = readSpool(disk, place, 0, [&](std::uint64_t offset, const Frame&) {
        require(at < offsets.size() && offset == offsets[at], "whole frames come in their order");
        ++at;
    });
    require(at == offsets.size(), "every whole frame is given");
    if (!read) requireClear(read.error());
}

/// What a spool promises: all bytes from the acknowledged offset on can be read back, whatever the disk does.
void writeAndRead(Input& input) {
    MemoryFiles disk;
    disk.room = input.number<std::uint16_t>();
    const SpoolOptions options{.memoryBytes = input.number<std::uint16_t>(), .recycleBytes = 1 + input.below(8192)};
    Spool spool(disk, place, options);
    Bytes appended;
    std::uint64_t acknowledged = 0;
    while (!input.empty()) {
        const std::size_t what = input.below(4);
        if (what < 2) {
            const auto type = static_cast<FrameType>(input.number<std::uint8_t>());
            const auto content = input.bytes(input.below(2000));
            if (const Status done = spool.append(type, content); !done) {
                requireClear(done.error());
                require(spool.fault().has_value(), "only a spool whose disk failed refuses a frame");
            } else {
                Bytes body;
                ByteWriter(body).fixed(static_cast<std::uint64_t>(appended.size()));
                ByteWriter(body).bytes(content);
                appendFrame(appended, type, body);
            }
        } else if (what == 2) {
            acknowledged += input.number<std::uint16_t>() % (appended.size() - acknowledged + 1);
            spool.acknowledge(acknowledged);
        } else {
            const std::uint64_t from =
                acknowledged + input.number<std::uint16_t>() % (appended.size() - acknowledged + 1);
            const std::size_t most = 1 + input.below(4096);
            const Result<Bytes> read = spool.read(from, most);
            require(read.has_value(), "what was appended can be read");
            require(read->size() <= most && (read->empty() == (from == appended.size())),
                    "some of it, up to what was asked");
            require(std::equal(read->begin(), read->end(), appended.begin() + static_cast<std::ptrdiff_t>(from)),
                    "byte for byte");
        }
        require(spool.end() == appended.size(), "offsets count what was appended");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    switch (input.number<std::uint8_t>() % 3) {
    case 0: readBytes(input); break;
    case 1: readFrames(input); break;
    default: writeAndRead(input);
    }
    return 0;
}
