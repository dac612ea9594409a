// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/figures/figures.h"

#include "ui/core/overflow.h"
#include "ui/timeline/event_text.h"

#include "engine/base/units.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <algorithm>
#include <cmath>

namespace shardlab::ui {

namespace {

const QString unknown = QStringLiteral("—");

/// The counter of a step, from whichever rank tells it.
const Event* counterOf(const std::vector<Event>& counters, int step) {
    auto after =
        std::upper_bound(counters.begin(), counters.end(), step, [](int s, const Event& e) { return s < e.step; });
    if (after == counters.begin() || (after - 1)->step != step) return nullptr;
    return &*(after - 1);
}

/// In place of what was predicted for all ranks.
QString fewerRanks(const RunModel& model, const StepSummary* step) {
    return step && !model.steps().isPredicted(step->step)
               ? tr("with %1 of %2 ranks").arg(step->active).arg(model.ranks())
               : QString();
}

/// A paced run's figures are not those of a clock on the wall.
void addPace(CardFigure& card, const RunModel& model) {
    if (const QString help = paceHelp(model); !help.isEmpty()) card.help += QLatin1Char('\n') + help;
}

CardFigure tokens(const RunModel& model, const StepSummary* step) {
    CardFigure card{
        tr("Tokens/s"), unknown, {}, tr("The tokens of one optimizer step divided by the time of the step.")};
    if (!model.header().hasLayout()) {
        card.help = tr("Another program's trace does not tell how many tokens a step has.");
        const Event* told = step ? counterOf(model.points().of(EventKind::TokensPerSecond), step->step) : nullptr;
        if (told == nullptr) return card;
        card.value = text(formatCount(told->value));
        card.help = tr("As the program told it for this step.");
        return card;
    }
    const auto tokens = static_cast<double>(tokensPerStep(model.header().layout));
    if (readsImages(model.header().layout.model))
        card = {tr("Images/s"), unknown, {}, tr("The images of one optimizer step divided by the time of the step.")};
    const DeviceTime device = model.deviceTime();
    if (step && step->complete && step->seconds > 0)
        card.value = text(formatCount(tokens / device.seconds(step->seconds)));
    if (const double predicted = device.seconds(model.header().predictedStepSeconds); predicted > 0)
        card.detail = tr("pred %1").arg(text(formatCount(tokens / predicted)));
    addPace(card, model);
    if (const QString fewer = fewerRanks(model, step); !fewer.isEmpty()) card.detail = fewer;
    return card;
}

QString perHour(double count) { return tr("%1/h").arg(text(formatCount(count))); }

/// What rented devices are compared by.
CardFigure deviceHour(const RunModel& model, const StepSummary* step) {
    const Layout& layout = model.header().layout;
    const bool images = readsImages(layout.model);
    CardFigure card{images ? tr("Images/device") : tr("Tokens/device"),
                    unknown,
                    {},
                    images ? tr("The images that one device trains on in an hour: those of a step, divided by the "
                                "hours of all devices that took part in it.")
                           : tr("The tokens that one device trains on in an hour: those of a step, divided by the "
                                "hours of all devices that took part in it.")};
    const double anHour = static_cast<double>(tokensPerStep(layout)) * 3600;
    const DeviceTime device = model.deviceTime();
    if (step && step->complete && step->seconds > 0)
        card.value = perHour(anHour / device.seconds(step->seconds) / std::max(step->active, 1));
    if (const double predicted = device.seconds(model.header().predictedStepSeconds); predicted > 0)
        card.detail = tr("pred %1").arg(perHour(anHour / predicted / std::max(model.ranks(), 1)));
    addPace(card, model);
    if (const QString fewer = fewerRanks(model, step); !fewer.isEmpty()) card.detail = fewer;
    return card;
}

CardFigure bubble(const RunModel& model, const StepSummary* step) {
    CardFigure card{tr("Bubble"),
                    unknown,
                    {},
                    tr("The share of the time from the step's first forward to its last backward in which ranks do not "
                       "compute, as a mean over ranks.")};
    if (step && step->complete && step->computes()) card.value = percent(step->bubble);
    const Summarizer& steps = model.steps().summary();
    const QString median = steps.computes() ? percent(steps.medianBubble()) : unknown;
    if (!model.header().hasLayout()) {
        card.title = tr("Idle");
        card.help = tr("The share of the time from the step's first kernel to its last in which no kernel runs, as a "
                       "mean over ranks. Median so far %1.")
                        .arg(median);
        return card;
    }
    if (const QString fewer = fewerRanks(model, step); !fewer.isEmpty()) card.detail = fewer;
    else if (model.header().theoreticalBubble > 0)
        card.detail = tr("theory %1").arg(percent(model.header().theoreticalBubble));
    card.help +=
        QLatin1Char('\n') + tr("Predicted %1; median so far %2.").arg(percent(model.header().predictedBubble), median);
    return card;
}

CardFigure stepTime(const RunModel& model, const StepSummary* step) {
    CardFigure card{
        tr("Step time"), unknown, {}, tr("The time from the first rank's start of the step to the last rank's end.")};
    const DeviceTime device = model.deviceTime();
    if (step && step->complete) card.value = text(formatSeconds(device.seconds(step->seconds)));
    if (const double predicted = device.seconds(model.header().predictedStepSeconds); predicted > 0)
        card.detail = tr("pred %1").arg(text(formatSeconds(predicted)));
    if (const QString fewer = fewerRanks(model, step); !fewer.isEmpty()) card.detail = fewer;
    card.help +=
        QLatin1Char('\n') +
        tr("Median so far %1.").arg(text(formatSeconds(device.seconds(model.steps().summary().medianStepSeconds()))));
    addPace(card, model);
    return card;
}

CardFigure loss(const RunModel& model, const StepSummary* step) {
    CardFigure card{tr("Loss"),
                    unknown,
                    {},
                    tr("The mean loss over the step's tokens, in nats. Beside it stands the norm of the gradient "
                       "before clipping.")};
    if (!step) return card;
    if (const Event* counter = counterOf(model.points().of(EventKind::Loss), step->step))
        card.value = QString::number(counter->value, 'f', 3);
    if (const Event* norm = counterOf(model.points().of(EventKind::GradientNorm), step->step))
        card.detail = tr("grad norm %1").arg(QString::number(norm->value, 'g', 3));
    if (const QString skipped = overflowsText(ofStep(overflows(model), step->step)); !skipped.isEmpty()) {
        card.detail = tr("step skipped");
        card.help += QLatin1Char('\n') + skipped;
    }
    return card;
}

CardFigure memory(const RunModel& model, const StepSummary* step) {
    CardFigure card{
        tr("Peak memory"), unknown, {}, tr("The largest sum of all memory categories on any rank in the step.")};
    if (step) {
        std::int64_t peak = 0;
        for (const RankStep& rank : step->ranks) peak = std::max(peak, rank.peakBytes);
        if (peak > 0) card.value = text(formatBytes(peak));
    }
    const auto& predicted = model.header().predictedPeak;
    if (!predicted.empty())
        card.detail = tr("pred %1").arg(text(formatBytes(*std::max_element(predicted.begin(), predicted.end()))));
    if (const QString fewer = fewerRanks(model, step); !fewer.isEmpty()) card.detail = fewer;
    return card;
}

CardFigure overruns(const RunModel& model, const StepSummary* step) {
    CardFigure card{tr("Pace overruns"),
                    unknown,
                    {},
                    tr("The number of actions whose real work took longer than the modelled device would have taken; "
                       "the measured timeline is late by the difference.")};
    if (!step || !step->complete) return card;
    const auto& all = model.points().of(EventKind::PaceOverrun);
    const StepExtent& extent = model.steps().extents()[static_cast<std::size_t>(step - model.steps().all().data())];
    auto event = std::lower_bound(all.begin(), all.end(), extent.begin,
                                  [](const Event& e, std::int64_t time) { return e.begin < time; });
    int count = 0;
    double largest = 0;
    for (; event != all.end() && event->begin <= extent.end; ++event) {
        if (event->step != step->step) continue;
        ++count;
        largest = std::max(largest, event->value);
    }
    card.value = QString::number(count);
    card.detail =
        count > 0 ? tr("largest %1").arg(text(formatSeconds(model.deviceTime().seconds(largest)))) : tr("on pace");
    return card;
}

CardFigure waiting(const RunHeader& header, const StepSummary* step) {
    CardFigure card{tr("Waiting"),
                    unknown,
                    {},
                    tr("The share of the step in which ranks wait for messages or reductions, as a mean over ranks. "
                       "The pipeline's bubble is part of it.")};
    if (!header.hasLayout()) {
        card.help = tr("Another program's trace does not tell what its kernels waited for.");
        return card;
    }
    if (!step || !step->complete || !step->computes() || step->seconds <= 0 || step->ranks.empty()) return card;
    double forMessages = 0;
    double reducing = 0;
    for (const RankStep& rank : step->ranks) {
        forMessages += static_cast<double>(rank.waiting);
        reducing += static_cast<double>(rank.reduce);
    }
    const double whole = step->seconds * 1e9 * std::max(step->active, 1);
    card.value = percent((forMessages + reducing) / whole);
    card.detail = tr("reductions %1").arg(percent(reducing / whole));
    return card;
}

CardFigure utilisation(const RunHeader& header, const StepSummary* step) {
    CardFigure card{tr("MFU"),
                    unknown,
                    {},
                    tr("Model FLOPs utilisation: the operations that the model needs for a step, as a share of what "
                       "the devices could do in that time. A token needs 6 for each weight of a matrix product and 12 "
                       "× sequence × hidden for the attention of each layer; recomputation does not count.")};
    card.help += QLatin1Char('\n') +
                 tr("Peak: %1, together %2FLOP/s.").arg(text(header.peak.of), text(formatCount(header.peak.flops)));
    if (step && step->complete)
        if (const auto share = header.utilisation(step->seconds)) card.value = text(utilisationText(*share));
    if (const auto predicted = header.utilisation(header.predictedStepSeconds))
        card.detail = tr("pred %1").arg(text(utilisationText(*predicted)));
    return card;
}

}  // namespace

std::vector<CardFigure> cardFigures(const RunModel& model, std::int64_t cursor) {
    if (model.empty()) {
        std::vector<CardFigure> cards;
        for (const char* title : {QT_TR_NOOP("Tokens/s"), QT_TR_NOOP("Bubble"), QT_TR_NOOP("Step time"),
                                  QT_TR_NOOP("Loss"), QT_TR_NOOP("Peak memory"), QT_TR_NOOP("Waiting")})
            cards.push_back({tr(title), unknown, {}, {}});
        return cards;
    }
    const StepSummary* step = model.steps().at(cursor);
    std::vector<CardFigure> cards{
        tokens(model, step),   bubble(model, step),
        stepTime(model, step), loss(model, step),
        memory(model, step),   model.header().paced ? overruns(model, step) : waiting(model.header(), step)};
    if (model.header().hasLayout() && model.header().peak.known())
        cards.insert(cards.begin() + 1, utilisation(model.header(), step));
    if (model.header().hasLayout()) cards.push_back(deviceHour(model, step));
    return cards;
}

}  // namespace shardlab::ui
