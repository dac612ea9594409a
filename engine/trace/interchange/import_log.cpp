// SPDX-License-Identifier: Apache-2.0
// Logs of programs that train: a step for each line that says something of one, its numbers as counters. A log is of
// the whole job, whichever of its ranks wrote it, so that all ranks have its steps.
#include "engine/base/clock.h"
#include "engine/base/parse_text.h"
#include "engine/trace/interchange/import_formats.h"
#include "engine/trace/interchange/log_text.h"
#include "engine/trace/interchange/step_object.h"
#include "engine/trace/interchange/training_log.h"
#include "engine/trace/trainers/megatron_log.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace shardlab::trace {
namespace {

using enum LogQuantity;

constexpr std::int64_t lastTime = std::int64_t{1} << 60;  // ns
constexpr double longestStep = 1e9;                       // s
constexpr std::size_t mostRankSteps = 1'000'000;          ///< lines × ranks that are kept
constexpr std::size_t fewestLines = 200, mostLines = 200'000;

/// Counters that every view knows.
constexpr std::pair<LogQuantity, EventKind> counters[] = {
    {Loss, EventKind::Loss},
    {ValidationLoss, EventKind::ValidationLoss},
    {GradientNorm, EventKind::GradientNorm},
    {LearningRate, EventKind::LearningRate},
    {LossScale, EventKind::LossScale},
    {TokensPerSecond, EventKind::TokensPerSecond},
};

/// A line, and where on the run's clock it lies: at the end of its step.
struct PlacedLine {
    StepLine line;
    std::int64_t end = 0;
    std::optional<std::int64_t> length = {};  ///< of a step
    std::optional<std::int32_t> behind = {};  ///< the later step of the line before, where the program has gone back
};

struct PlacedMemory {
    MemoryLine memory;
    std::int64_t at = 0;
    std::int32_t step = -1;
};

/// The time of one rank; its name is the number of one in LogTimes::timerNames.
struct PlacedTimer {
    std::size_t name = 0;
    int rank = 0;
    double milliseconds = 0;
    std::int64_t at = 0;
    std::int32_t step = -1;
};

/// Lines up to a number; of more than these every second one, every fourth one, and so on.
class KeptLines {
public:
    explicit KeptLines(std::size_t most) : most_(most) {}

    void add(PlacedLine line) {
        if (seen_++ % stride_ != 0) return;
        lines_.push_back(std::move(line));
        if (lines_.size() <= most_) return;
        stride_ *= 2;
        std::size_t index = 0;
        std::erase_if(lines_, [&](const PlacedLine&) { return index++ % 2 != 0; });
    }
    /// The line that came last, where it was kept.
    PlacedLine* newest() { return lines_.empty() || (seen_ - 1) % stride_ != 0 ? nullptr : &lines_.back(); }
    const std::vector<PlacedLine>& all() const { return lines_; }
    std::size_t seen() const { return seen_; }

private:
    std::size_t most_, seen_ = 0, stride_ = 1;
    std::vector<PlacedLine> lines_;
};

/// The lines of a log in the order of the file, as time that passes.
class LogTimes {
public:
    explicit LogTimes(std::size_t mostKept) : lines_(mostKept) {}

    void take(const LoggedArgument& argument) {
        const auto value = parseNumber<std::int64_t>(argument.value);
        constexpr std::int64_t most = std::int64_t{1} << 30;
        if (!value || *value < 1 || *value > most) return;
        if (argument.name == "world_size") world = static_cast<int>(*value);
        if (argument.name == "seq_length") sequence = *value;
        listed = listed || argument.name == "num_layers";
    }

    void take(const std::vector<MemoryLine>& told) {
        for (const MemoryLine& each : told) memory.push_back({.memory = each});
    }

    /// Megatron's timers are told behind their step.
    void take(std::vector<LogNumber> told) {
        constexpr std::size_t most = 256;
        PlacedLine* line = lines_.newest();
        if (line == nullptr || line->line.others.size() >= most) return;
        std::ranges::move(told, std::back_inserter(line->line.others));
    }

    void take(const RankTimer& timer) {
        if (!last_ || !std::isfinite(timer.milliseconds)) return;
        if (timers.size() == mostRankSteps) {
            ++timersLeftOut;
            return;
        }
        const auto name = timerNames.try_emplace(timer.name, timerNames.size()).first;
        timers.push_back({name->second, timer.rank, timer.milliseconds, end_, *last_});
    }

    /// A step that names no number is the one of the progress bar that is drawn behind it.
    void take(const StepObject& object) {
        if (object.numbered) return take(object.line);
        if (object.runtime) return;
        if (waiting_) ++unnumbered;
        waiting_ = object.line;
    }
    void take(const ProgressBar& bar) {
        if (steps_ == 0) steps_ = bar.steps;
        if (bar.steps != steps_ || bar.step < last_.value_or(0)) return;  // that of a validation
        if (!last_ && bar.step == 0 && !waiting_) last_ = 0, clock_ = bar.seconds * nsPerSecond;
        if (!waiting_) return;
        waiting_->step = bar.step;
        waiting_->clock = bar.seconds * nsPerSecond;
        take(*std::exchange(waiting_, std::nullopt));
    }

    void take(StepLine line) {
        if (const int rank = line.rank.value_or(0); rank != writer.value_or(rank))
            return;  // another's lines say the same
        writer = line.rank.value_or(0);
        const bool trains = line[StepSeconds] || line[Loss];
        if (trains && line.step == last_) return;  // nor what ranks say without their numbers
        const auto length = trains ? lengthOf(line) : std::nullopt;
        if (length) pass(line, *length);
        else if (trains) ++untimed;
        const auto behind = trains && last_ && line.step < *last_ ? last_ : std::nullopt;
        if (trains && last_) mostSteps = std::max(mostSteps, count(line));
        if (trains) {
            last_ = line.step;
            clock_ = line.clock;
        }
        tellMemory();
        if (!line[TokensPerSecond] && line[Samples] && sequence > 0 && length)
            line[TokensPerSecond] = *line[Samples] * static_cast<double>(sequence) /
                                    (static_cast<double>(*length) / static_cast<double>(nsPerSecond));
        lines_.add({std::move(line), end_, length, behind});
    }

    /// No line follows.
    void finish() {
        if (waiting_) ++unnumbered;
        tellMemory();
    }

    /// What was told since the last step belongs to it.
    void tellMemory() {
        for (; toldMemory_ < memory.size(); ++toldMemory_) {
            memory[toldMemory_].at = end_;
            memory[toldMemory_].step = last_.value_or(-1);
        }
    }

    const KeptLines& lines() const { return lines_; }

    std::vector<PlacedMemory> memory;
    std::vector<PlacedTimer> timers;
    std::map<std::string, std::size_t> timerNames;
    std::size_t timersLeftOut = 0;
    std::optional<int> writer;  ///< the rank whose lines count
    std::size_t timed = 0, untimed = 0;
    std::size_t unnumbered = 0;  ///< objects that no progress bar followed
    std::int32_t mostSteps = 1;  ///< that a line stood for
    int world = 0;               ///< 0: not told
    std::int64_t sequence = 0;   ///< tokens of a sample; 0: not told
    bool listed = false;         ///< the program's arguments are

private:
    /// How many steps the line stands for.
    std::int32_t count(const StepLine& line) const { return last_ && line.step > *last_ ? line.step - *last_ : 1; }

    /// Nanoseconds of one step. Where no number tells it the times of two lines do.
    std::optional<std::int64_t> lengthOf(const StepLine& line) const {
        if (const auto told = line[StepSeconds])
            return *told > 0 && *told < longestStep
                       ? std::optional<std::int64_t>(std::llround(*told * static_cast<double>(nsPerSecond)))
                       : std::nullopt;
        if (!line.clock || !clock_ || *line.clock <= *clock_) return std::nullopt;
        return (*line.clock - *clock_) / count(line);
    }

    /// What else went on between two lines, a checkpoint or a validation, is seen by their times alone, which are whole
    /// seconds.
    void pass(const StepLine& line, std::int64_t length) {
        const std::int64_t steps = count(line);
        const std::int64_t told = length > lastTime / steps ? lastTime : length * steps;
        const std::int64_t passed = line.clock && clock_ ? *line.clock - *clock_ : 0;
        end_ = std::min(end_ + std::max(told, passed > told + nsPerSecond ? passed : 0), lastTime);
        ++timed;
    }

    KeptLines lines_;
    std::optional<StepLine> waiting_;  ///< for the progress bar that names its step
    std::int32_t steps_ = 0;           ///< of the first progress bar; 0: there was none
    std::size_t toldMemory_ = 0;
    std::optional<std::int32_t> last_;   ///< step of the last line that trained
    std::optional<std::int64_t> clock_;  ///< and its time
    std::int64_t end_ = 0;
};

/// The events of a log.
class LogEvents {
public:
    LogEvents(ForeignTrace& trace, std::string source, const LogTimes& log)
        : trace_(trace), source_(std::move(source)), log_(log) {}

    Status add() {
        if (const Status made = makeProcesses(); !made) return made;
        for (const PlacedLine& placed : log_.lines().all()) {
            if (placed.length) steps(placed);
            numbers(placed);
            if (!status_) return status_;
        }
        for (const PlacedMemory& each : log_.memory) memory(each);
        timers();
        return status_;
    }

private:
    /// One for each rank of the expected layout, or for each that the log names.
    Status makeProcesses() {
        processes_[log_.writer.value_or(0)] = 0;
        for (const PlacedMemory& each : log_.memory) processes_[each.memory.rank] = 0;
        for (const PlacedTimer& each : log_.timers) processes_[each.rank] = 0;
        for (int rank = 0; rank < trace_.expectedRanks(); ++rank) processes_[rank] = 0;
        for (auto& [rank, process] : processes_) {
            if (const Status room = trace_.room(); !room) return room;
            process = trace_.addProcess({.source = source_, .rank = rank, .order = rank});
        }
        writer_ = processes_.at(log_.writer.value_or(0));
        return {};
    }

    void steps(const PlacedLine& placed) {
        const std::int64_t begin = placed.end - *placed.length;
        for (const auto& [rank, process] : processes_) {
            trace_.addStep(process, placed.line.step, begin, placed.end);
            put(process, {.begin = begin, .end = placed.end, .step = placed.line.step, .kind = EventKind::Step});
        }
        // For the timeline, which draws of a step its borders alone.
        named({.begin = begin, .end = placed.end, .step = placed.line.step, .kind = EventKind::Annotation},
              fmt::format("step {}", placed.line.step));
    }

    void numbers(const PlacedLine& placed) {
        const StepLine& line = placed.line;
        const auto at = [&](EventKind kind, double value) {
            return Event{.begin = placed.end, .end = placed.end, .value = value, .step = line.step, .kind = kind};
        };
        for (const auto& [quantity, kind] : counters)
            if (const auto value = line[quantity]; value && std::isfinite(*value)) put(writer_, at(kind, *value));
            else if (value) mark(placed, fmt::format("{} is {}", name(kind), *value));
        if (const auto skipped = line[Skipped]; skipped && *skipped > 0)
            mark(placed,
                 fmt::format("{} {} skipped: a gradient is not finite", *skipped, *skipped == 1 ? "step" : "steps"));
        if (const auto bytes = line[PeakBytes]; bytes && *bytes >= 0 && *bytes < 1e18) {
            Event peak = at(EventKind::MemoryPeak, 0);
            peak.bytes = static_cast<std::int64_t>(*bytes);
            put(writer_, peak);
        }
        if (placed.behind)
            mark(placed, fmt::format("the log goes on at step {}, behind {}", line.step, *placed.behind));
        if (const auto samples = line[Samples]) named(at(EventKind::NamedCounter, *samples), "global batch size");
        for (const LogNumber& each : line.others)
            if (std::isfinite(each.value)) named(at(EventKind::NamedCounter, each.value), each.name);
    }

    void memory(const PlacedMemory& placed) {
        const auto [allocated, peakAllocated, reserved, peakReserved] = std::tie(
            placed.memory.allocated, placed.memory.peakAllocated, placed.memory.reserved, placed.memory.peakReserved);
        const std::uint32_t process = processes_.at(placed.memory.rank);
        const auto at = [&](EventKind kind, std::int64_t bytes) {
            return Event{.begin = placed.at,
                         .end = placed.at,
                         .bytes = bytes,
                         .value = static_cast<double>(bytes),
                         .step = placed.step,
                         .kind = kind};
        };
        put(process, at(EventKind::MemoryPeak, peakAllocated));
        named(at(EventKind::NamedCounter, allocated), "memory allocated", process);
        named(at(EventKind::NamedCounter, reserved), "memory reserved", process);
        named(at(EventKind::NamedCounter, peakReserved), "most memory reserved", process);
    }

    void timers() {
        std::vector<std::string> names(log_.timerNames.size());
        for (const auto& [name, number] : log_.timerNames) names[number] = name + " (ms)";
        for (const PlacedTimer& each : log_.timers)
            named({.begin = each.at,
                   .end = each.at,
                   .value = each.milliseconds,
                   .step = each.step,
                   .kind = EventKind::NamedCounter},
                  names[each.name], processes_.at(each.rank));
    }

    void mark(const PlacedLine& placed, const std::string& text) {
        named({.begin = placed.end, .end = placed.end, .step = placed.line.step, .kind = EventKind::Mark}, text);
    }
    void named(Event event, std::string_view text, std::optional<std::uint32_t> process = {}) {
        event.action = trace_.name(text);
        put(process.value_or(writer_), event);
    }
    void put(std::uint32_t process, Event event) {
        event.lane = Lane::Host;
        if (status_) status_ = trace_.add({.event = event, .process = process});
    }

    ForeignTrace& trace_;
    std::string source_;
    const LogTimes& log_;
    std::map<int, std::uint32_t> processes_;  ///< by rank
    std::uint32_t writer_ = 0;
    Status status_;
};

}  // namespace

Status readLog(const std::filesystem::path& file, ForeignTrace& trace, const ShareWatcher& watcher) {
    const auto ranks = static_cast<std::size_t>(std::max(1, trace.expectedRanks()));
    LogTimes log(std::clamp(mostRankSteps / ranks, fewestLines, mostLines));
    const bool state = isTrainerState(file);
    if (state) {
        Result<std::vector<StepLine>> lines = readTrainerState(file);
        if (!lines) return fail(lines.error());
        for (StepLine& line : *lines) log.take(std::move(line));
    }
    RankTimerReader rankTimers;
    const Status read = state ? Status() : eachLine(file, watcher, [&](std::string_view line) {
        if (const auto argument = loggedArgument(line)) log.take(*argument);
        if (const auto timer = rankTimers.read(line)) log.take(*timer);
        if (line.find(") memory (MB) |") != std::string_view::npos) log.take(readMemoryLines(line));
        else if (const auto object = readStepObject(line)) log.take(*object);
        else if (auto step = readStepLine(line)) log.take(std::move(*step));
        else if (const auto bar = readProgressBar(line)) log.take(*bar);
        else if (auto timers = readTimerLine(line); !timers.empty()) log.take(std::move(timers));
        return true;
    });
    if (!read) return read;
    log.finish();
    const std::string source = file.filename().string();
    if (log.timed == 0)
        return fail({say("cannot import the log"), file.string(),
                     log.lines().seen() > 0 ? say("its lines do not tell how long a step took")
                     : log.unnumbered > 0   ? say("its lines name no step; trainer_state.json does")
                                            : say("no line tells a step with its loss or its time"),
                     say("Lines like “iteration 5/ 100 | elapsed time per iteration (ms): 812.5 | lm loss: 7.1”")});
    if (const Status fits = trace.ofJob(log.world); !fits) return fits;
    if (log.mostSteps > 1)
        trace.note(fmt::format("{}: a line stands for up to {} steps; the step that is drawn has their mean", source,
                               log.mostSteps));
    if (state)
        trace.note(
            fmt::format("{}: each step has the mean of the training that it is of, train_runtime over the steps of "
                        "that",
                        source));
    if (log.timersLeftOut > 0)
        trace.note(fmt::format("{}: {} times of ranks are left out, behind the first {}", source, log.timersLeftOut,
                               log.timers.size()));
    if (log.unnumbered > 0)
        trace.note(fmt::format("{}: {} lines name no step, and are left out", source, log.unnumbered));
    if (log.untimed > 0)
        trace.note(fmt::format("{}: {} of {} lines do not tell how long a step took", source, log.untimed,
                               log.timed + log.untimed));
    if (const std::size_t kept = log.lines().all().size(); kept < log.lines().seen())
        trace.note(fmt::format("{}: {} of {} lines are kept, at even distances", source, kept, log.lines().seen()));
    if (log.listed)
        trace.note(fmt::format("{} lists the program's arguments: shardlab layouts --from {} makes a layout of them",
                               source, source));
    return LogEvents(trace, source, log).add();
}

}  // namespace shardlab::trace
