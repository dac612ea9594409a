// SPDX-License-Identifier: Apache-2.0
// What names hosts (hostfiles, Slurm's lists, agents), and what comes from them over a trunk.
#include "engine/trace/event/host_clock.h"
#include "engine/launch/hosts/agent.h"
#include "engine/launch/hosts/host_list.h"
#include "engine/launch/hosts/trunk_frames.h"
#include "engine/launch/job/forwarder_setup.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/wings.h"

using namespace shardlab::test;
using namespace shardlab::fuzz;

namespace {

void hostfile(std::string_view text) {
    const auto hosts = parseHostfile(text, "hosts");
    if (!hosts) return requireClear(hosts.error());
    std::string written;
    std::int64_t slots = 0;
    for (const HostSpec& host : *hosts) {
        require(host.devices > 0, "a host has slots");
        slots += host.devices;
        written += host.name + " slots=" + std::to_string(host.devices) + "\n";
    }
    require(slots <= 32767, "ranks can be numbered");
    const auto again = parseHostfile(written, "again");
    require(again && *again == *hosts, "hosts come back");
    const auto half = takeDevices(*hosts, static_cast<int>(slots / 2), "hosts");
    require(half.has_value(), "half of the slots can be taken");
    require(!takeDevices(*hosts, static_cast<int>(slots) + 1, "hosts"), "more than there are cannot");
}

void slurm(std::string_view text) {
    if (const auto names = expandNodelist(text)) {
        require(!names->empty() && names->size() <= 32767, "as many names as there can be hosts");
        for (const std::string& name : *names) require(!name.empty(), "a host has a name");
    } else {
        requireClear(names.error());
    }
    if (const auto counts = expandCounts(text)) {
        require(!counts->empty() && counts->size() <= 32767, "as many counts as there can be hosts");
        for (const int count : *counts) require(count > 0, "a host has slots");
    } else {
        requireClear(counts.error());
    }
}

void agent(std::string_view text) {
    const auto parsed = Agent::parse(text);
    if (!parsed) return require(!parsed.error().what.empty(), "an error says what is wrong");
    const auto words = parsed->command("host", "line");
    require(words.size() >= 2 && words.back() == "line", "the line is one word, the last");
    require(!parsed->script("/tmp/job/lock").empty(), "there is a script");
}

template <class Value>
void body(std::span<const std::byte> bytes) {
    const auto read = decode<Value>(bytes);
    if (!read) return requireClear(read.error());
    const Bytes written = encode(*read);
    const auto again = decode<Value>(written);
    require(again && encode(*again) == written, "what was read is written and read again");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    const int which = input.number<std::uint8_t>() % 9;
    if (which == 0) hostfile(input.rest());
    if (which == 1) slurm(input.rest());
    if (which == 2) agent(input.rest());
    if (which == 3) body<TrunkGreeting>(input.bytes(1 << 16));
    if (which == 4) body<Orders>(input.bytes(1 << 16));
    if (which == 5) body<RankReport>(input.bytes(1 << 16));
    if (which == 6) body<FetchOrder>(input.bytes(1 << 16));
    if (which == 7) {
        const auto setup = readSetup(input.rest());
        setup ? require(readSetup(writeSetup(*setup)).has_value(), "a setup comes back") : requireClear(setup.error());
    }
    if (which == 8) {
        std::vector<HostClock> clocks, again;
        const Status read = readClocks(input.rest(), clocks);
        if (!read) requireClear(read.error());
        else
            require(readClocks(writeClocks(clocks), again).has_value() && again.size() == clocks.size(),
                    "clocks come back");
    }
    return 0;
}
