// SPDX-License-Identifier: Apache-2.0
// Questions of a lesson at a terminal: asked before the experiments that answer them, told after.
#pragma once

#include "app/cli/follow_job.h"
#include "engine/launch/lesson/lesson.h"

#include <cstddef>
#include <set>
#include <span>
#include <string>

namespace shardlab::cli {

class GuessRound {
public:
    /// `asks`: somebody sits at the terminal.
    GuessRound(const Lesson& lesson, bool asks) : lesson_(lesson), asks_(asks) {}

    /// Asks what the experiment, which runs next, and others of `chosen` tell, once each. False: Ctrl+C was pressed.
    bool askBefore(std::size_t experiment, std::span<const std::size_t> chosen, const JobSignals& signals);
    /// Tells how near the guesses were whose answer is there now.
    void tellVerdicts(std::span<const KnownExperiment> known);
    const LessonReader& reader() const { return reader_; }

private:
    bool ask(const LessonQuestion& question, const JobSignals& signals);

    const Lesson& lesson_;
    bool asks_;
    LessonReader reader_;
    std::set<std::string> told_;
};

}  // namespace shardlab::cli
