// SPDX-License-Identifier: Apache-2.0
// Logs of programs that train: any lines as a run, and what a log lists of its program's arguments as a layout.
#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "engine/trace/interchange/step_object.h"
#include "engine/trace/trainers/trainer_target.h"
#include "tests/fuzz/import_target.h"
#include "tests/support/wings.h"

#include <cmath>

using namespace shardlab::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    const unsigned what = input.number<std::uint8_t>() % 4;
    const std::string content(input.rest());
    if (what == 0) {
        const auto line = readStepLine(content);
        require(!line || line->step >= 0, "a step has a number");
        const auto object = readStepObject(content);
        require(!object || object->line.step >= 0, "a step of an object has a number");
        const auto bar = readProgressBar(content);
        require(!bar || (bar->step >= 0 && bar->step <= bar->steps && bar->seconds >= 0), "a bar is not past its end");
        require(readTimerLine(content).size() <= 2, "a timer has the least and the most");
        for (const MemoryLine& each : readMemoryLines(content))
            require(each.rank >= 0 && each.allocated >= 0 && each.peakReserved >= 0, "a rank has memory");
    } else if (what == 1) {
        const auto made = layoutFromFile(scratchFile("train.log", "- arguments -\n  num_layers .. 4\n" + content));
        if (made) require(check(made->layout, scheduleMethods()).empty(), "a layout that is made has no faults");
        else requireClear(made.error());
    } else {
        importFile(scratchFile("train.log", content), what == 2 ? "log" : "");
        importFile(scratchFile("trainer_state.json", "{\"log_history\": [" + content), "log");
    }
    return 0;
}
