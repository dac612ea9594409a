// SPDX-License-Identifier: Apache-2.0
// Text into actions and schedules: one action, our CSV, torch's, the lines of a layout; whatever can be read is written
// and read again, judged, drawn, and where it can run, lowered.
#include "engine/layout/schedule/custom.h"
#include "engine/layout/schedule/passes.h"
#include "engine/layout/schedule/text.h"
#include "engine/layout/schedule/validate.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/wings.h"

using namespace shardlab::test;
using namespace shardlab::fuzz;

namespace {

constexpr int mostCells = 4096;  ///< stages × microbatches that are drawn

void action(std::string_view text) {
    const Result<Action> read = parseAction(text);
    if (!read) return requireClear(read.error());
    require(toText(*read) == text, "an action is written as it was read");
    require(actionFromId(actionId(*read)) == *read, "an action comes back from its number");
    if (isSend(read->kind)) require(otherEnd(otherEnd(*read)) == *read, "the other end's other end is this one");
}

/// Compute that can run is right in all lowered forms too.
void lowered(const Schedule& compute) {
    const ScheduleShape shape{.ranks = static_cast<int>(compute.ranks.size()),
                              .chunks = compute.stages() / static_cast<int>(compute.ranks.size()),
                              .microbatches = compute.microbatches};
    if (findMisfit(compute, shape)) return;
    for (const int zero : {0, 1, 2, 3}) {
        const LowerOptions options{
            .dataParallel = true, .tiedEmbedding = zero % 2 == 0, .norm = true, .buckets = zero == 0, .zero = zero};
        require(!findWrong(lower(compute, options)), "a schedule that can run can be lowered");
    }
}

void schedule(const Schedule& read) {
    const Result<Schedule> again = parseCsv(toCsv(read));
    require(again && *again == read, "a schedule comes back as it was written");
    if (read.stages() > mostCells / std::max(read.microbatches, 1)) return;
    const std::optional<Finding> wrong = findWrong(read);
    require(validate(read).has_value() == !wrong, "a schedule is valid where nothing is wrong with it");
    require(!toGrid(read).empty(), "a schedule can be drawn");
    if (!wrong) return lowered(read);
    require(!wrong->why.empty(), "a finding says why");
    static_cast<void>(placeOf(read, *wrong));
    static_cast<void>(pictureOf(read, *wrong));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = Input(data, size).rest();
    action(text.substr(0, text.find_first_of(",\n")));
    if (const Result<Schedule> strict = parseCsv(text)) schedule(*strict);
    else requireClear(strict.error());
    const Result<ImportedSchedule> imported = importCsv(text);
    if (!imported) {
        requireClear(imported.error());
        return 0;
    }
    for (const Sentence& note : imported->notes) require(!note.empty(), "a note says something");
    schedule(imported->compute);
    const Result<Schedule> lines = scheduleOfLines(actionLines(imported->compute));
    require(lines && *lines == imported->compute, "a layout's lines are the schedule");
    return 0;
}
