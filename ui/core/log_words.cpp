// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/log_words.h"

#include "engine/base/memory_category.h"
#include "ui/core/action_words.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <QRegularExpression>
#include <QStringList>

#include <optional>
#include <vector>

namespace shardlab::ui {
namespace {

/// The first that fits is taken, and what stands in its places is told by the others.
constexpr const char* patterns[] = {
    QT_TR_NOOP("stopped on request"),
    QT_TR_NOOP("killed on request"),
    QT_TR_NOOP("ended with the run"),
    QT_TR_NOOP("never started"),
    QT_TR_NOOP("aborted"),
    QT_TR_NOOP("died"),
    QT_TR_NOOP("hung"),
    QT_TR_NOOP("the beginning"),
    QT_TR_NOOP("%1 tokens of text: %2 windows to train on, %3 to validate on"),
    QT_TR_NOOP("goes on from step %1: %2"),
    QT_TR_NOOP("checkpoint of step %1: %2"),
    QT_TR_NOOP("no checkpoint of step %1: %2"),
    QT_TR_NOOP("the one checkpoint, of step %1, could not be taken: %2"),
    QT_TR_NOOP("none of %1 checkpoints could be taken; the last, of step %2: %3"),
    QT_TR_NOOP("%1 of %2 checkpoints could not be taken, the newest is of step %3; the last that failed, of step %4: "
               "%5"),
    QT_TR_NOOP("no checkpoint is taken: %1"),
    QT_TR_NOOP("%1: this run can take no checkpoint"),
    QT_TR_NOOP("passed over: %1"),
    QT_TR_NOOP("resized: on from step %1 with %2 instead of %3, %4"),
    QT_TR_NOOP("restart %1 of %2: on from step %3 with %4 instead of %5, %6"),
    QT_TR_NOOP("restart %1 of %2: on from step %3 with %4, %5"),
    QT_TR_NOOP("restart %1 of %2: on from step %3, %4"),
    QT_TR_NOOP("absent from step %1"),
    QT_TR_NOOP("messages about waiting ranks number them among the %1 that take part"),
    QT_TR_NOOP("asked for: %1, but there is no such rank at the moment"),
    QT_TR_NOOP("asked for: %1, while the ranks are %2: nothing was done"),
    QT_TR_NOOP("asked for %1, which it has"),
    QT_TR_NOOP("asked for %1: the run stops for a checkpoint"),
    QT_TR_NOOP("not resized, as no checkpoint can be taken: %1"),
    QT_TR_NOOP("not resized to %1: %2"),
    QT_TR_NOOP("1 replica (%1)"),
    QT_TR_NOOP("%1 replicas (%2)"),
    QT_TR_NOOP("on purpose, as /run/faults says: %1"),
    QT_TR_NOOP("on purpose, as it was asked for: %1"),
    QT_TR_NOOP("mpirun (process %1) is stopped by a signal, and ranks cannot start before it goes on; kill -CONT %2 "
               "lets it go on"),
    QT_TR_NOOP("mpirun (process %1) is stopped by a signal; kill -CONT %2 lets it go on"),
    QT_TR_NOOP("a rank (process %1) is stopped by a signal; kill -CONT %2 lets it go on"),
    QT_TR_NOOP("%1 of %2 ranks have not begun after %3: %4"),
    QT_TR_NOOP("flight record: step %1: %2 from rank %3, %4, under way for %5"),
    QT_TR_NOOP("flight record: step %1: %2 from rank %3, %4, took %5"),
    QT_TR_NOOP("flight record: step %1: %2 to rank %3, %4, under way for %5"),
    QT_TR_NOOP("flight record: step %1: %2 to rank %3, %4, took %5"),
    QT_TR_NOOP("flight record: step %1: %2, under way for %3"),
    QT_TR_NOOP("flight record: step %1: %2, took %3"),
    QT_TR_NOOP("hangs: the run is ended"),
    QT_TR_NOOP("ending mpirun: %1"),
    QT_TR_NOOP("a rank failed"),
    QT_TR_NOOP("a rank hangs"),
    QT_TR_NOOP("a host is cut off"),
    QT_TR_NOOP("stopped while ranks were starting"),
    QT_TR_NOOP("the launcher is closing"),
    QT_TR_NOOP("mpirun does not end though all ranks have"),
    QT_TR_NOOP("the run file cannot be written"),
    QT_TR_NOOP("it has told of a rank's death and goes on"),
    QT_TR_NOOP("all hosts have %1 besides TCP: Open MPI chooses how ranks exchange"),
    QT_TR_NOOP("%1, for %2 (deadline %3); %4"),
    QT_TR_NOOP("%1, for %2 (deadline %3)"),
    QT_TR_NOOP("rank %1 stands still (stopped by a signal) %2"),
    QT_TR_NOOP("rank %1 stands still %2"),
    QT_TR_NOOP("rank %1 has sent, but nobody got, %2 at step %3, rank %4 waits for it"),
    QT_TR_NOOP("rank %1 has not sent %2 at step %3, rank %4 waits for it"),
    QT_TR_NOOP("rank %1 does not get on %2"),
    QT_TR_NOOP("ranks wait for each other, rank %1 %2"),
    QT_TR_NOOP("and %1 more wait"),
    QT_TR_NOOP("at step %1 in %2, waiting for rank %3"),
    QT_TR_NOOP("at step %1 in %2, %3"),
    QT_TR_NOOP("at step %1 in %2"),
    QT_TR_NOOP("at step %1, %2"),
    QT_TR_NOOP("at step %1"),
    QT_TR_NOOP("during setup"),
    QT_TR_NOOP("while starting"),
    QT_TR_NOOP("waits at step %1 in %2 for ranks %3"),
    QT_TR_NOOP("waits at step %1 in %2 for rank %3"),
    QT_TR_NOOP("waits at step %1 %2 for ranks %3"),
    QT_TR_NOOP("waits at step %1 %2 for rank %3"),
    QT_TR_NOOP("mpirun lost its daemon on host %1, and with it the ranks there%2"),
    QT_TR_NOOP("mpirun was ended by a signal from outside (SIGTERM, SIGINT or SIGHUP)%1"),
    QT_TR_NOOP("mpirun was killed by %1"),
    QT_TR_NOOP("mpirun failed (%1): %2"),
    QT_TR_NOOP("mpirun failed (%1)"),
    QT_TR_NOOP("ranks ended without a word"),
    QT_TR_NOOP("a rank was killed by %1 while ranks were starting; mpirun does not say which"),
    QT_TR_NOOP("a rank was killed by %1; mpirun does not say which"),
    QT_TR_NOOP("%1 at step %2 in %3, waiting for rank %4"),
    QT_TR_NOOP("%1 at step %2 in %3"),
    QT_TR_NOOP("%1 at step %2"),
    QT_TR_NOOP("%1 during setup"),
    QT_TR_NOOP("%1 while starting"),
    QT_TR_NOOP("rank %1 on host %2: %3"),
    QT_TR_NOOP("rank %1 on host %2 was %3"),
    QT_TR_NOOP("rank %1 on host %2 %3"),
    QT_TR_NOOP("rank %1 · compute %2 a step, %3, %4"),
    QT_TR_NOOP("rank %1 · wait, stands still %2 a step, %3, %4"),
    QT_TR_NOOP("rank %1 · link %2 a step, %3, %4"),
    QT_TR_NOOP("%1 more than its like (%2)"),
    QT_TR_NOOP("its like none"),
    QT_TR_NOOP("steps %1"),
    QT_TR_NOOP("step %1"),
    QT_TR_NOOP("rank %1: %2"),
    QT_TR_NOOP("rank %1 was %2"),
    QT_TR_NOOP("rank %1 died"),
    QT_TR_NOOP("rank %1 ended with exit code %2"),
    QT_TR_NOOP("killed by %1"),
    QT_TR_NOOP("ended with exit code %1"),
    // What an import notes, and what it did not understand.
    QT_TR_NOOP("imported %1 events of 1 rank from %2, 1 step, %3"),
    QT_TR_NOOP("imported %1 events of 1 rank from %2, %3 steps, %4"),
    QT_TR_NOOP("imported %1 events of %2 ranks from %3, 1 step, %4"),
    QT_TR_NOOP("imported %1 events of %2 ranks from %3, %4 steps, %5"),
    QT_TR_NOOP("the traces name no stages (\"Forward 3\"): a rank's number stands for that of its stage, unless a "
               "layout is named"),
    QT_TR_NOOP("the traces number no microbatches: they are counted in each step, which is right where a rank has one "
               "stage, unless a layout is named"),
    QT_TR_NOOP("%1 does not say which rank it is (no distributedInfo)"),
    QT_TR_NOOP("%1 tells no times: its entries are drawn 1 µs apart"),
    QT_TR_NOOP("%1, device %2: peak %3 = %4, while %5 were reserved; in the end %6 are reserved, of which %7 are free, "
               "in blocks of at most %8"),
    QT_TR_NOOP("%1, device %2: peak %3, while %4 were reserved; in the end %5 are reserved, of which %6 are free, in "
               "blocks of at most %7"),
    QT_TR_NOOP("%1: a line stands for up to %2 steps; the step that is drawn has their mean"),
    QT_TR_NOOP("%1: each step has the mean of the training that it is of, train_runtime over the steps of that"),
    QT_TR_NOOP("%1: %2 times of ranks are left out, behind the first %3"),
    QT_TR_NOOP("%1: %2 lines name no step, and are left out"),
    QT_TR_NOOP("%1: %2 of %3 lines do not tell how long a step took"),
    QT_TR_NOOP("%1: %2 of %3 lines are kept, at even distances"),
    QT_TR_NOOP("%1 lists the program's arguments: shardlab layouts --from %2 makes a layout of them"),
    QT_TR_NOOP("left out: the %1 \"%2\" of %3, from %4 to %5 ns, and whatever else lies 146 years from its clock's "
               "zero"),
    QT_TR_NOOP("left out: a %1 of %2, from %3 to %4 ns, and whatever else lies 146 years from its clock's zero"),
    QT_TR_NOOP("not understood: %1 %2"),
    QT_TR_NOOP("events whose times are too large"),
    QT_TR_NOOP("things of more kinds than are told apart"),
    QT_TR_NOOP("spans that end before they begin"),
    QT_TR_NOOP("spans whose times are too large"),
    QT_TR_NOOP("spans without a time or a duration"),
    QT_TR_NOOP("spans of a kind that this version does not know"),
    QT_TR_NOOP("spans whose action is none"),
    QT_TR_NOOP("spans that begin and never end (B without E)"),
    QT_TR_NOOP("asynchronous spans that begin and never end (b without e)"),
    QT_TR_NOOP("ends of spans that did not begin (E without B)"),
    QT_TR_NOOP("ends of asynchronous spans that did not begin (e without b)"),
    QT_TR_NOOP("entries of traceEvents that are no objects"),
    QT_TR_NOOP("entries without a phase"),
    QT_TR_NOOP("entries of the allocator: %1"),
    QT_TR_NOOP("without an action"),
    QT_TR_NOOP("of other actions"),
    QT_TR_NOOP("events of phase \"%1\""),
    QT_TR_NOOP("arrows between spans (flow events)"),
    QT_TR_NOOP("instants without a time"),
    QT_TR_NOOP("counters without a time"),
    QT_TR_NOOP("memory events without \"Total Allocated\""),
    QT_TR_NOOP("NVTX ranges that never end"),
    QT_TR_NOOP("NVTX events of type %1"),
    QT_TR_NOOP("rows of the table %1"),
};

/// The texts between a pattern's places, %1 first and each once.
QStringList piecesOf(const QString& pattern) {
    QStringList pieces;
    qsizetype from = 0;
    for (int place = 1;; ++place) {
        const QString mark = QStringLiteral("%%1").arg(place);
        const qsizetype at = pattern.indexOf(mark, from);
        pieces << pattern.mid(from, at < 0 ? -1 : at - from);
        if (at < 0) return pieces;
        from = at + mark.size();
    }
}

/// What stands in the places of the pattern; nothing where the line is none of it.
std::optional<QStringList> placesIn(const QString& line, const QStringList& pieces) {
    if (pieces.size() == 1) return line == pieces.front() ? std::optional(QStringList()) : std::nullopt;
    if (!line.startsWith(pieces.front()) || !line.endsWith(pieces.back()) ||
        line.size() < pieces.front().size() + pieces.back().size())
        return {};
    QString rest = line.mid(pieces.front().size()).chopped(pieces.back().size());
    QStringList places;
    for (const QString& piece : pieces.mid(1, pieces.size() - 2)) {
        const qsizetype at = rest.indexOf(piece);
        if (at < 0) return {};
        places << rest.left(at);
        rest.remove(0, at + piece.size());
    }
    places << rest;
    // Which keeps what a program prints of "step 3 of my own" from being taken for one of these.
    for (qsizetype i = 0; i < places.size(); ++i)
        if (pieces[i].endsWith(QStringLiteral("step ")) && places[i].contains(QLatin1Char(' '))) return {};
    return places;
}

/// In which the places may have another order.
QString withPlaces(const QString& translated, const QStringList& places) {
    QString told;
    for (qsizetype at = 0; at < translated.size(); ++at) {
        const int place =
            translated[at] == QLatin1Char('%') && at + 1 < translated.size() ? translated[at + 1].digitValue() : -1;
        if (place < 1 || place > places.size()) {
            told += translated[at];
            continue;
        }
        told += places[place - 1];
        ++at;
    }
    return told;
}

QString toldLine(const QString& line);

/// "parameters 2 GiB, unknown 3 MiB", of the notes of a memory snapshot; nothing where it is none of these.
std::optional<QString> toldHoldings(const QString& place) {
    static const QRegularExpression amount(QStringLiteral("^(\\w+) \\d"));
    QStringList parts = place.split(QStringLiteral(", "));
    for (QString& part : parts) {
        const QString word = amount.match(part).captured(1);
        bool known = word == QLatin1String("unknown");
        for (int i = 0; i < memoryCategoryCount; ++i) known |= word == text(name(static_cast<MemoryCategory>(i)));
        if (!known) return {};
        part.replace(0, word.size(), word == QLatin1String("unknown") ? tr("unknown") : term(word.toStdString()));
    }
    return parts.join(QStringLiteral(", "));
}

/// What stands in a place, of which some is of more parts than a pattern says.
QString toldPlace(const QString& place) {
    if (const auto held = toldHoldings(place)) return *held;
    if (const auto action = parseAction(place.toStdString()))
        return QStringLiteral("%1 (%2)").arg(place, actionWords(*action));
    QStringList parts = place.split(QStringLiteral("; "));
    static const QRegularExpression ofRank(QStringLiteral("^rank (\\d+) (was |waits )(.*)$"));
    for (QString& part : parts) {
        const auto rank = ofRank.match(part);
        if (!rank.hasMatch()) part = toldLine(part);
        else if (rank.captured(2) == QLatin1String("was "))
            part = withPlaces(tr("rank %1 was %2"), {rank.captured(1), toldLine(rank.captured(3))});
        else part = QStringLiteral("rank %1 %2").arg(rank.captured(1), toldLine(rank.captured(2) + rank.captured(3)));
    }
    return parts.join(QStringLiteral("; "));
}

QString toldLine(const QString& line) {
    static const std::vector<QStringList> pieces = [] {
        std::vector<QStringList> all;
        for (const char* pattern : patterns) all.push_back(piecesOf(QString::fromUtf8(pattern)));
        return all;
    }();
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        auto places = placesIn(line, pieces[i]);
        if (!places) continue;
        for (QString& place : *places) place = toldPlace(place);
        return withPlaces(tr(patterns[i]), *places);
    }
    return term(line.toStdString());
}

}  // namespace

std::span<const char* const> logPatterns() { return patterns; }

QString logWords(std::string_view english) { return toldLine(text(english)); }

}  // namespace shardlab::ui
