// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/events/happenings.h"

#include "engine/base/units.h"
#include "engine/trace/event/event_payload.h"
#include "ui/core/action_words.h"
#include "ui/core/log_words.h"
#include "ui/core/overflow.h"
#include "ui/core/text.h"
#include "ui/views/events/rounded_steps.h"
#include "ui/core/words.h"

#include <algorithm>
#include <span>

namespace shardlab::ui {

namespace {

/// The last time of the events and of the log: only the log mentions ranks that fail before their first event.
std::int64_t lastOf(const RunModel& model) {
    std::int64_t last = model.recorded().last;
    for (const LogLine& line : model.report().log()) last = std::max(last, line.time);
    return last;
}

/// The last thing a rank is known to have done; the run's last where nothing is known of it.
std::int64_t lastOf(const RunModel& model, int rank, std::int64_t runsLast) {
    if (rank < 0 || rank >= model.ranks()) return runsLast;
    std::int64_t last = 0;
    for (int lane = 0; lane < laneCount; ++lane)
        last = std::max(last, model.store().lane(rank, static_cast<Lane>(lane)).lastEnd());
    return last > 0 ? last : runsLast;
}

Happening fromInstant(const Event& event, const EventNames& names) {
    Happening happening{event.begin, event.rank, event.step, LogLevel::Info, {}, {}};
    switch (event.kind) {
    case EventKind::Command:
        happening.rank = -1;
        happening.text = tr("command: %1").arg(term(name(commandOf(event).value_or(Command::None))));
        if (commandOf(event) == Command::Resize)
            happening.text += counted(replicasAsked(event), tr(" to 1 replica"), tr(" to %1 replicas"));
        if (commandOf(event) == Command::InjectFault)
            happening.text = (faultOf(event) == InjectedFaultKind::Kill ? tr("command: kill rank %1")
                                                                        : tr("command: stop rank %1's process"))
                                 .arg(event.rank);
        break;
    case EventKind::Fault:
        happening.level = LogLevel::Error;
        happening.text = tr("fault on rank %1").arg(event.rank);
        if (event.action) happening.text += tr(" at %1").arg(actionWithWords(actionFromId(event.action)));
        break;
    case EventKind::Mark: happening.text = text(names.of(event.action)); break;
    default:
        happening.level = LogLevel::Warning;
        happening.text = tr("rank %1 dropped %2 events").arg(event.rank).arg(eventsLost(event));
        break;
    }
    return happening;
}

}  // namespace

std::vector<Happening> happenings(const RunModel& model) {
    std::vector<Happening> all;
    const auto stepAt = [&](std::int64_t time) {
        const StepSummary* step = model.steps().at(std::max<std::int64_t>(time, 0));
        return step ? step->step : -1;
    };
    for (const LogLine& line : model.report().log())
        all.push_back({line.time, line.rank, stepAt(line.time), line.level, logWords(line.text), {}});
    // The log says more about restarts and injected faults than their events do.
    for (const EventKind kind : PointEvents::instants)
        if (kind != EventKind::Overflow && kind != EventKind::Restart && kind != EventKind::InjectedFault)
            for (const Event& event : model.points().of(kind))
                all.push_back(fromInstant(event, model.report().names()));
    const std::vector<Event> overflowing = overflows(model);
    for (std::span<const Event> rest = overflowing; !rest.empty();) {
        const std::span<const Event> step = ofStep(overflowing, rest.front().step);
        const QString scale = scaleAround(model, step.front().step);
        const QString text = overflowsText(step) + (scale.isEmpty() ? QString() : tr(", scale %1").arg(scale));
        all.push_back(
            {step.front().begin, step.front().rank, step.front().step, LogLevel::Warning, text, step.front()});
        rest = rest.subspan(step.size());
    }
    const std::vector<Happening> saturated = saturatedSteps(model);
    all.insert(all.end(), saturated.begin(), saturated.end());
    for (const Straggler& one : model.steps().stragglers(model.report().end().has_value())) {
        const StepExtent* step = model.steps().extentOf(one.firstStep);
        const std::int64_t time = step ? std::max<std::int64_t>(0, step->begin) : 0;
        all.push_back(
            {time, one.rank, one.firstStep, LogLevel::Warning, tr("straggler %1").arg(logWords(toText(one))), {}});
    }
    for (const Event& event : model.points().of(EventKind::ValidationLoss))
        all.push_back(
            {event.begin, -1, event.step, LogLevel::Info, tr("validation loss %1").arg(event.value, 0, 'f', 4), {}});
    const std::int64_t last = lastOf(model);
    for (const RankRecord& record : model.report().ranks()) {
        if (record.end.empty()) continue;
        const std::int64_t time = lastOf(model, record.rank, last);
        all.push_back({time,
                       record.rank,
                       stepAt(time),
                       endedWell(record) ? LogLevel::Info : LogLevel::Error,
                       tr("rank %1 %2").arg(record.rank).arg(logWords(record.end)),
                       {}});
    }
    if (const auto& end = model.report().end()) {
        const QString outcome =
            end->outcome.empty() ? tr("the recording was cut off") : tr("run %1").arg(term(end->outcome));
        all.push_back({last,
                       -1,
                       stepAt(last),
                       end->outcome == "finished" || end->outcome == "stopped" ? LogLevel::Info : LogLevel::Error,
                       end->reason.empty() ? outcome : outcome + QStringLiteral(": ") + logWords(end->reason),
                       {}});
    }
    std::stable_sort(all.begin(), all.end(), [](const Happening& a, const Happening& b) { return a.time < b.time; });
    std::reverse(all.begin(), all.end());
    return all;
}

}  // namespace shardlab::ui
