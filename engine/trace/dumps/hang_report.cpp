// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/dumps/hang_report.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

namespace shardlab::trace {
namespace {

using Where = HangSide::Where;

/// What one rank did in one group, its collectives by number. Several that were sent together share one.
struct GroupMember {
    std::map<std::int64_t, std::vector<const DumpedCall*>> collectives;
    std::vector<const DumpedCall*> messages;  ///< that are not completed

    std::optional<std::int64_t> firstWaiting() const {
        for (const auto& [number, calls] : collectives)
            if (!over(calls)) return number;
        return std::nullopt;
    }
    static bool over(const std::vector<const DumpedCall*>& calls) {
        return std::ranges::all_of(calls,
                                   [](const DumpedCall* call) { return call->state == DumpedCall::State::Completed; });
    }
};

struct DumpedGroupRanks {
    std::string title;
    std::set<int> members;
    std::map<int, GroupMember> dumped;
};

const DumpedCall& waiting(const std::vector<const DumpedCall*>& calls) {
    const auto first =
        std::ranges::find_if(calls, [](const DumpedCall* c) { return c->state != DumpedCall::State::Completed; });
    return first == calls.end() ? *calls.back() : **first;
}

/// The operation and its number, with the shapes where all ranks of such a collective have the same ones.
bool sameShapes(const std::string& operation) {
    for (const char* each : {"all_reduce", "_all_gather_base", "_reduce_scatter_base", "allreduce_coalesced"})
        if (operation == each) return true;
    return false;
}
std::string callKind(const std::vector<const DumpedCall*>& calls) {
    std::string kind;
    for (const DumpedCall* call : calls) {
        kind += (kind.empty() ? "" : " + ") + call->operation;
        if (sameShapes(call->operation) && !call->shapes.empty()) kind += " of " + call->shapes;
    }
    return kind;
}
Sentence named(const DumpedCall& call) {
    if (call.shapes.empty()) return fmt::format("{} {}", call.operation, call.number);
    return say("{} {} of {}", call.operation, call.number, call.shapes);
}

std::map<std::string, DumpedGroupRanks> gatherGroups(std::span<const FlightDump> dumps) {
    std::map<std::string, DumpedGroupRanks> groups;
    for (const FlightDump& dump : dumps) {
        for (const DumpedCall& call : dump.calls) {
            DumpedGroupRanks& group = groups[call.group];
            GroupMember& member = group.dumped[dump.rank];
            if (!call.message) member.collectives[call.number].push_back(&call);
            else if (call.state != DumpedCall::State::Completed) member.messages.push_back(&call);
            group.members.insert(dump.rank);
        }
    }
    for (const FlightDump& dump : dumps) {
        for (const auto& [name, told] : dump.groups) {
            const auto found = groups.find(name);
            if (found == groups.end()) continue;
            DumpedGroupRanks& group = found->second;
            group.members.insert(told.ranks.begin(), told.ranks.end());
            if (std::ranges::binary_search(told.ranks, dump.rank)) group.dumped[dump.rank];
            if (group.title.empty() && !told.description.empty()) group.title = name + " (" + told.description + ")";
        }
    }
    for (auto& [name, group] : groups)
        if (group.title.empty()) group.title = name;
    return groups;
}

class HangFinder {
public:
    explicit HangFinder(std::span<const FlightDump> dumps) : groups_(gatherGroups(dumps)) {
        for (const FlightDump& dump : dumps) dumps_[dump.rank] = &dump;
    }

    HangReport report() {
        for (const auto& [rank, dump] : dumps_) {
            report_.ranks.push_back(rank);
            report_.calls += dump->calls.size();
            report_.version = dump->version;
        }
        for (const auto& [name, group] : groups_) {
            collectives(group);
            for (const auto& [rank, member] : group.dumped)
                for (const DumpedCall* call : member.messages) message(group, rank, *call);
        }
        std::ranges::stable_sort(report_.groups, {}, &GroupHang::created);
        std::ranges::stable_sort(report_.messages, {}, &MessageHang::rank);
        for (const int rank : awaited_)
            if (!waits_.contains(rank)) report_.blamed.push_back(rank);
        return std::move(report_);
    }

private:
    void collectives(const DumpedGroupRanks& group) {
        std::optional<std::int64_t> number;
        std::int64_t last = -1;
        std::string lastCall;
        for (const auto& [rank, member] : group.dumped) {
            if (const auto first = member.firstWaiting(); first && (!number || *first < *number)) number = first;
            if (!member.collectives.empty() && member.collectives.rbegin()->first > last) {
                last = member.collectives.rbegin()->first;
                lastCall = fmt::format("{} {}", member.collectives.rbegin()->second.back()->operation, last);
            }
        }
        std::vector<int> members(group.members.begin(), group.members.end());
        if (number) hang(group, std::move(members), *number);
        else if (last >= 0) report_.quiet.push_back({group.title, std::move(members), lastCall});
    }

    void hang(const DumpedGroupRanks& group, std::vector<int> members, std::int64_t number) {
        GroupHang hang;
        hang.group = group.title;
        hang.members = std::move(members);
        std::map<std::string, int> kinds;
        std::map<std::string, Sentence> callOfKind;
        for (const auto& [rank, member] : group.dumped) {
            const auto at = member.collectives.find(number);
            if (at == member.collectives.end()) continue;
            const DumpedCall& call = waiting(at->second);
            ++kinds[callKind(at->second)];
            callOfKind.emplace(callKind(at->second), named(call));
            if (call.created > 0 && (hang.created == 0 || call.created < hang.created)) hang.created = call.created;
        }
        const auto most = std::ranges::max_element(kinds, {}, [](const auto& kind) { return kind.second; });
        hang.mismatch = kinds.size() > 1;
        hang.call = callOfKind[most->first];
        for (const int rank : hang.members) side(hang, group, rank, number, most->first);
        std::ranges::stable_sort(hang.sides, {}, &HangSide::where);
        report_.groups.push_back(std::move(hang));
    }

    void side(GroupHang& hang, const DumpedGroupRanks& group, int rank, std::int64_t number, const std::string& usual) {
        HangSide side;
        const auto found = group.dumped.find(rank);
        if (!dumps_.contains(rank)) {
            side.where = Where::NoDump;
            awaited_.insert(rank);
        } else if (found == group.dumped.end() || found->second.collectives.empty() ||
                   found->second.collectives.rbegin()->first < number) {
            awaited_.insert(rank);
            const auto& calls = dumps_.at(rank)->calls;
            if (found != group.dumped.end() && !found->second.collectives.empty())
                side.call = named(*found->second.collectives.rbegin()->second.back());
            if (!calls.empty()) side.place = calls.back().place;
        } else if (const auto at = found->second.collectives.find(number); at == found->second.collectives.end()) {
            side.where = Where::Completed;  // Overwritten by later ones.
        } else {
            const DumpedCall& call = waiting(at->second);
            side.where = call.state == DumpedCall::State::Completed ? Where::Completed
                         : call.state == DumpedCall::State::Started ? Where::Started
                                                                    : Where::Scheduled;
            if (callKind(at->second) != usual) side.call = named(call);
            side.place = call.place;
            if (side.where != Where::Completed) waits_.insert(rank);
        }
        const auto same = std::ranges::find_if(hang.sides, [&](const HangSide& other) {
            return other.where == side.where && other.call == side.call && other.place == side.place;
        });
        if (same == hang.sides.end()) {
            hang.sides.push_back(std::move(side));
            hang.sides.back().ranks.push_back(rank);
        } else {
            same->ranks.push_back(rank);
        }
    }

    /// "send 0->1" and "recv 1<-0" name ranks of the group. The other end's name is how the call's own reads from
    /// there.
    void message(const DumpedGroupRanks& group, int rank, const DumpedCall& call) {
        MessageHang hang;
        hang.rank = rank;
        hang.group = group.title;
        hang.place = call.place;
        hang.call = call.shapes.empty() ? call.operation : say("{} of {}", call.operation, call.shapes);
        waits_.insert(rank);
        const bool sends = call.operation.starts_with("send ");
        const std::size_t arrow = call.operation.find(sends ? "->" : "<-");
        std::size_t other = 0;
        const char* end = call.operation.data() + call.operation.size();
        if (arrow != std::string::npos &&
            std::from_chars(call.operation.data() + arrow + 2, end, other).ec == std::errc() &&
            other < group.members.size()) {
            hang.peer = *std::next(group.members.begin(), static_cast<std::ptrdiff_t>(other));
            hang.peerStands = peer(group, rank, hang.peer, sends);
        }
        report_.messages.push_back(std::move(hang));
    }

    Sentence peer(const DumpedGroupRanks& group, int rank, int peer, bool sends) {
        const auto numberIn = [&](int each) { return std::distance(group.members.begin(), group.members.find(each)); };
        if (!dumps_.contains(peer)) {
            awaited_.insert(peer);
            return say("of rank {} there is no dump", peer);
        }
        const std::string wanted =
            fmt::format("{} {}{}{}", sends ? "recv" : "send", numberIn(peer), sends ? "<-" : "->", numberIn(rank));
        const auto found = group.dumped.find(peer);
        const bool there = found != group.dumped.end() &&
                           std::ranges::any_of(found->second.messages,
                                               [&](const DumpedCall* call) { return call->operation == wanted; });
        if (there) return say("rank {} waits in {}", peer, wanted);
        awaited_.insert(peer);
        return say("rank {} waits in no {}", peer, wanted);
    }

    std::map<std::string, DumpedGroupRanks> groups_;
    std::map<int, const FlightDump*> dumps_;
    std::set<int> awaited_, waits_;
    HangReport report_;
};

}  // namespace

Result<HangReport> reportHang(std::span<const FlightDump> dumps) {
    if (dumps.empty())
        return fail({say("nothing to report"), "", say("no dump was named"), say("Dumps of a job, one file per rank")});
    std::set<int> ranks;
    for (const FlightDump& dump : dumps) {
        if (!ranks.insert(dump.rank).second)
            return fail({say("cannot report on the dumps together"), "", say("two are of rank {}", dump.rank),
                         say("One dump per rank, the rank at the end of the file's name")});
        if (dump.version != dumps.front().version)
            return fail({say("cannot report on the dumps together"), "",
                         say("rank {} wrote format {}, rank {} format {}", dumps.front().rank, dumps.front().version,
                             dump.rank, dump.version),
                         say("Dumps of one job, written by one version of PyTorch")});
    }
    return HangFinder(dumps).report();
}

}  // namespace shardlab::trace
