// SPDX-License-Identifier: GPL-3.0-or-later
// Where a layout runs and what it is planned for are two questions, and a design for machines that are not there has a
// twin that trains here.
#include "engine/layout/presets.h"
#include "engine/predict/search/shrink.h"
#include "tests/support/wings.h"
#include "tests/ui/desktop_fixture.h"
#include "ui/views/layout_form/field_row.h"
#include "ui/views/layout_form/layout_form.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>

#include <memory>

using namespace shardlab;
using namespace shardlab::test;

class ShrinkingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whereItRunsAndWhatItIsPlannedForAreTwoQuestions();
    void aDesignForOtherMachinesIsShrunkOrMeant();
};

void ShrinkingTest::whereItRunsAndWhatItIsPlannedForAreTwoQuestions() {
    Desk desk;
    const auto form = std::make_unique<LayoutForm>(desk.workbench.context(Workspace::Design), nullptr);
    form->resize(420, 2400);
    form->show();
    const auto texts = [&] {
        QStringList all;
        for (auto* label : form->findChildren<QLabel*>())
            if (label->isVisibleTo(form.get())) all << label->text().replace(QChar::Nbsp, QLatin1Char(' '));
        for (auto* title : form->findChildren<QToolButton*>())
            if (title->isVisibleTo(form.get())) all << title->text();
        return all;
    };
    QPushButton* shrink = nullptr;
    for (auto* button : form->findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Shrink to this machine")) shrink = button;
    QVERIFY(shrink && !shrink->isVisibleTo(form.get()));
    QVERIFY(texts().contains("RUNS ON") && texts().contains("PLANNED FOR") && texts().contains("this machine"));

    Layout design = findPreset("llama3-8b")->layout;
    design.cluster.pace->network = 400;
    desk.document().replace(design, {});
    QVERIFY2(texts().contains("2 other hosts"), qPrintable(texts().join('\n')));
    QVERIFY2(texts().contains("2 × 8 NVIDIA H100 SXM 80 GB, 450 GB/s within a node, 400 Gbit/s between nodes"),
             qPrintable(texts().join('\n')));
    // Each is below its own title.
    const auto top = [&](const char* pointer) {
        return form->row(QString::fromLatin1(pointer))->mapTo(form.get(), QPoint()).y();
    };
    int planned = 0;
    for (auto* title : form->findChildren<QToolButton*>())
        if (title->text() == "PLANNED FOR") planned = title->mapTo(form.get(), QPoint()).y();
    QVERIFY(top("/cluster/hosts") < planned && top("/cluster/pace") > planned);

    QVERIFY(shrink->isVisibleTo(form.get()));
    shrink->click();
    const Layout& twin = desk.document().layout();
    QCOMPARE(twin.cluster.hosts.size(), std::size_t{1});
    QCOMPARE(twin.schedule.kind, design.schedule.kind);
    QVERIFY(!shrink->isVisibleTo(form.get()));
    desk.document().undoStack().undo();
    QCOMPARE(desk.document().layout(), design);
    QVERIFY(shrink->isVisibleTo(form.get()));
    design.cluster.pace.reset();
    desk.document().replace(design, {});
    QVERIFY(texts().contains("the machine it runs on, at full speed"));
    QVERIFY(!shrink->isVisibleTo(form.get()));  // its hosts are where it is meant to run
}

/// The hosts of a design are names in a plan: nobody is called before a person has said that they are there.
void ShrinkingTest::aDesignForOtherMachinesIsShrunkOrMeant() {
    Desk desk;
    Layout design = desk.document().layout();
    design.name = "design";
    design.model.hidden = 4096;
    design.cluster.hosts = {{"nowhere77", 2}, {"nowhere78", rankCount(design) - 2}};
    design.cluster.pace = PaceSpec{};
    desk.workbench.newFromPreset(design);
    std::vector<Message> messages;
    connect(&desk.workbench.messages(), &Messages::posted,
            [&](const Message& message) { messages.push_back(message); });
    QSignalSpy workspaces(&desk.workbench, &Workbench::workspaceRequested);
    QVERIFY(!desk.workbench.startRun());
    QCOMPARE(messages.size(), std::size_t{1});
    QCOMPARE(desk.jobs->started.load(), 0);
    QVERIFY2(messages[0].title.contains("2 other hosts, nowhere77 … nowhere78"), qPrintable(messages[0].title));
    QCOMPARE(messages[0].choices[0].label, QStringLiteral("Shrink to this machine"));
    QVERIFY(messages[0].holds());
    const auto shrink = messages[0].choices[0].act;
    shrink();
    QVERIFY(predict::trainsHere(desk.document().layout()));
    QCOMPARE(desk.document().layout().parallel.pipeline, design.parallel.pipeline);
    QCOMPARE(workspaces.back().front().value<Workspace>(), Workspace::Design);
    QCOMPARE(messages.size(), std::size_t{2});
    QVERIFY2(messages[1].detail.contains("Hidden"), qPrintable(messages[1].detail));
    QVERIFY(messages[1].holds() && !messages[0].holds());
    QVERIFY(desk.workbench.startRun());
    QTRY_VERIFY(desk.workbench.run().state() == RunState::Running);
    desk.jobs->end("finished");
    QTRY_VERIFY(!desk.workbench.run().active());
    // Undone, it is the design again; a person who means its hosts is not asked again, and a run of it that fails
    // offers the twin.
    desk.document().undoStack().undo();
    QCOMPARE(desk.document().layout(), design);
    messages.clear();
    QVERIFY(!desk.workbench.startRun());
    const auto there = messages[0].choices[1].act;
    there();
    QTRY_VERIFY(desk.workbench.run().state() == RunState::Running);
    messages.clear();
    desk.jobs->end("failed");
    QTRY_VERIFY(!desk.workbench.run().active());
    QCOMPARE(messages.back().choices.back().label, QStringLiteral("Shrink to this machine"));
    QVERIFY(desk.workbench.startRun());
    QTRY_VERIFY(desk.workbench.run().state() == RunState::Running);
    desk.jobs->end("finished");
    QTRY_VERIFY(!desk.workbench.run().active());
}

QTEST_MAIN(ShrinkingTest)
#include "shrinking_test.moc"
