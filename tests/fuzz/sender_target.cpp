// SPDX-License-Identifier: Apache-2.0
// What another program says of itself: frames of a sender, and the events of a run that are made of them.
#include "engine/trace/interchange/expected_run.h"
#include "engine/launch/serve/sender.h"
#include "engine/launch/serve/stillness.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/wings.h"

using namespace shardlab::test;
using namespace shardlab::fuzz;

namespace {

constexpr int ranks = 4;

const LayoutFit& fit() {
    static const LayoutFit known = [] {
        Layout layout;
        layout.name = "fuzzed";
        layout.parallel.data = 2;
        layout.parallel.pipeline = 2;
        layout.cluster.hosts.front().devices = ranks;
        return LayoutFit(layout);
    }();
    return known;
}

void requireEvent(const Event& event, int rank) {
    require(event.rank == rank, "a program speaks of its own rank");
    require(event.begin >= 0 && event.end >= event.begin, "no event ends before it begins");
    require(event.kind == EventKind::Dropped || mayBeSent(event.kind), "only kinds that may be sent are taken");
    if (event.action != 0 && nameNumber(event.action) == 0)
        require(actionFromId(event.action).kind != ActionKind::None, "an action is of a known kind");
    if (const auto misfit = fit().misfitOf(event)) require(!misfit->empty(), "a misfit is said in a sentence");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    NameTable names([](std::uint32_t number, const std::string&) { require(number > 0, "names count from 1"); });
    Stillness still(ranks, 1'000'000'000);
    const int rank = input.number<std::uint8_t>() % ranks;
    Sender sender({rank, ranks, 1, 0, 0, "", "host"}, input.number<std::int32_t>());
    std::vector<Event> events;
    for (std::int64_t now = 0; !input.empty(); now += 700'000'000) {
        const auto type = static_cast<SenderFrame>(static_cast<int>(SenderFrame::Join) + input.below(5));
        const auto body = input.bytes(input.below(8192));
        if (type == SenderFrame::Join) {
            const Result<SenderJoin> join = decode<SenderJoin>(body);
            if (!join) requireClear(join.error());
            else if (const auto misfit = fit().misfitOf(join->world))
                require(join->world != ranks && !misfit->empty(), "another number of ranks is said in a sentence");
        } else if (type == SenderFrame::Name) {
            const Result<SenderName> name = decode<SenderName>(body);
            if (name) sender.name(*name, names);
            else requireClear(name.error());
        } else if (type == SenderFrame::Events) {
            const Result<SenderEvents> sent = decode<SenderEvents>(body);
            if (!sent) requireClear(sent.error());
            else if (sender.take(*sent, events)) {
                if (!events.empty()) still.recorded(rank, now + 1);
                for (const Event& event : events) requireEvent(event, rank);
            }
        } else if (type == SenderFrame::Doing) {
            const Result<SenderDoing> doing = decode<SenderDoing>(body);
            if (doing) still.doing(rank, *doing);
            else requireClear(doing.error());
            still.joined(rank);
        }
        if (const auto verdict = still.judge(now))
            require(!verdict->text.empty() && verdict->rank < ranks, "who hangs is said");
    }
    return 0;
}
