// SPDX-License-Identifier: GPL-3.0-or-later
// The document: undo is the previous value, every change is judged and planned.
#include "tests/support/sample_weights.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"
#include "ui/core/document.h"

#include <QRandomGenerator>
#include <QSignalSpy>
#include <QUndoStack>
#include <QtTest>

using namespace shardlab;
using namespace shardlab::test;

class DocumentTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void undoIsThePreviousValue();
    void editsOfOneFieldMergeOthersDoNot();
    void anEditTakenBackByHandLeavesNothingToUndo();
    void faultsStopThePlanAndKeepTheLast();
    void largePlansComeLaterAndStaleOnesAreDropped();
    void savingMakesClean();
    void filesThatDoNotFitAreFaultsOfTheirFields();
};

void DocumentTest::undoIsThePreviousValue() {
    const quint32 seed = freshSeed();
    QRandomGenerator random(seed);
    Document document;
    std::vector<Layout> history{document.layout()};
    for (int edit = 0; edit < 20; ++edit) {
        Layout next = history.back();
        if (random.bounded(2)) next.model.layers += 1 + random.bounded(3);
        else next.run.seed += 1 + random.bounded(9);
        document.change(next, QStringLiteral("edit %1").arg(edit));
        history.push_back(next);
    }
    for (int index = 19; index >= 0; --index) {
        document.undoStack().undo();
        QVERIFY2(document.layout() == history[static_cast<std::size_t>(index)],
                 qPrintable(QString("seed %1").arg(seed)));
    }
    QVERIFY(!document.undoStack().canUndo());
    for (std::size_t index = 1; index < history.size(); ++index) {
        document.undoStack().redo();
        QVERIFY2(document.layout() == history[index], qPrintable(QString("seed %1").arg(seed)));
    }
}

void DocumentTest::editsOfOneFieldMergeOthersDoNot() {
    Document document;
    const Layout first = document.layout();
    Layout layout = first;
    for (const int hidden : {1, 12, 128, 64}) {
        layout.model.hidden = hidden;
        document.change(layout, QStringLiteral("Set hidden to %1").arg(hidden), QStringLiteral("/model/hidden"));
    }
    layout.batch.micro = 1;
    document.change(layout, QStringLiteral("Set microbatch to 1"), QStringLiteral("/batch/micro"));
    QCOMPARE(document.undoStack().count(), 2);
    document.undoStack().undo();
    QCOMPARE(document.layout().model.hidden, 64);
    QCOMPARE(document.undoStack().undoText(), QStringLiteral("Set hidden to 64"));
    document.undoStack().undo();
    QVERIFY(document.layout() == first);
}

void DocumentTest::anEditTakenBackByHandLeavesNothingToUndo() {
    Document document;
    Layout layout = document.layout();
    const int before = layout.model.hidden;
    layout.model.hidden = before * 2;
    document.change(layout, QStringLiteral("a"), QStringLiteral("/model/hidden"));
    QVERIFY(document.unsaved());
    layout.model.hidden = before;
    document.change(layout, QStringLiteral("b"), QStringLiteral("/model/hidden"));
    QVERIFY(!document.undoStack().canUndo());
}

void DocumentTest::faultsStopThePlanAndKeepTheLast() {
    Document document;
    QVERIFY(document.faults().empty());
    QVERIFY(document.planIsCurrent());
    const double step = document.plan()->stepSeconds;
    QSignalSpy changed(&document, &Document::layoutChanged);
    Layout layout = document.layout();
    layout.model.heads = 7;
    document.change(layout, QStringLiteral("Set heads to 7"));
    QCOMPARE(changed.count(), 1);
    QVERIFY(!document.planIsCurrent());
    QCOMPARE(QString::fromStdString(document.faults().front().pointer), QStringLiteral("/model/heads"));
    QCOMPARE(document.plan()->stepSeconds, step);
    document.undoStack().undo();
    QVERIFY(document.planIsCurrent());
}

void DocumentTest::largePlansComeLaterAndStaleOnesAreDropped() {
    Document document;
    Layout large = document.layout();
    large.cluster.hosts = {{"localhost", 64}};
    large.parallel.data = 8;
    large.parallel.pipeline = 8;
    large.model.layers = 16;
    large.batch.micro = 1;
    large.batch.global = 8 * 512;
    document.change(large, QStringLiteral("large"));
    QVERIFY2(document.faults().empty(),
             document.faults().empty() ? "" : document.faults().front().what.english().c_str());
    QVERIFY(!document.planIsCurrent());
    Layout larger = large;
    larger.batch.global = 8 * 640;
    document.change(larger, QStringLiteral("larger"));
    QTRY_VERIFY_WITH_TIMEOUT(document.planIsCurrent(), 60000);
    QCOMPARE(document.plan()->layout.batch.global, 8 * 640);
    QTest::qWait(300);
    QCOMPARE(document.plan()->layout.batch.global, 8 * 640);
}

void DocumentTest::savingMakesClean() {
    Document document;
    QVERIFY(!document.unsaved());
    Layout layout = document.layout();
    layout.name = "renamed";
    document.change(layout, QStringLiteral("rename"), QStringLiteral("/name"));
    QVERIFY(document.unsaved());
    document.setSaved("/tmp/x.layout.json");
    QVERIFY(!document.unsaved());
    layout.name = "renamed again";
    document.change(layout, QStringLiteral("rename"), QStringLiteral("/name"));
    QCOMPARE(document.undoStack().count(), 2);  // what is saved can be returned to
    QVERIFY(document.unsaved());
    document.undoStack().undo();
    QVERIFY(!document.unsaved());
}

void DocumentTest::filesThatDoNotFitAreFaultsOfTheirFields() {
    const QTemporaryDir folder;
    test::SampleWeights weights = test::SampleWeights::gpt2();
    weights.config["n_head"] = 4;
    weights.write(folder.path().toStdString());
    Document document;
    Layout layout = document.layout();
    layout.model = weights.model;
    layout.model.weights = folder.path().toStdString();
    document.change(layout, QStringLiteral("Start from"), QStringLiteral("/model/weights"));
    QTRY_VERIFY(!document.faults().empty());
    QCOMPARE(document.faults().front().pointer, std::string("/model/weights"));
    QVERIFY(document.faults().front().why.english().find("n_head is 4, model.heads is 2") != std::string::npos);
    QVERIFY(!document.planIsCurrent());
    // What is not in the layout's model and data leaves it a fault all the while.
    layout.run.seed += 1;
    document.change(layout, QStringLiteral("Set seed"));
    QCOMPARE(document.faults().size(), std::size_t(1));
    // A fault of the layout itself comes first, and the file's is there again without it.
    layout.batch.micro = 0;
    document.change(layout, QStringLiteral("Set microbatch"));
    QVERIFY(
        std::ranges::none_of(document.faults(), [](const Fault& fault) { return fault.pointer == "/model/weights"; }));
    document.undoStack().undo();
    QTRY_VERIFY(!document.faults().empty());
    // The layout's model made that of the weights, and mended in the file.
    layout = document.layout();
    layout.model.heads = 4;
    document.change(layout, QStringLiteral("Set heads"));
    QTRY_VERIFY(document.planIsCurrent());
    document.undoStack().undo();
    QTRY_VERIFY(!document.faults().empty());
    weights.config["n_head"] = 2;
    weights.write(folder.path().toStdString());
    Q_EMIT qGuiApp->applicationStateChanged(Qt::ApplicationActive);
    QTRY_VERIFY(document.planIsCurrent());
}

QTEST_MAIN(DocumentTest)
#include "document_test.moc"
