// SPDX-License-Identifier: GPL-3.0-or-later
// What engine and files call by pointers and short forms is told in words, with the raw form beside it.
#include "desktop_fixture.h"

#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "ui/core/action_words.h"
#include "ui/core/field_words.h"

#include <QtTest>

using namespace shardlab::test;

class WordsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void actionsHaveWords() {
        QCOMPARE(actionWithWords({ActionKind::RecvForward, 1, 0}),
                 QStringLiteral("1RECV_F0, receive forward · stage 1 · microbatch 0"));
        for (std::size_t i = 1; i < actionKindCount; ++i) {
            const Action action{static_cast<ActionKind>(i), 3, 5, 2};
            if (eventKind(action.kind) == EventKind::None) continue;  // it leaves no event to tell of
            const QString words = actionWords(action);
            QVERIFY(!words.startsWith(QStringLiteral("unknown")) && !words.startsWith(QStringLiteral("none")));
            QVERIFY(words.contains(QStringLiteral("stage 3 · microbatch 5 · weights v2")));
        }
    }

    void faultsAreToldInTheFormsWords() {
        Desk desk;
        Layout layout = desk.document().layout();
        layout.parallel.pipeline = 3;
        layout.model.heads = 7;
        const std::vector<Fault> faults = check(layout, scheduleMethods());
        QVERIFY(faults.size() > 1);
        const QString told = faultsText(faults);
        for (const Fault& fault : faults) {
            const QString pointer = QString::fromStdString(fault.pointer);
            QVERIFY2(told.contains(QStringLiteral("%1 (%2): ").arg(fieldLabel(fault.pointer), pointer)),
                     qPrintable(told));
            QVERIFY(told.contains(QString::fromStdString(fault.what.english())));
        }
        // What the window says of a refused run.
        std::vector<Message> messages;
        connect(&desk.workbench.messages(), &Messages::posted,
                [&](const Message& message) { messages.push_back(message); });
        desk.document().change(layout, QStringLiteral("faults"));
        QVERIFY(!desk.workbench.startRun());
        QCOMPARE(messages.size(), std::size_t{1});
        QCOMPARE(messages.front().detail, told);
    }

    /// Values once stood there as the file has them: in quotes, with brackets and braces.
    void changesAreToldInWords() {
        Layout before, after;
        before.cluster.hosts = {{"node-a", 4}};
        after.cluster.hosts = {{"node-a", 2}, {"node-b", 2}};
        after.schedule.kind = "gpipe";
        after.parallel.pipeline = before.parallel.pipeline + 2;
        after.parallel.sequence = !before.parallel.sequence;
        after.model.layers = 16;
        after.schedule.stages.assign(8, 2);
        after.optimizer.learningRate = 0.0005;
        const std::vector<FieldChange> changes = changesBetween(before, after);
        const QString told = changesText(changes);
        for (const char* said : {"Hosts node-a × 2, node-b × 2 instead of node-a × 4", "Schedule gpipe instead of 1f1b",
                                 "Sequence parallel on instead of off", "2, 2, 2, 2, 2, 2, … of 8 instead of even",
                                 "0.0005 instead of 0.003"})
            QVERIFY2(told.contains(QString::fromUtf8(said)), qPrintable(told));
        QVERIFY(told.contains(QStringLiteral("Pipeline %1 ranks instead of %2")
                                  .arg(after.parallel.pipeline)
                                  .arg(before.parallel.pipeline)));
        after.parallel.pipeline = 1;
        const QString one = changesText(changesBetween(before, after));
        QVERIFY2(one.contains(QStringLiteral("Pipeline 1 rank instead of ")), qPrintable(one));  // once "1 ranks"
        for (const QChar sign : QStringLiteral("\"[]{}")) QVERIFY2(!told.contains(sign), qPrintable(told));
        // A pace that only changes is told by its own fields.
        after.cluster.pace.emplace();
        before = after;
        after.cluster.pace->stepSeconds = 2 * before.cluster.pace->stepSeconds;
        QVERIFY(!changesText(changesBetween(before, after)).contains(QStringLiteral("Paced")));
        QVERIFY(changesText(changesBetween(before, after)).contains(QStringLiteral(" s instead of ")));
        // Orders filled three lines with actions.
        before.schedule.actions = {"0F0,0B0", "1F0,1B0", "2F0,2B0"};
        after = before;
        after.schedule.actions[1] = "1F0,1I0,1W0";
        QCOMPARE(changesText(changesBetween(before, after)), QStringLiteral("another order on pipeline rank 1"));
        after.schedule.actions[2] = "2F0,2I0,2W0";
        QCOMPARE(changesText(changesBetween(before, after)), QStringLiteral("other orders on pipeline ranks 1, 2"));
        after.schedule.actions.clear();
        QCOMPARE(changesText(changesBetween(before, after)), QStringLiteral("no orders by hand"));
        QCOMPARE(changesText(changesBetween(after, before)), QStringLiteral("orders by hand"));
    }
};

QTEST_MAIN(WordsTest)
#include "words_test.moc"
