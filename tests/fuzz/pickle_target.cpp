// SPDX-License-Identifier: Apache-2.0
// Pickles of any bytes, and the flight recorder's dumps of two ranks in either form: an error, or a report.
#include "engine/trace/dumps/flight_dump.h"
#include "engine/trace/dumps/hang_report.h"
#include "engine/trace/interchange/pickle.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/wings.h"

#include <nlohmann/json.hpp>
#include <vector>

using namespace shardlab::test;
using namespace shardlab::fuzz;

namespace {

/// What it took is within small limits, and so is what a pickle that names its values again becomes.
void pickle(std::string_view bytes) {
    const PickleLimits limits{.values = 1000, .text = 4096, .depth = 8};
    const auto read = readPickle(bytes, "input", limits);
    if (!read) return requireClear(read.error());
    require(read->flatten().size() <= limits.values, "a pickle becomes no more values than it may");
}

void dumps(std::string_view first, std::string_view second) {
    std::vector<FlightDump> read;
    for (const auto& [name, bytes] : {std::pair{"dump_0", first}, std::pair{"dump_1.json", second}}) {
        auto dump = readFlightDump(scratchFile(name, bytes));
        if (!dump) return requireClear(dump.error());
        read.push_back(std::move(*dump));
    }
    const auto report = reportHang(read);
    if (!report) return requireClear(report.error());
    require(report->ranks == std::vector{0, 1}, "both ranks are in the report");
    require(!report->text().empty(), "a report says something");
    for (const GroupHang& hang : report->groups) {
        std::size_t members = 0;
        for (const HangSide& side : hang.sides) members += side.ranks.size();
        require(members == hang.members.size(), "every member of a group that waits is on one side");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    if (input.number<std::uint8_t>() % 2 == 0) {
        pickle(input.rest());
    } else {
        const std::string_view first = input.text(input.below(4096));
        dumps(first, input.rest());
    }
    return 0;
}
