// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/notes/reasons.h"

#include "engine/base/units.h"
#include "engine/layout/exchange.h"
#include "engine/layout/schedule/registry.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <algorithm>

namespace shardlab::ui {
namespace {

/// " It consists of 12.0 % filling and draining the pipeline and 1.7 % waiting for what moves between ranks."
QString partsText(const BubbleParts& parts, const MemorySpec& memory) {
    constexpr double least = 0.0005;  // what would be told as 0.0 %
    QStringList causes, texts;
    const auto add = [&](double share, const char* cause) {
        if (share < least) return;
        causes += tr(cause);
        texts += QStringLiteral("%1 %2").arg(percent(share), causes.back());
    };
    add(parts.fill, QT_TR_NOOP("filling and draining the pipeline"));
    add(parts.imbalance, QT_TR_NOOP("waiting for slower stages"));
    add(parts.communication, usesHost(memory)
                                 ? QT_TR_NOOP("waiting for what moves between ranks or between a rank and its host")
                                 : QT_TR_NOOP("waiting for what moves between ranks"));
    add(parts.overload, QT_TR_NOOP("waiting for a core that another rank has"));
    if (texts.isEmpty()) return {};
    if (texts.size() == 1) return tr(" It is all %1.").arg(causes.front());
    const QString last = texts.takeLast();
    return tr(" It consists of %1 and %2.").arg(texts.join(QStringLiteral(", ")), last);
}

Reason bubbleReason(const Plan& plan, const std::optional<BubbleParts>& parts) {
    const ScheduleShape shape = scheduleShape(plan.layout);
    if (plan.costs.asyncWorkers > 0)
        return {tr("%1 of the step is bubble").arg(percent(plan.bubble)),
                tr("Rank 0 is the parameter server and computes no gradients. It is idle while no gradient arrives, "
                   "and workers are idle while they wait for it. No formula of a schedule covers this.")};
    if (plan.layout.parallel.exchange == Exchange::Hogwild)
        return {tr("%1 of the step is bubble").arg(percent(plan.bubble)),
                tr("Workers wait neither for each other nor for a lock. A worker computes nothing while it copies "
                   "the shared weights.")};
    if (shape.ranks <= 1) {
        constexpr double none = 0.0005;  // "0.0 %"
        const QString alone = tr("Every rank holds all layers, so no rank waits for another stage.");
        if (plan.bubble < none) return {tr("No pipeline, no bubble"), alone};
        return {tr("%1 of the step is bubble, though there is no pipeline").arg(percent(plan.bubble)),
                alone + (parts ? partsText(*parts, plan.layout.memory) : QString())};
    }
    Reason reason{tr("%1 of the step is bubble").arg(percent(plan.bubble)), {}};
    const ScheduleMethod* method = findScheduleMethod(plan.layout.schedule.kind);
    if (!method || !method->theoreticalBubble) return reason;
    const QString sizes =
        shape.chunks > 1 ? tr("p = %1, v = %2 and m = %3").arg(shape.ranks).arg(shape.chunks).arg(shape.microbatches)
                         : tr("p = %1 and m = %2").arg(shape.ranks).arg(shape.microbatches);
    reason.why = tr("%1: with %2 it is %3, %4.")
                     .arg(term(method->title), sizes, percent(method->theoreticalBubble(shape)),
                          term(bubbleFormula(*method, shape)));
    ScheduleShape twice = shape;
    twice.microbatches *= 2;
    const bool legal = !method->refusal || !method->refusal(twice);
    const double fewer = legal ? method->theoreticalBubble(twice) : 1;
    if (fewer < method->theoreticalBubble(shape) - 1e-9)
        reason.why += tr(" With %1 microbatches it would be %2.").arg(twice.microbatches).arg(percent(fewer));
    if (parts) reason.why += partsText(*parts, plan.layout.memory);
    if (plan.bubble <= plan.bubbleTheory + 0.02) return reason;
    const auto waits = [](const HostTraffic& copies) { return copies.exposedSeconds > 0; };
    const bool waitsForHost = swapsActivations(plan.layout.memory) && std::ranges::any_of(plan.hosts, waits);
    if (waitsForHost) reason.why += tr(" Ranks wait for activations on their way to the host and back, too.");
    return reason;
}

Reason memoryReason(const Plan& plan) {
    if (plan.memory.empty()) return {};
    const auto most = std::max_element(plan.memory.begin(), plan.memory.end(),
                                       [](const RankMemory& a, const RankMemory& b) { return a.peak < b.peak; });
    const auto largest = std::max_element(most->bytes.begin(), most->bytes.end());
    const auto category = static_cast<MemoryCategory>(largest - most->bytes.begin());
    const std::int64_t sum = std::max<std::int64_t>(1, total(most->bytes));
    QString why = tr("Its largest part is %1 with %2.")
                      .arg(term(name(category)), percent(static_cast<double>(*largest) / static_cast<double>(sum)));
    const std::size_t chunks = plan.lowered.stagesOf(plan.mesh.coordinate(most->rank, Axis::Pipeline)).size();
    if (const int kept = most->microbatchesInFlight; kept > 0)
        why += kept == 1 ? tr(" It keeps the activations of 1 microbatch until its backward.")
               : chunks > 1
                   ? tr(" It keeps the activations of %1 forwards, each of a microbatch in one of its %2 chunks, until "
                        "their backwards.")
                         .arg(kept)
                         .arg(chunks)
                   : tr(" It keeps the activations of %1 microbatches until their backwards.").arg(kept);
    return {tr("Rank %1 needs the most memory, %2").arg(most->rank).arg(text(formatBytes(most->peak))), why};
}

QString capitalized(QString words) {
    if (!words.isEmpty()) words[0] = words[0].toUpper();
    return words;
}

/// What stands before a note's first colon claims, what stands behind it explains.
Reason noteReason(const QString& note) {
    for (const QString& colon : {QStringLiteral(": "), QStringLiteral("：")})
        if (const qsizetype at = note.indexOf(colon); at > 0)
            return {capitalized(note.left(at)), wholeSentence(note.mid(at + colon.size()))};
    return {capitalized(note), {}};
}

}  // namespace

QString wholeSentence(const QString& words) { return tr("%1.").arg(capitalized(words)); }

std::vector<Reason> reasons(const Plan& plan, const std::optional<BubbleParts>& parts) {
    std::vector<Reason> list;
    for (const Sentence& note : plan.notes) list.push_back(noteReason(told(note)));
    const bool serious = !plan.fits && !list.empty();
    if (serious) list.front().serious = true;
    list.insert(list.begin() + (serious ? 1 : 0), {bubbleReason(plan, parts), memoryReason(plan)});
    std::erase_if(list, [](const Reason& reason) { return reason.title.isEmpty(); });
    return list;
}

}  // namespace shardlab::ui
