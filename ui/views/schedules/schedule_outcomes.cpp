// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/schedules/schedule_outcomes.h"

#include "engine/base/device_time.h"
#include "engine/launch/job/run_header.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/search/sweep.h"
#include "ui/core/document.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>

#include <algorithm>

namespace shardlab::ui {

ScheduleOutcome outcomeOf(const Layout& layout, const std::string& kind, const Measurements& measurements) {
    ScheduleOutcome outcome{.kind = kind, .layout = withSchedule(layout, kind)};
    auto plan = makePlan(outcome.layout, measurements);
    if (!plan) {
        outcome.faults = std::move(plan.error());
        return outcome;
    }
    outcome.stepSeconds = plan->stepSeconds;
    outcome.bubble = plan->bubble;
    outcome.fits = plan->fits;
    for (const RankMemory& memory : plan->memory) outcome.peakBytes = std::max(outcome.peakBytes, memory.peak);
    for (const AxisTraffic& traffic : plan->traffic) outcome.trafficBytes += traffic.bytes;
    outcome.header = headerOf(*plan);
    // Every paced step lasts equally long: only on the devices' own clock schedules differ in length.
    const DeviceTime device(plan->costs.stretch);
    outcome.header.stretch = 1;
    outcome.header.predictedStepSeconds = plan->stepSeconds;
    outcome.events = std::move(plan->simulation.events);
    for (Event& event : outcome.events) {
        event.begin = device.nanoseconds(event.begin);
        event.end = device.nanoseconds(event.end);
    }
    return outcome;
}

ScheduleOutcomes::ScheduleOutcomes(Document& document, QObject* parent) : QObject(parent), document_(document) {
    connect(&document, &Document::layoutChanged, this, &ScheduleOutcomes::refresh);
}

std::vector<std::string> ScheduleOutcomes::kinds() const {
    std::vector<std::string> kinds;
    const std::string& own = document_.layout().schedule.kind;
    for (const ScheduleMethod& method : scheduleMethods()) {
        const std::string name(method.name);
        const bool byDefault = chosen_.empty() && (name == "gpipe" || name == "1f1b" || name == own);
        if (byDefault || std::ranges::find(chosen_, name) != chosen_.end()) kinds.push_back(name);
    }
    return kinds;
}

void ScheduleOutcomes::choose(std::vector<std::string> kinds) {
    chosen_ = std::move(kinds);
    refresh();
}

void ScheduleOutcomes::refresh() {
    ++generation_;
    stale_ = true;
    Q_EMIT outdated();
}

void ScheduleOutcomes::look() {
    if (!stale_ || working_) return;
    working_ = true;
    stale_ = false;
    QThreadPool::globalInstance()->start([outcomes = QPointer<ScheduleOutcomes>(this), generation = generation_,
                                          layout = document_.resolvedLayout(), kinds = kinds(),
                                          measurements = document_.measurements()] {
        std::vector<ScheduleOutcome> made;
        for (const std::string& kind : kinds) made.push_back(outcomeOf(layout, kind, measurements));
        QMetaObject::invokeMethod(qApp, [outcomes, generation, made = std::move(made)]() mutable {
            if (outcomes) outcomes->arrive(generation, std::move(made));
        });
    });
}

void ScheduleOutcomes::arrive(std::uint64_t generation, std::vector<ScheduleOutcome> outcomes) {
    working_ = false;
    // While a slider moves, the picture of a moment ago is better than none; it is replaced as soon as the next is
    // made.
    outcomes_ = std::move(outcomes);
    stale_ = generation != generation_;
    Q_EMIT changed();
}

void ScheduleOutcomes::take(const ScheduleOutcome& outcome) {
    if (!outcome.legal()) return;
    Layout layout = document_.layout();
    layout.schedule = outcome.layout.schedule;
    document_.change(std::move(layout), tr("Set schedule to %1").arg(QString::fromStdString(outcome.kind)));
}

}  // namespace shardlab::ui
