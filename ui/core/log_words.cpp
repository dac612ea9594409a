// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/log_words.h"

#include "ui/core/text.h"
#include "ui/core/words.h"

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

QString toldLine(const QString& line) {
    static const std::vector<QStringList> pieces = [] {
        std::vector<QStringList> all;
        for (const char* pattern : patterns) all.push_back(piecesOf(QString::fromUtf8(pattern)));
        return all;
    }();
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        auto places = placesIn(line, pieces[i]);
        if (!places) continue;
        for (QString& place : *places) place = toldLine(place);
        return withPlaces(tr(patterns[i]), *places);
    }
    return term(line.toStdString());
}

}  // namespace

std::span<const char* const> logPatterns() { return patterns; }

QString logWords(std::string_view english) {
    const bool asWritten = tr(patterns[0]) == QLatin1String(patterns[0]);
    return asWritten ? text(english) : toldLine(text(english));
}

}  // namespace shardlab::ui
