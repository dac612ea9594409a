// SPDX-License-Identifier: Apache-2.0
// What programs write of a step as an object: a line of JSON or of Python's print, {"step": 10, "loss": 2.5}, and the
// list log_history in the trainer_state.json of Hugging Face.
#pragma once

#include "engine/trace/interchange/training_log.h"

namespace shardlab::trace {

struct StepObject {
    StepLine line;
    bool numbered = false;          ///< it says of which step it is; else line.step is 0
    std::optional<double> runtime;  ///< seconds of the training that ends with this step, where it sums one up
    std::optional<double> rate;     ///< steps a second of that, rounded to a thousandth
};

/// An object that is taken off the beginning of `text`, without what lies deeper in it. None, and `text` as it was: it
/// is no object, does not end, or says nothing of a step.
std::optional<StepObject> takeStepObject(std::string_view& text);
/// The whole line is one.
std::optional<StepObject> readStepObject(std::string_view line);

/// "10/100 [00:05<00:45, 1.98it/s]" of a progress bar.
struct ProgressBar {
    std::int32_t step = 0, steps = 0;
    std::int64_t seconds = 0;  ///< since it began
};
std::optional<ProgressBar> readProgressBar(std::string_view line);

/// The file is a trainer_state.json of Hugging Face.
bool isTrainerState(const std::filesystem::path& file);
/// The steps of its log_history; how long one took is the mean of the run. Errors: the list is damaged, tells no step,
/// or the run has not come to its end, which tells how long it took.
Result<std::vector<StepLine>> readTrainerState(const std::filesystem::path& file);

}  // namespace shardlab::trace
