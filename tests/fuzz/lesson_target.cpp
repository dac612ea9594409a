// SPDX-License-Identifier: Apache-2.0
// Any text as a lesson: an error that says where, or a lesson whose figures can all be filled in.
#include "engine/launch/lesson/lesson.h"
#include "engine/launch/lesson/lesson_text.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/wings.h"

using namespace shardlab;
using namespace shardlab::test;
using namespace shardlab::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto lesson = parseLesson(Input(data, size).rest(), "any");
    if (!lesson) {
        fuzz::requireClear(lesson.error());
        return 0;
    }
    require(!lesson->title.empty(), "a lesson has a title");
    const std::vector<KnownExperiment> known(lesson->experiments.size());
    std::size_t shown = 0;
    const std::string text = lessonText(*lesson, known, [&](std::size_t index) {
        require(!lesson->experiments[index].name.empty(), "an experiment has a name");
        require(!changeText(lesson->experiments[index]).empty(), "an experiment has a layout");
        ++shown;
        return std::string();
    });
    require(shown == lesson->experiments.size(), "every experiment stands in the text once");
    require(text.starts_with("# "), "the text begins with the title");
    return 0;
}
