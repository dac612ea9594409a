// SPDX-License-Identifier: Apache-2.0
#include "engine/base/clock.h"
#include "engine/trace/dumps/hang_report.h"

#include "engine/layout/mesh/alike.h"

#include <algorithm>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

namespace shardlab::trace {
namespace {

Sentence ranksNamed(const std::vector<int>& ranks) {
    return ranks.size() == 1 ? say("rank {}", ranks.front()) : say("ranks {}", rankList(ranks));
}

Sentence inPlace(const Sentence& said, const std::string& place) {
    return place.empty() ? said : say("{}, at {}", said, place);
}

Sentence sideText(const HangSide& side) {
    using enum HangSide::Where;
    if (side.where == NoDump) return say("no dump");
    if (side.where == Missing) {
        const Sentence last = side.call.empty() ? say("not asked for, no collective of the group is recorded")
                                                : say("not asked for, the last was {}", side.call);
        return side.place.empty() ? last : say("{}; the last call of any group at {}", last, side.place);
    }
    const Sentence came = side.where == Started     ? say("started")
                          : side.where == Scheduled ? say("asked for")
                                                    : say("completed");
    return inPlace(side.call.empty() ? came : say("{}, asking for {} instead", came, side.call), side.place);
}

Sentence conclusion(const HangReport& report) {
    if (!report.hangs()) return say("No collective and no message is under way: nothing hangs.");
    const auto mismatch = std::ranges::find_if(report.groups, &GroupHang::mismatch);
    if (mismatch != report.groups.end())
        return say("Ranks of group {} ask for different collectives under one number.", mismatch->group);
    std::vector<int> dumped, undumped;
    for (const int rank : report.blamed)
        (std::ranges::binary_search(report.ranks, rank) ? dumped : undumped).push_back(rank);
    if (dumped.size() == 1) return say("The others wait for rank {}, which waits for nobody.", dumped.front());
    if (!dumped.empty()) return say("The others wait for {}, which wait for nobody.", ranksNamed(dumped));
    if (!undumped.empty()) return say("The others wait for {}, of which there is no dump.", ranksNamed(undumped));
    const bool missing = std::ranges::any_of(report.groups, [](const GroupHang& group) {
        return std::ranges::any_of(group.sides, [](const HangSide& s) { return s.where == HangSide::Where::Missing; });
    });
    if (missing) return say("Every rank that others wait for waits itself: groups are called in different orders.");
    return say("Every rank has asked for what is under way: it is slow, or a link or a device fails.");
}

/// "2026-11-25 20:00:46 UTC".
std::string dayAndTime(std::int64_t nanoseconds) {
    return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(static_cast<std::time_t>(nanoseconds / nsPerSecond)));
}

}  // namespace

std::vector<Sentence> HangReport::lines() const {
    const Sentence asked = calls == 1 ? say("1 call") : say("{} calls", calls);
    std::vector<Sentence> lines{conclusion(*this)};
    lines.push_back(ranks.size() == 1
                        ? say("1 dump of {}, {}, format {}", ranksNamed(ranks), asked, version)
                        : say("{} dumps of {}, {}, format {}", ranks.size(), ranksNamed(ranks), asked, version));
    const auto head = [&](Sentence line) {
        lines.emplace_back();
        lines.push_back(std::move(line));
    };
    for (const GroupHang& hang : groups) {
        const Sentence waits = say("group {}, {}: {}", hang.group, ranksNamed(hang.members), hang.call);
        head(hang.created > 0 ? say("{}, since {}", waits, dayAndTime(hang.created)) : waits);
        for (const HangSide& side : hang.sides)
            lines.push_back(say("  {}: {}", ranksNamed(side.ranks), sideText(side)));
    }
    if (!messages.empty()) head(say("messages"));
    for (const MessageHang& hang : messages) {
        const Sentence waits =
            inPlace(say("  rank {}: in {} of group {}", hang.rank, hang.call, hang.group), hang.place);
        lines.push_back(hang.peerStands.empty() ? waits : say("{}; {}", waits, hang.peerStands));
    }
    if (!quiet.empty()) head(say("all completed"));
    for (const QuietGroup& each : quiet)
        lines.push_back(say("  group {}, {}: the last was {}", each.group, ranksNamed(each.members), each.last));
    return lines;
}

std::string HangReport::text() const {
    std::string text;
    for (const Sentence& line : lines()) text += line.english() + "\n";
    return text;
}

}  // namespace shardlab::trace
