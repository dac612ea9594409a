// SPDX-License-Identifier: GPL-3.0-or-later
// Notes beside the form: a refused layout is told with its fault and the nearest legal one, a click away.
#include "desktop_fixture.h"

#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/search/nearest_legal.h"
#include "ui/core/unbroken.h"
#include "ui/views/notes/notes_view.h"
#include "ui/views/notes/reasons.h"
#include "tests/support/named.h"
#include "tests/support/wings.h"

#include <QLabel>
#include <QUndoStack>
#include <QtTest>

using namespace shardlab::test;

namespace {

/// Follows the link after `words` as a click on it would.
bool follow(NotesView& view, const QString& link) {
    auto* label = view.findChild<QLabel*>();
    if (!label->text().contains(QStringLiteral("href='%1'").arg(link))) return false;
    Q_EMIT label->linkActivated(link);
    return true;
}

}  // namespace

class NotesViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theNearestLegalLayoutIsAClickAway();
    void ofALegalLayoutNoneIsTold();
    void anOlderAnswerIsDropped();
    void theFormulaIsThatOfTheShape();
    void noFormulaTellsOfAServer();
    void waitingForTheHostIsPartOfTheBubble();
    void chunksOfMicrobatchesAreNoMicrobatches();
    void notesExplainBehindTheirColon();
    void aBubbleIsToldInItsParts();
    void figuresStayWithTheirUnits();
    void whatDoesNotFitComesFirst();
};

/// "No pipeline, no bubble" stood first, and "Memory" somewhere below it, in the colour of all others.
void NotesViewTest::whatDoesNotFitComesFirst() {
    Desk desk;
    const NotesView view(desk.workbench.context(Workspace::Design), nullptr);
    QTRY_VERIFY(desk.document().planIsCurrent());
    for (const Reason& reason : reasons(*desk.document().plan())) QVERIFY2(!reason.serious, qPrintable(reason.title));
    const QString bad = desk.workbench.theme().theme().bad.name();
    const QLabel& label = *view.findChild<QLabel*>();
    QVERIFY(!label.text().contains(bad));
    Layout layout = desk.document().layout();
    layout.cluster.pace = PaceSpec{"h100-sxm", 1};
    layout.model.layers = 80;
    layout.model.hidden = 8192;
    desk.document().change(layout, QStringLiteral("larger than four GPUs"));
    QTRY_VERIFY(desk.document().planIsCurrent());
    QVERIFY(!desk.document().plan()->fits);
    const std::vector<Reason> list = reasons(*desk.document().plan());
    QVERIFY2(list.front().serious && list.front().title.contains(QStringLiteral("does not fit")),
             qPrintable(list.front().title));
    QCOMPARE(std::ranges::count_if(list, &Reason::serious), 1);
    QTRY_VERIFY2(label.text().indexOf(bad) < 60 && label.text().contains(bad), qPrintable(label.text().left(200)));
}

void NotesViewTest::figuresStayWithTheirUnits() {
    QCOMPARE(unbroken(QStringLiteral("57.6 % of 17.6 MiB, 3 × in 2 µs, 8 microbatches")),
             QStringLiteral("57.6\u00a0% of 17.6\u00a0MiB, 3\u00a0× in 2\u00a0µs, 8 microbatches"));
    QCOMPARE(unbroken(QStringLiteral("with v = 2 and m = 32 it is")),
             QStringLiteral("with v\u00a0=\u00a02 and m\u00a0=\u00a032 it is"));
    Desk desk;
    const NotesView view(desk.workbench.context(Workspace::Design), nullptr);
    const QLabel& label = *view.findChild<QLabel*>();
    QTRY_VERIFY2(label.text().contains(QStringLiteral("\u00a0%")), qPrintable(label.text()));
    QVERIFY2(!label.text().contains(QStringLiteral(" % ")), qPrintable(label.text()));
}

/// "bubble 1.7 %" stood beside "No pipeline, no bubble".
void NotesViewTest::aBubbleIsToldInItsParts() {
    Desk desk;
    NotesView view(desk.workbench.context(Workspace::Design), nullptr);
    Layout layout;
    layout.parallel.data = 2;
    layout.parallel.pipeline = 1;
    layout.parallel.zero = 3;
    layout.cluster.hosts = {{"localhost", 1}, {"other", 1}};
    layout.cluster.pace = PaceSpec{"h100-sxm", 1};
    desk.document().change(layout, QStringLiteral("no pipeline"));
    QVERIFY2(desk.document().faults().empty(), toText(desk.document().faults()).c_str());
    QTRY_VERIFY(desk.document().planIsCurrent());
    QVERIFY(desk.document().plan()->bubble > 0.001);
    QVERIFY(!view.asTable().contains(QStringLiteral("No pipeline, no bubble")));
    QVERIFY(view.asTable().contains(QStringLiteral("is bubble, though there is no pipeline")));
    QTRY_VERIFY2(view.asTable().contains(QStringLiteral("It is all waiting for what moves between ranks.")),
                 qPrintable(view.asTable()));
    layout.parallel.zero = 0;
    layout.parallel.data = 1;
    layout.parallel.pipeline = 2;
    layout.cluster.hosts = {{"localhost", 2}};
    desk.document().change(layout, QStringLiteral("a pipeline"));
    QTRY_VERIFY2(view.asTable().contains(QStringLiteral("% filling and draining the pipeline")) ||
                     view.asTable().contains(QStringLiteral("It is all filling and draining the pipeline")),
                 qPrintable(view.asTable()));
    layout.parallel.pipeline = 1;
    layout.cluster.hosts = {{"localhost", 1}};
    desk.document().change(layout, QStringLiteral("alone"));
    QTRY_VERIFY(view.asTable().contains(QStringLiteral("No pipeline, no bubble")));
}

void NotesViewTest::theNearestLegalLayoutIsAClickAway() {
    Desk desk;
    Layout wrong = desk.document().layout();
    wrong.model.heads = 7;
    wrong.data.path = desk.document().layout().data.path;
    const auto legal = nearestLegal(wrong);
    QVERIFY(legal && !legal->changes.empty());
    NotesView view(desk.workbench.context(Workspace::Design), nullptr);
    view.show();
    desk.document().change(wrong, QStringLiteral("7 heads"));
    QVERIFY(!desk.document().faults().empty());
    QTRY_VERIFY(view.asTable().contains(QStringLiteral("Nearest legal layout")));
    QVERIFY(
        view.asTable().contains(QString::fromStdString(legal->changes.front().to) + QStringLiteral(" instead of 7")));
    QVERIFY(follow(view, QStringLiteral("nearest:")));
    QVERIFY(desk.document().layout() == legal->layout);
    QVERIFY(desk.document().faults().empty());
    QVERIFY(!view.asTable().contains(QStringLiteral("Nearest legal layout")));
    QCOMPARE(desk.document().undoStack().count(), 2);
    desk.document().undoStack().undo();
    QVERIFY(desk.document().layout() == wrong);
    QTRY_VERIFY(view.asTable().contains(QStringLiteral("Nearest legal layout")));
}

void NotesViewTest::ofALegalLayoutNoneIsTold() {
    Desk desk;
    NotesView view(desk.workbench.context(Workspace::Design), nullptr);
    QTest::qWait(200);
    QVERIFY(!view.asTable().contains(QStringLiteral("Nearest legal layout")));
    QVERIFY(!follow(view, QStringLiteral("nearest:")));
}

void NotesViewTest::theFormulaIsThatOfTheShape() {
    Layout layout;
    layout.model.layers = 8;
    layout.parallel.data = 1;
    layout.parallel.pipeline = 2;
    layout.cluster.hosts = {{"localhost", 2}};
    layout.schedule.kind = "interleaved-1f1b";
    layout.schedule.chunks = 2;
    layout.batch = {16, 2};
    const auto closed = makePlan(layout);
    QVERIFY(closed);
    const QString why = reasons(*closed).front().why;
    QVERIFY2(why.contains(QStringLiteral("with p = 2, v = 2 and m = 8 it is 5.9 %, (p−1)/(vm+p−1).")), qPrintable(why));
    QVERIFY2(!why.contains(QStringLiteral("where")), qPrintable(why));
    layout.schedule = {};
    layout.schedule.kind = "zb-h1";
    layout.batch = {2, 2};
    const auto counted = makePlan(layout);
    QVERIFY(counted);
    const QString other = reasons(*counted).front().why;
    QVERIFY2(other.contains(QStringLiteral("counted from the order")) && !other.contains(QStringLiteral("3m")),
             qPrintable(other));
}

void NotesViewTest::noFormulaTellsOfAServer() {
    Layout layout;
    layout.parallel.exchange = Exchange::AsyncServer;
    layout.parallel.data = 3;
    layout.parallel.pipeline = 1;
    layout.cluster.hosts = {{"localhost", 3}};
    layout.batch = {6, 1};
    const auto plan = makePlan(layout);
    QVERIFY(plan);
    const Reason first = reasons(*plan).front();
    QVERIFY2(first.title.contains(QStringLiteral("of the step is bubble")), qPrintable(first.title));
    QVERIFY2(first.why.contains(QStringLiteral("Rank 0 is the parameter server")) &&
                 !first.why.contains(QStringLiteral("p =")),
             qPrintable(first.why));
}

/// The layout of a lesson's kind: microbatches so small that copies to the host take longer than what they hide behind.
void NotesViewTest::waitingForTheHostIsPartOfTheBubble() {
    Layout layout;
    layout.model.hidden = 64;
    layout.parallel.data = 1;
    layout.cluster.hosts = {{"localhost", 2}};
    layout.cluster.pace = PaceSpec{"a100-sxm", 1};
    layout.schedule.kind = "gpipe";
    layout.batch = {32, 4};
    for (const bool swaps : {false, true}) {
        layout.memory.swap = named(swaps ? "activations" : "none");
        const auto plan = makePlan(layout);
        QVERIFY(plan);
        QCOMPARE(std::ranges::any_of(plan->hosts, [](const HostTraffic& copies) { return copies.exposedSeconds > 0; }),
                 swaps);
        const QString why = reasons(*plan).front().why;
        QVERIFY2(why.contains(QStringLiteral("to the host and back")) == swaps, qPrintable(why));
    }
}

/// With interleaved stages a rank once kept the activations of more microbatches than a step has.
void NotesViewTest::chunksOfMicrobatchesAreNoMicrobatches() {
    Layout layout;
    layout.parallel.data = 1;
    layout.parallel.pipeline = 2;
    layout.cluster.hosts = {{"localhost", 2}};
    layout.model.layers = 8;
    layout.schedule.kind = "interleaved-1f1b";
    layout.schedule.chunks = 4;
    layout.batch = {8, 2};
    const auto plan = makePlan(layout);
    QVERIFY(plan);
    QVERIFY(plan->memory.front().microbatchesInFlight > microbatches(layout));
    const std::vector<Reason> all = reasons(*plan);
    QVERIFY(std::ranges::any_of(all, [](const Reason& reason) {
        return reason.why.contains(QStringLiteral("forwards, each of a microbatch in one of its 4 chunks"));
    }));
}

/// What a note claims is its title; the bubble of one replica whose weights come from its host is no matter of ranks.
void NotesViewTest::notesExplainBehindTheirColon() {
    Layout layout;
    layout.parallel.data = layout.parallel.pipeline = 1;
    layout.parallel.zero = 3;
    layout.cluster.hosts = {{"localhost", 1}};
    layout.cluster.pace = PaceSpec{"a100-sxm", 1};
    layout.memory.offload = OffloadKind::Parameters;
    const auto plan = makePlan(layout);
    QVERIFY(plan);
    const std::vector<Reason> all = reasons(*plan, bubbleParts(*plan));
    const auto host = std::ranges::find(all, QStringLiteral("Parameters on the host"), &Reason::title);
    QVERIFY(host != all.end());
    QVERIFY2(host->why.startsWith(QStringLiteral("The weights and")), qPrintable(host->why));
    QVERIFY2(all.front().why.contains(QStringLiteral("between a rank and its host")), qPrintable(all.front().why));
}

void NotesViewTest::anOlderAnswerIsDropped() {
    Desk desk;
    NotesView view(desk.workbench.context(Workspace::Design), nullptr);
    Layout layout = desk.document().layout();
    for (const int heads : {7, 9, 11}) {
        layout.model.heads = heads;
        desk.document().change(layout, QStringLiteral("heads"));
    }
    QTRY_VERIFY(view.asTable().contains(QStringLiteral("instead of 11")));
    QVERIFY(!view.asTable().contains(QStringLiteral("instead of 7")));
}

QTEST_MAIN(NotesViewTest)
#include "notes_view_test.moc"
