// SPDX-License-Identifier: GPL-3.0-or-later
// What Answer tells of a whole run, once somebody asks.
#include "desktop_fixture.h"

#include "tests/support/wings.h"
#include "tests/ui/bench_context.h"
#include "ui/core/text.h"
#include "ui/views/answer/answer_view.h"
#include "ui/views/answer/whole_run_form.h"

#include <QLineEdit>
#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

class WholeRunViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void daysCostAndGoodputAreTold() {
        Desk desk;  // with settings of its own
        AnswerView answer(desk.workbench.context(Workspace::Design), nullptr);
        const Plan& plan = *desk.document().plan();
        QVERIFY(!answer.asTable().contains(QStringLiteral("Whole run")));
        WholeRunForm& form = answer.wholeRunForm();
        form.field(&WholeRunQuestion::tokens).setText(QStringLiteral("1e12"));
        WholeRun run = wholeRun(plan, {.tokens = 1e12});
        QVERIFY2(answer.asTable().contains(QStringLiteral("Whole run\t") + text(daysText(run.seconds))),
                 qPrintable(answer.asTable()));
        QVERIFY(!answer.asTable().contains(QStringLiteral("Cost")));
        form.field(&WholeRunQuestion::price).setText(QStringLiteral("2.5"));
        form.field(&WholeRunQuestion::failureHours).setText(QStringLiteral("5000"));
        // Devices that fail ask how long a checkpoint takes.
        QVERIFY(answer.asTable().contains(QStringLiteral("no answer")));
        form.field(&WholeRunQuestion::checkpointSeconds).setText(QStringLiteral("20"));
        form.field(&WholeRunQuestion::restartSeconds).setText(QStringLiteral("300"));
        run = wholeRun(
            plan, {.tokens = 1e12, .price = 2.5, .failureHours = 5000, .checkpointSeconds = 20, .restartSeconds = 300});
        const QString table = answer.asTable();
        QVERIFY2(table.contains(QStringLiteral("Whole run\t") + text(daysText(run.seconds))), qPrintable(table));
        QVERIFY2(table.contains(QStringLiteral("Cost\t") + text(formatCount(*run.cost))), qPrintable(table));
        QVERIFY2(table.contains(QStringLiteral("Goodput\t") + percent(run.shares.work)), qPrintable(table));
        QVERIFY2(table.contains(QStringLiteral("Checkpoint every\t") + text(formatSeconds(run.interval))),
                 qPrintable(table));
        // It is asked again the next time.
        AnswerView again(desk.workbench.context(Workspace::Design), nullptr);
        QCOMPARE(again.asTable(), table);
    }
};

QTEST_MAIN(WholeRunViewTest)
#include "whole_run_view_test.moc"
