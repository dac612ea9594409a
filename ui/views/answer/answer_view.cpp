// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/answer/answer_view.h"

#include "ui/core/child.h"
#include "ui/core/document.h"
#include "ui/core/fact_list.h"
#include "ui/core/ui_thread.h"
#include "ui/timeline/event_text.h"

#include "engine/base/device_time.h"
#include "engine/base/parameter_count.h"
#include "engine/base/units.h"
#include "engine/layout/devices.h"
#include "ui/core/text.h"

#include <QPointer>
#include <QThreadPool>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

std::int64_t largestNeed(const Plan& plan) { return neededBytes(plan.layout, neediest(plan.layout, plan.memory)); }

Fact fits(const Plan& plan) {
    const QString help = AnswerView::tr("Whether the device of each rank holds what the rank needs: %1 of %2. Memory › "
                                        "Reserve says how much stays free.")
                             .arg(text(formatBytes(largestNeed(plan))), text(toText(plan.device)));
    if (!plan.device.known()) return {AnswerView::tr("Fits?"), AnswerView::tr("unknown capacity"), "warning", help};
    const std::int64_t spare = plan.device.spareBytes(largestNeed(plan));
    if (plan.fits)
        return {AnswerView::tr("Fits?"), AnswerView::tr("yes, %1 to spare").arg(text(formatBytes(spare))), "good",
                help};
    return {AnswerView::tr("Fits?"), AnswerView::tr("no, %1 too much").arg(text(formatBytes(-spare))), "bad", help};
}

/// " ± 12 %": where nine of ten published runs like this one lie.
QString band(const Result<PublishedGround>* ground, ErrorSummary PublishedGround::*of) {
    if (ground == nullptr || !*ground || (**ground.*of).rows == 0) return {};
    return QStringLiteral(" ± ") + text(formatPercent((**ground.*of).ninetieth));
}

Fact evidence(const Result<PublishedGround>& found) {
    if (!found) return {AnswerView::tr("Evidence"), AnswerView::tr("unreadable"), "bad", text(found.error().text())};
    const PublishedGround& ground = *found;
    const QString help =
        AnswerView::tr(
            "%1. A band (±) behind a figure is where nine of ten of these runs lie around their predictions.")
            .arg(text(ground.text()));
    if (!ground.any()) return {AnswerView::tr("Evidence"), AnswerView::tr("no run like it"), "warning", help};
    const QString runs = ground.time.rows == 1 ? AnswerView::tr("1 published run")
                                               : AnswerView::tr("%1 published runs").arg(ground.time.rows);
    return {AnswerView::tr("Evidence"), runs, "figure", help};
}

}  // namespace

AnswerView::AnswerView(const ViewContext& context, QWidget* parent)
    : View(context, parent), facts_(child<FactList>(this)) {
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(facts_);
    connect(&context_.document, &Document::planChanged, this, &AnswerView::refresh);
    refresh();
}

void AnswerView::refresh() {
    if (const auto& plan = context_.document.plan()) {
        const std::string slowed = DeviceTime(plan->costs.stretch).text(plan->stepSeconds);
        QString onDevice =
            plan->layout.cluster.pace ? tr(", on %1").arg(text(modelledDevice(plan->layout).title)) : QString();
        if (!slowed.empty()) onDevice += tr(". A run is %1.").arg(text(slowed));
        const Result<PublishedGround>* const ground = groundOf(plan->layout);
        const QString stepBand = band(ground, &PublishedGround::time);
        std::vector<Fact> facts{
            fits(*plan),
            {tr("Step time"), text(formatSeconds(plan->stepSeconds)) + stepBand, "figure",
             tr("The time of one optimizer step with all its microbatches%1").arg(onDevice)},
            {readsImages(plan->layout.model) ? tr("Images / s") : tr("Tokens / s"),
             text(formatCount(plan->tokensPerSecond)) + stepBand, "figure",
             tr("The sum over all replicas%1").arg(onDevice)},
            {tr("MFU"), text(utilisationText(plan->mfu)), "figure",
             tr("Model FLOPs utilisation: the operations that the model needs, without those of recomputation, as a "
                "share of the peak of %1")
                 .arg(plan->peak.known() ? text(plan->peak.of) : tr("the preset's devices"))},
            {tr("Bubble"),
             plan->costs.asyncWorkers > 0
                 ? percent(plan->bubble)  // no formula knows of a server
                 : tr("%1 (theory %2)").arg(percent(plan->bubble), percent(plan->bubbleTheory)),
             "figure",
             tr("The share of the time between the first forward and the last backward in which the compute lanes are "
                "idle. The theory assumes equal stages and free transfers")},
            {tr("Exposed comm"), percent(plan->exposedCommunication), "figure",
             tr("The share of the step that would be saved if transfers and reductions took no time")},
            {tr("Peak memory"), text(formatBytes(largestNeed(*plan))) + band(ground, &PublishedGround::memory),
             "figure",
             tr("The peak memory of the rank that needs most; its device has %1").arg(text(toText(plan->device)))},
            {tr("Parameters"), text(formatParameters(static_cast<double>(plan->parameters))), "figure",
             tr("The number of parameters of the whole model")},
        };
        if (ground) facts.push_back(evidence(*ground));
        // A verdict on an earlier layout is none on this one.
        if (!context_.document.planIsCurrent())
            for (Fact& fact : facts) fact.role = "dim";
        facts_->setFacts(facts);
    }
    Q_EMIT subtitleChanged();
}

const Result<PublishedGround>* AnswerView::groundOf(const Layout& layout) {
    const std::string likeness = likenessOf(layout);
    if (likeness.empty()) return nullptr;
    if (const auto found = grounds_.find(likeness); found != grounds_.end()) return &found->second;
    if (finding_ == likeness) return nullptr;
    finding_ = likeness;
    QThreadPool::globalInstance()->start([view = QPointer(this), likeness, layout] {
        const Result<PublishedGround> ground =
            publishedGround(layout).map([](const auto& found) { return found.value(); });
        onUserInterface([view, likeness, ground] {
            if (!view) return;
            view->grounds_.insert_or_assign(likeness, ground);
            view->refresh();
        });
    });
    return nullptr;
}

QString AnswerView::subtitle() const {
    const auto& plan = context_.document.plan();
    return plan ? text(DeviceTime(plan->costs.stretch).text()) : QString();
}

QString AnswerView::subtitleHelp() const { return paceHelp(context_.model); }

QString AnswerView::asTable() const { return facts_->asTable(); }

}  // namespace shardlab::ui
