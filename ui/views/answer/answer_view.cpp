// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/answer/answer_view.h"

#include "ui/core/child.h"
#include "ui/core/document.h"
#include "ui/core/fact_list.h"
#include "ui/timeline/event_text.h"
#include "ui/views/answer/whole_run_form.h"

#include "engine/base/device_time.h"
#include "engine/base/parameter_count.h"
#include "engine/base/units.h"
#include "engine/layout/devices.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidgetAction>

#include <algorithm>

namespace shardlab::ui {
namespace {

std::int64_t largestNeed(const Plan& plan) { return neededBytes(plan.layout, neediest(plan.layout, plan.memory)); }

Fact fits(const Plan& plan) {
    const QString help = AnswerView::tr("Whether the device of each rank holds what the rank needs: %1 of %2. Memory › "
                                        "Reserve says how much stays free.")
                             .arg(text(formatBytes(largestNeed(plan))), told(toText(plan.device)));
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
    if (!found) return {AnswerView::tr("Evidence"), AnswerView::tr("unreadable"), "bad", told(found.error())};
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

/// Days, cost and goodput, where somebody asked for them.
void addWholeRun(std::vector<Fact>& facts, const Plan& plan, const WholeRunQuestion& question) {
    if (question.tokens <= 0) return;
    if (const std::string fault = faultOf(question); !fault.empty()) {
        facts.push_back({AnswerView::tr("Whole run"), AnswerView::tr("no answer"), "bad", text(fault)});
        return;
    }
    const WholeRun run = wholeRun(plan, question);
    facts.push_back({AnswerView::tr("Whole run"), text(daysText(run.seconds)), run.ends() ? "figure" : "bad",
                     AnswerView::tr("%1 steps on %2 %3: %4 device hours; %5 without checkpoints and failures")
                         .arg(run.steps)
                         .arg(text(formatCount(question.tokens)), text(countedInputs(plan.layout.model)),
                              text(formatCount(run.deviceHours)), text(daysText(run.trainingSeconds)))});
    if (run.cost)
        facts.push_back({AnswerView::tr("Cost"), text(formatCount(*run.cost)), "figure",
                         AnswerView::tr("Device hours × the price of one")});
    if (run.interval <= 0) return;
    facts.push_back({AnswerView::tr("Goodput"), percent(run.shares.work), "figure", text(sharesText(run))});
    QString help = AnswerView::tr("The work between two checkpoints");
    if (run.failures.any())
        help = AnswerView::tr("%1. A failure comes every %2 on all devices together, %3 in the whole run; best is a "
                              "checkpoint every %4")
                   .arg(help, text(formatSeconds(run.failures.meanSeconds)), text(formatCount(run.expectedFailures)),
                        text(formatSeconds(bestInterval(run.failures))));
    facts.push_back({AnswerView::tr("Checkpoint every"), text(formatSeconds(run.interval)), "figure", help});
}

}  // namespace

AnswerView::AnswerView(const ViewContext& context, QWidget* parent)
    : View(context, parent), facts_(child<FactList>(this)), wholeRun_(child<QToolButton>(this)),
      form_(child<WholeRunForm>()) {
    wholeRun_->setText(tr("Whole run …"));
    wholeRun_->setToolTip(tr("How long training on so many tokens takes and what it costs, with devices that fail"));
    wholeRun_->setProperty("role", QStringLiteral("flat"));
    wholeRun_->setPopupMode(QToolButton::InstantPopup);
    auto* menu = child<QMenu>(wholeRun_);
    auto* form = child<QWidgetAction>(menu);
    form->setDefaultWidget(form_);  // which it owns
    menu->addAction(form);
    wholeRun_->setMenu(menu);
    auto* foot = child<QHBoxLayout>();
    foot->setContentsMargins(8, 0, 8, 2);
    foot->addWidget(wholeRun_);
    foot->addStretch();
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(facts_, 1);
    column->addLayout(foot);
    connect(form_, &WholeRunForm::changed, this, &AnswerView::refresh);
    connect(&grounds_, &PublishedGrounds::found, this, &AnswerView::refresh);
    connect(&context_.document, &Document::planChanged, this, &AnswerView::refresh);
    refresh();
}

void AnswerView::refresh() {
    if (const auto& plan = context_.document.plan()) {
        const Sentence slowed = DeviceTime(plan->costs.stretch).text(plan->stepSeconds);
        QString onDevice =
            plan->layout.cluster.pace ? tr(", on %1").arg(term(modelledDevice(plan->layout).title)) : QString();
        if (!slowed.empty()) onDevice += tr(". A run is %1.").arg(told(slowed));
        const Result<PublishedGround>* const ground = grounds_.of(plan->layout);
        const QString stepBand = band(ground, &PublishedGround::time);
        std::vector<Fact> facts{
            fits(*plan),
            {tr("Step time"), text(formatSeconds(plan->stepSeconds)) + stepBand, "figure",
             tr("The time of one optimizer step with all its microbatches%1").arg(onDevice)},
            {readsImages(plan->layout.model) ? tr("Images/s") : tr("Tokens/s"),
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
                "idle, also while they wait for transfers. The theory assumes equal stages and free transfers. The "
                "bubble of Waterfall is a share of the whole step, and leaves waiting for transfers to the exposed "
                "communication")},
            {tr("Exposed comm"), percent(plan->exposedCommunication), "figure",
             tr("The share of the step that would be saved if transfers and reductions took no time")},
            {tr("Peak memory"), text(formatBytes(largestNeed(*plan))) + band(ground, &PublishedGround::memory),
             "figure",
             tr("What the tensors of the rank that needs most take at once; its device has %1")
                 .arg(told(toText(plan->device)))},
            {tr("Parameters"), text(formatParameters(static_cast<double>(plan->parameters))), "figure",
             tr("The number of parameters of the whole model")},
        };
        if (ground) facts.push_back(evidence(*ground));
        addWholeRun(facts, *plan, form_->question());
        // A verdict on an earlier layout is none on this one.
        if (!context_.document.planIsCurrent())
            for (Fact& fact : facts) fact.role = "dim";
        facts_->setFacts(facts);
    }
    Q_EMIT subtitleChanged();
}

QString AnswerView::subtitle() const {
    const auto& plan = context_.document.plan();
    return plan ? told(DeviceTime(plan->costs.stretch).text()) : QString();
}

QString AnswerView::subtitleHelp() const { return paceHelp(context_.model); }

QString AnswerView::asTable() const { return facts_->asTable(); }

}  // namespace shardlab::ui
