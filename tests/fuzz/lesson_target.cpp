// SPDX-License-Identifier: Apache-2.0
// Any text as a lesson: an error that says where, or a lesson whose figures can all be filled in.
#include "engine/launch/lesson/handout.h"
#include "engine/launch/lesson/lesson.h"
#include "engine/launch/lesson/lesson_text.h"
#include "engine/launch/lesson/what_if_picture.h"
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
    const LessonReader nobody;
    const auto other = [&](const LessonBlock& block) {
        ++shown;
        if (block.kind == LessonBlock::Kind::Question) {
            const LessonQuestion& question = lesson->questions[block.index];
            require(!question.text.empty() && !question.experiments.empty(), "a question asks about an experiment");
            require(!measuredAnswer(question, known), "nobody knows the answer before a run");
            require(isGuess(question, question.from) || question.kind != QuestionKind::Slider,
                    "a slider's end is a guess");
            return std::string();
        }
        if (block.kind == LessonBlock::Kind::Step) {
            const LessonStep& step = lesson->steps[block.index];
            require(!step.conditions.empty(), "something tells that a step is done");
            static_cast<void>(isDone(step, Layout(), {}, known));
            return std::string();
        }
        if (block.kind == LessonBlock::Kind::WhatIf) {
            const LessonWhatIf& whatIf = lesson->whatIfs[block.index];
            const WhatIfAnswer answer = WhatIfPlanner(whatIf).answer(whatIf.start());
            require(answer.faults.empty() && answer.planned, "a what-if starts from a legal layout");
            require(whatIfPicture(whatIf, answer, {}).svg.ends_with("</svg>\n"), "a picture is whole");
            require(nearestLegal(whatIf, whatIf.start()) == whatIf.start(), "nothing legal is nearer than the place");
            return std::string();
        }
        require(!lesson->experiments[block.index].name.empty(), "an experiment has a name");
        require(!differenceWords(*lesson, lesson->experiments[block.index]).empty(), "an experiment has a layout");
        return std::string();
    };
    const std::string text = lessonText(*lesson, known, other, &nobody);
    require(shown ==
                lesson->experiments.size() + lesson->questions.size() + lesson->steps.size() + lesson->whatIfs.size(),
            "every experiment, question, step and what-if stands in the text once");
    require(handout(*lesson, known, nobody).ends_with("</html>\n"), "a handout is whole");
    for (const std::string& idea : ideas(text)) require(!idea.empty(), "an idea says something");
    require(text.starts_with("# "), "the text begins with the title");
    return 0;
}
