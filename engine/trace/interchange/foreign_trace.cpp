// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/foreign_trace.h"

#include "engine/base/clock.h"
#include "engine/base/most_ranks.h"
#include "engine/layout/layout_file.h"
#include "engine/trace/event/legal_time.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <unistd.h>

namespace shardlab::trace {
namespace {

constexpr std::size_t mostNames = 1'000'000;
constexpr std::size_t mostNameBytes = std::size_t{256} << 20;
constexpr std::size_t longestName = 4096;
constexpr std::size_t mostThreads = 1'000'000;
constexpr std::size_t mostIgnoredKinds = 1000;
constexpr std::size_t batchEvents = 4096;
constexpr std::int64_t eventsBetweenQuestions = 1 << 17;
/// Another program's clock may count from anywhere: its times lie within 146 years, so that no difference of two
/// overflows.
constexpr std::int64_t latest = std::int64_t{1} << 62;

constexpr std::string_view tooLarge = "events whose times are too large";

bool onClock(std::int64_t begin, std::int64_t end) { return begin > -latest && end < latest; }

EventKind outermostKind(Lane lane, EventKind computing) {
    switch (lane) {
    case Lane::Compute: return computing;
    case Lane::Comm: return EventKind::Collective;
    case Lane::Copy: return EventKind::MemoryCopy;
    case Lane::Host: break;
    }
    return EventKind::Operation;
}

std::string labelOf(const ForeignProcess& process, int rank) {
    if (!process.rank || *process.rank == rank) return process.label;
    return fmt::format("rank {}{}{}", *process.rank, process.label.empty() ? "" : " · ", process.label);
}

}  // namespace

Error ForeignTrace::refusalOf(const std::string& where, Sentence why, Sentence legal) {
    return {say("cannot import the trace"), where, std::move(why), std::move(legal)};
}

Error ForeignTrace::misfit(Sentence why) {
    return refusalOf("", std::move(why), say("The layout that the traces' program trained, or none"));
}

ForeignTrace::ForeignTrace(std::filesystem::path folder, const std::optional<ExpectedRun>& expected)
    : sorter_(std::move(folder)), expected_(expected) {
    if (!expected_) return;
    fit_.emplace(expected_->header.layout);
    order_.emplace(*expected_);
}

Status ForeignTrace::fits(int world) const {
    const auto why = fit_ ? fit_->misfitOf(world) : std::nullopt;
    return why ? Status(fail(misfit(*why))) : Status();
}

std::uint32_t ForeignTrace::addProcess(ForeignProcess process) {
    processes_.push_back(std::move(process));
    timing_.emplace_back();
    return static_cast<std::uint32_t>(processes_.size() - 1);
}

Status ForeignTrace::room() const {
    if (processes_.size() <= std::size_t{mostRanks}) return {};
    return fail(refusalOf(processes_.back().source,
                          say("it is one process more than the {} that a run can have as ranks", mostRanks),
                          say("Traces of fewer processes")));
}

ActionId ForeignTrace::name(std::string_view text) {
    static constexpr std::string_view another = "(another name)";
    if (text.empty()) return 0;
    text = text.substr(0, longestName);
    const auto known = names_.find(std::string(text));
    if (known != names_.end()) return namedId(known->second);
    if ((names_.size() >= mostNames || nameBytes_ >= mostNameBytes) && text != another) return name(another);
    nameBytes_ += text.size();
    const auto number = static_cast<std::uint32_t>(names_.size() + 1);
    const auto added = names_.emplace(std::string(text), number).first;
    namesInOrder_.push_back(&added->first);
    return namedId(number);
}

Sentence ForeignTrace::called(const ForeignEvent& event) const {
    const std::uint32_t number = nameNumber(event.event.action);
    const Sentence kind = termOf(trace::name(event.event.kind));
    return number == 0 || number > namesInOrder_.size() ? say("a {}", kind)
                                                        : say("the {} \"{}\"", kind, *namesInOrder_[number - 1]);
}

Status ForeignTrace::add(const ForeignEvent& event) {
    if (event.event.end < event.event.begin) {
        ignored("spans that end before they begin");
        return {};
    }
    if (!onClock(event.event.begin, event.event.end)) {
        if (ignored_.find(tooLarge) == ignored_.end())
            note(fmt::format(
                "left out: {} of {}, from {} to {} ns, and whatever else lies 146 years from its clock's zero",
                called(event), processes_[event.process].source, event.event.begin, event.event.end));
        ignored(tooLarge);
        return {};
    }
    ForeignProcess& process = processes_[event.process];
    process.first = std::min(process.first, event.event.begin);
    process.last = std::max(process.last, event.event.end);
    if (!event.predicted) first_ = std::min(first_, event.event.begin);
    if (event.event.kind == EventKind::Kernel) process.device = true;
    return sorter_.add(event);
}

void ForeignTrace::addStep(std::uint32_t process, std::int32_t step, std::int64_t begin, std::int64_t end) {
    if (begin <= end && onClock(begin, end)) timing_[process].steps.push_back({begin, end, step});
}

void ForeignTrace::addLaunch(std::uint32_t process, std::uint32_t number, std::int64_t time) {
    timing_[process].launches.push_back({number, time});
}

void ForeignTrace::addMemory(std::uint32_t process, std::int64_t time, std::int64_t bytes) {
    timing_[process].memory.push_back({time, bytes});
}

std::uint32_t ForeignTrace::thread(std::uint32_t process, std::string_view name) {
    std::string key = fmt::format("{}/{}", process, name);
    const auto known = threadNumbers_.find(key);
    if (known != threadNumbers_.end()) return known->second;
    if (threadNumbers_.size() >= mostThreads) return mostThreads;
    const auto number = static_cast<std::uint32_t>(threadNumbers_.size());
    return threadNumbers_.emplace(std::move(key), number).first->second;
}

void ForeignTrace::setLane(std::uint32_t process, std::uint32_t thread, Lane lane) {
    lanes_[thread] = lane;
    if (lane == Lane::Compute) processes_[process].device = true;
}

void ForeignTrace::ignored(std::string_view what, std::int64_t count) {
    static constexpr std::string_view more = "things of more kinds than are told apart";
    const auto known = ignored_.find(what);
    if (known != ignored_.end()) known->second += count;
    else if (ignored_.size() >= mostIgnoredKinds && what != more) ignored(more, count);
    else ignored_.emplace(what, count);
}

RunHeader ForeignTrace::header(std::string_view origin, const std::vector<std::string>& files,
                               const std::vector<int>& ranks) const {
    RunHeader header = foreignHeader(origin, expected_);
    if (expected_) return header;
    header.layout.name =
        files.front() + (files.size() > 1 ? fmt::format(" and {} more", files.size() - 1) : std::string());
    const int count = ranks.empty() ? 0 : *std::ranges::max_element(ranks) + 1;
    header.layout.parallel.data = count;
    header.layout.parallel.pipeline = 1;
    std::vector<const ForeignProcess*> inOrder(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < processes_.size(); ++i) inOrder[static_cast<std::size_t>(ranks[i])] = &processes_[i];
    auto& hosts = header.layout.cluster.hosts;
    hosts.clear();
    for (const ForeignProcess* process : inOrder) {
        const std::string host = process->host.empty() ? "unknown host" : process->host;
        if (hosts.empty() || hosts.back().name != host) hosts.push_back({host, 0});
        ++hosts.back().devices;
    }
    header.layoutJson = writeLayout(header.layout);
    return header;
}

std::int32_t ForeignTrace::stepOf(const ForeignEvent& event) const {
    const Timing& timing = timing_[event.process];
    std::int64_t time = event.event.begin;
    if (event.launch != 0) {
        const auto launch = std::ranges::lower_bound(timing.launches, event.launch, {}, &Launch::number);
        if (launch != timing.launches.end() && launch->number == event.launch) time = launch->time;
    }
    const auto after = std::ranges::upper_bound(timing.steps, time, {}, &StepRange::begin);
    if (after == timing.steps.begin() || (after - 1)->end <= time) return -1;
    return (after - 1)->step;
}

void ForeignTrace::place(ForeignEvent& foreign) {
    Event& event = foreign.event;
    if (foreign.acts) {
        std::int64_t& until = acting_.emplace(foreign.process, event.end).first->second;
        until = std::max(until, event.end);
    } else if (const auto acting = acting_.find(foreign.process);
               acting != acting_.end() && event.begin < acting->second) {
        if (event.kind != EventKind::Annotation) foreign.outermost = EventKind::None;
        if (event.kind == EventKind::Kernel) {
            event.kind = EventKind::Operation;
            event.lane = Lane::Host;
        }
    }
    if (foreign.outermost != EventKind::None) {
        Thread& thread = threads_[{foreign.process, foreign.thread}];
        if (event.kind == EventKind::Annotation) {
            thread.optimizing = std::max(thread.optimizing, event.end);
        } else if (event.begin >= thread.until) {
            thread.until = event.end;
            if (const auto told = lanes_.find(foreign.thread); told != lanes_.end()) {
                event.lane = told->second;
                event.kind = outermostKind(told->second, foreign.outermost);
            } else if (!processes_[foreign.process].device) {
                event.kind = event.begin < thread.optimizing ? EventKind::Optimizer : foreign.outermost;
                event.lane = Lane::Compute;
            }
        }
    }
    if (event.step < 0) event.step = stepOf(foreign);
}

Status ForeignTrace::number(ForeignEvent& foreign) {
    Event& event = foreign.event;
    if (order_ && event.kind == EventKind::Optimizer)
        if (const auto update = order_->action(event.rank, event.kind, 0)) event.action = actionId(*update);
    if (!foreign.stageOfRank) return {};
    Action action = actionFromId(event.action);
    action.stage = fit_ ? fit_->place(event.rank) : event.rank;
    if (foreign.counted) {
        Done& done = done_[{event.rank, event.kind}];
        if (done.step != event.step) done = {event.step, 0};
        const std::size_t number = done.count++;
        action.microbatch = static_cast<int>(std::min<std::size_t>(number, mostMicrobatches));
        counted_ = true;
        if (order_) {
            const std::size_t all = order_->count(event.rank, event.kind);
            // Outside steps, the program's go on one after another.
            const auto expected =
                order_->action(event.rank, event.kind, event.step < 0 && all > 0 ? number % all : number);
            if (!expected)
                return fail(misfit(say("rank {} recorded more than {} × {} in step {}", event.rank, all,
                                       trace::name(event.kind), event.step)));
            action = *expected;
        }
    }
    event.action = actionId(action);
    guessedStages_ = guessedStages_ || !fit_;
    return {};
}

Status ForeignTrace::held(const Event& event) const {
    if (!fit_) return {};
    const auto why = fit_->misfitOf(event);
    return why ? Status(fail(misfit(*why))) : Status();
}

/// The most that a process held in each step, at the step's end.
std::vector<ForeignEvent> ForeignTrace::peaks() const {
    std::vector<ForeignEvent> all;
    for (std::size_t process = 0; process < timing_.size(); ++process) {
        std::vector<Sample> memory = timing_[process].memory;
        std::ranges::stable_sort(memory, {}, &Sample::time);
        for (const StepRange& step : timing_[process].steps) {
            auto sample = std::ranges::lower_bound(memory, step.begin, {}, &Sample::time);
            std::int64_t peak = sample == memory.begin() ? 0 : (sample - 1)->bytes;
            for (; sample != memory.end() && sample->time <= step.end; ++sample) peak = std::max(peak, sample->bytes);
            if (peak <= 0) continue;
            ForeignEvent event;
            event.process = static_cast<std::uint32_t>(process);
            event.event = {.begin = step.end,
                           .end = step.end,
                           .bytes = peak,
                           .step = step.step,
                           .lane = Lane::Host,
                           .kind = EventKind::MemoryPeak};
            all.push_back(event);
        }
    }
    std::ranges::stable_sort(all, earlier);
    return all;
}

struct ForeignTrace::Filling {
    RunWriter& writer;
    const std::vector<int>& ranks;
    std::int64_t zero = 0;                                          ///< where the run's clock begins on the trace's
    std::int64_t first = std::numeric_limits<std::int64_t>::max();  ///< begin of the measured events
    std::int64_t last = 0;                                          ///< and their end
    std::int64_t events = 0;                                        ///< measured ones
    std::set<std::int32_t> steps;
    std::vector<Event> measured, predicted;  ///< not written yet

    /// Writes those that wait where they are `least` or more.
    Status flush(std::size_t least) {
        Status status;
        if (measured.size() >= least) {
            status = writer.append(measured);
            measured.clear();
        }
        if (status && predicted.size() >= least) {
            status = writer.appendPredicted(predicted);
            predicted.clear();
        }
        return status;
    }
};

/// Numbers the event, moves it onto the run's clock and writes it.
Status ForeignTrace::give(ForeignEvent foreign, Filling& filling) {
    Event& event = foreign.event;
    event.rank = static_cast<std::int16_t>(filling.ranks[foreign.process]);
    if (foreign.predicted && expected_) return {};  // the layout's prediction stands in place of its own
    if (const Status numbered = number(foreign); !numbered) return numbered;
    if (!foreign.predicted) {
        if (const Status fitting = held(event); !fitting) return fitting;
        event.begin -= filling.zero;
        event.end -= filling.zero;
        filling.first = std::min(filling.first, event.begin);
        filling.last = std::max(filling.last, event.end);
        if (event.kind == EventKind::Step) filling.steps.insert(event.step);
        ++filling.events;
    }
    if (!isLegalTime(event.begin) || !isLegalTime(event.end))
        return fail(refusalOf(
            processes_[foreign.process].source,
            say("{} goes from {} to {} ns after the trace's first event", called(foreign), event.begin, event.end),
            say("Events within 36 years of the first one")));
    (foreign.predicted ? filling.predicted : filling.measured).push_back(event);
    return filling.flush(batchEvents);
}

Status ForeignTrace::fill(RunWriter& writer, const std::vector<int>& ranks, ImportReport& report,
                          const ShareWatcher& watcher) {
    for (Timing& timing : timing_) {
        std::ranges::stable_sort(timing.steps, {}, &StepRange::begin);
        std::ranges::stable_sort(timing.launches, {}, &Launch::number);
    }
    const std::vector<ForeignEvent> peaksOfSteps = peaks();
    auto peak = peaksOfSteps.begin();
    constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    Filling filling{writer, ranks, keepClock_ || first_ == never ? 0 : first_};
    Status status = expected_ ? writer.appendPredicted(expected_->predicted) : Status();
    const auto givePeaks = [&](std::int64_t until) {
        for (; status && peak != peaksOfSteps.end() && peak->event.begin <= until; ++peak)
            status = give(*peak, filling);
    };
    std::int64_t given = 0;
    bool cancelled = false;
    const Status merged = sorter_.merge([&](const ForeignEvent& sorted) {
        ForeignEvent event = sorted;
        place(event);
        givePeaks(event.event.begin);
        if (status) status = give(event, filling);
        if (++given % eventsBetweenQuestions == 0 && watcher)
            cancelled = !watcher(static_cast<double>(given) / static_cast<double>(sorter_.size()));
        return status.has_value() && !cancelled;
    });
    givePeaks(never);
    if (status) status = filling.flush(1);
    report.events += filling.events;
    if (cancelled) return fail(Error{say("the import was cancelled"), "", "", ""});
    if (!status) return status;
    report.seconds = filling.last > filling.first ? toSeconds(filling.last - filling.first) : 0;
    report.steps = static_cast<int>(filling.steps.size());
    return merged;
}

Status ForeignTrace::finish(RunWriter& writer, const std::vector<int>& ranks, const ImportReport& report) const {
    std::set<int> told;
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        const ForeignProcess& process = processes_[i];
        if (!told.insert(ranks[i]).second) continue;  // a later cycle of it
        if (const Status set = writer.setRank({ranks[i], process.host, process.pid,
                                               fit_ ? fit_->label(ranks[i]) : labelOf(process, ranks[i]), "finished"});
            !set)
            return set;
    }
    for (std::size_t i = 0; i < namesInOrder_.size(); ++i)
        if (const Status added = writer.addName(static_cast<std::uint32_t>(i + 1), *namesInOrder_[i]); !added)
            return added;
    for (const std::string& line : report.lines()) {
        const bool warning = line.starts_with("not understood");
        if (const Status added = writer.append(LogLine{0, -1, warning ? LogLevel::Warning : LogLevel::Info, line});
            !added)
            return added;
    }
    return writer.finish({"finished", ""});
}

Result<ImportReport> ForeignTrace::write(const std::filesystem::path& out, std::string_view origin,
                                         const std::vector<std::string>& files, const ShareWatcher& watcher) {
    const auto numbered = ranks();
    if (!numbered) return fail(numbered.error());
    if (sorter_.size() == 0)
        return fail(refusalOf(files.front(), say("there is nothing in it that a timeline could show")));
    const int world = *std::ranges::max_element(*numbered) + 1;
    if (const Status fitting = fits(world); !fitting) return fail(fitting.error());
    std::error_code ignoredError;
    if (std::filesystem::exists(out, ignoredError) && std::filesystem::file_size(out, ignoredError) > 0 &&
        !RunReader::open(out))
        return fail({say("cannot create the run file"), out.string(), say("a file that is no run has that name"),
                     say("Choose another name")});

    std::filesystem::path draft = out;
    draft += ".import" + std::to_string(::getpid());
    const auto discard = [&](const Error& error) {
        for (const char* suffix : {"", "-wal", "-shm"}) ::unlink((draft.string() + suffix).c_str());
        return fail(error);
    };
    auto writer = RunWriter::create(draft, header(origin, files, *numbered));
    if (!writer) return discard(writer.error());
    ImportReport report;
    report.origin = origin;
    report.ranks = world;
    report.job = job_;
    report.names = static_cast<std::int64_t>(names_.size());
    report.notes = notes_;
    const Status filled = fill(**writer, *numbered, report, watcher);
    if (guessedStages_)
        report.notes.emplace_back(
            "the traces name no stages (\"Forward 3\"): a rank's number stands for that of its stage, unless a layout "
            "is named");
    if (counted_ && !order_)
        report.notes.emplace_back("the traces number no microbatches: they are counted in each step, which is right "
                                  "where a rank has one stage, "
                                  "unless a layout is named");
    for (const auto& [what, count] : ignored_) report.ignored.push_back({what, count});
    std::ranges::stable_sort(report.ignored, std::greater{}, &ImportCount::count);
    const Status finished = filled ? finish(**writer, *numbered, report) : filled;
    writer->reset();
    if (!finished) return discard(finished.error());
    std::error_code renamed;
    std::filesystem::rename(draft, out, renamed);
    if (renamed) return discard({"cannot create the run file", out.string(), renamed.message(), ""});
    return report;
}

}  // namespace shardlab::trace
