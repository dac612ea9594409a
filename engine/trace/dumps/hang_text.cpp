// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/dumps/hang_report.h"

#include "engine/layout/mesh/alike.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

namespace shardlab::trace {
namespace {

std::string ranksNamed(const std::vector<int>& ranks) {
    return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", rankList(ranks));
}

std::string inPlace(const std::string& place) { return place.empty() ? "" : ", at " + place; }

std::string sideText(const HangSide& side) {
    using enum HangSide::Where;
    const std::string instead = side.call.empty() ? "" : ", asking for " + side.call + " instead";
    switch (side.where) {
    case Started: return "started" + instead + inPlace(side.place);
    case Scheduled: return "asked for" + instead + inPlace(side.place);
    case Completed: return "completed" + instead + inPlace(side.place);
    case NoDump: return "no dump";
    case Missing: break;
    }
    const std::string last = side.call.empty() ? "no collective of the group is recorded" : "the last was " + side.call;
    return "not asked for, " + last + (side.place.empty() ? "" : "; the last call of any group at " + side.place);
}

std::string conclusion(const HangReport& report) {
    if (!report.hangs()) return "No collective and no message is under way: nothing hangs";
    const auto mismatch = std::ranges::find_if(report.groups, &GroupHang::mismatch);
    if (mismatch != report.groups.end())
        return fmt::format("Ranks of group {} ask for different collectives under one number", mismatch->group);
    std::vector<int> dumped, undumped;
    for (const int rank : report.blamed)
        (std::ranges::binary_search(report.ranks, rank) ? dumped : undumped).push_back(rank);
    if (!dumped.empty())
        return fmt::format("The others wait for {}, which wait{} for nobody", ranksNamed(dumped),
                           dumped.size() == 1 ? "s" : "");
    if (!undumped.empty())
        return fmt::format("The others wait for {}, of which there is no dump", ranksNamed(undumped));
    const bool missing = std::ranges::any_of(report.groups, [](const GroupHang& group) {
        return std::ranges::any_of(group.sides, [](const HangSide& s) { return s.where == HangSide::Where::Missing; });
    });
    if (missing) return "Every rank that others wait for waits itself: groups are called in different orders";
    return "Every rank has asked for what is under way: it is slow, or a link or a device fails";
}

/// "2026-11-25 20:00:46 UTC".
std::string dayAndTime(std::int64_t nanoseconds) {
    return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(static_cast<std::time_t>(nanoseconds / 1'000'000'000)));
}

}  // namespace

std::string HangReport::text() const {
    std::string text = conclusion(*this) + ".\n";
    text += fmt::format("{} dump{} of {}, {} calls, format {}\n", ranks.size(), ranks.size() == 1 ? "" : "s",
                        ranksNamed(ranks), calls, version);
    for (const GroupHang& hang : groups) {
        text += fmt::format("\ngroup {}, {}: {}{}\n", hang.group, ranksNamed(hang.members), hang.call,
                            hang.created > 0 ? ", since " + dayAndTime(hang.created) : "");
        for (const HangSide& side : hang.sides)
            text += fmt::format("  {}: {}\n", ranksNamed(side.ranks), sideText(side));
    }
    if (!messages.empty()) text += "\nmessages\n";
    for (const MessageHang& hang : messages)
        text += fmt::format("  rank {}: in {} of group {}{}{}{}\n", hang.rank, hang.call, hang.group,
                            inPlace(hang.place), hang.peerStands.empty() ? "" : "; ", hang.peerStands);
    if (!quiet.empty()) text += "\nall completed\n";
    for (const QuietGroup& each : quiet)
        text += fmt::format("  group {}, {}: the last was {}\n", each.group, ranksNamed(each.members), each.last);
    return text;
}

}  // namespace shardlab::trace
