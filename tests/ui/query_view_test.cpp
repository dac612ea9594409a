// SPDX-License-Identifier: GPL-3.0-or-later
// Query of the run in sight: asked, answered, cancelled, and what is wrong with them said in place.
#include "desktop_fixture.h"
#include "engine/launch/job/run_header.h"
#include "synthetic_run.h"

#include "ui/views/query/query_view.h"
#include "tests/support/wings.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QThreadPool>
#include <QToolButton>
#include <QClipboard>
#include <QGuiApplication>
#include <QStyledItemDelegate>
#include <QtTest>

using namespace shardlab::test;

class QueryViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void theKeyboardAsks();
    void numbersAreShownShortAndCopiedWhole();
    void everyExampleIsAnswered();
    void mistakesAreSaidInPlace();
    void aLongAnswerIsCutAndCanBeCancelled();
    void aRowSelectsItsRankAndMoment();
    void anotherRunForgetsTheAnswer();
    void withoutAFileThereIsNothingToAsk();

private:
    bool ask(const QString& sql) {
        view_->editor().setPlainText(sql);
        view_->ask();
        return QTest::qWaitFor([this] { return !view_->session().running(); });
    }
    void record(const std::filesystem::path& file, int steps) {
        auto writer = RunWriter::create(file, headerOf(*plan_));
        const auto events = syntheticRun(*plan_, steps, 3);
        QVERIFY((*writer)->appendPredicted(plan_->simulation.events).has_value() &&
                (*writer)->append(std::span(events)).has_value());
        for (const RankRecord& rank : syntheticRanks(*plan_)) QVERIFY((*writer)->setRank(rank).has_value());
        QVERIFY((*writer)->append(LogLine{0, -1, LogLevel::Warning, "mind\tthe gap"}).has_value() &&
                (*writer)->finish({"finished", ""}).has_value());
    }
    std::optional<Plan> plan_;
    std::unique_ptr<Desk> desk_;
    std::unique_ptr<QueryView> view_;
};

void QueryViewTest::init() {
    desk_ = std::make_unique<Desk>();
    plan_ = *makePlan(Layout{});
    record(desk_->path("asked.shardlab"), 40);
    QSignalSpy finished(&desk_->workbench.replay(), &ReplaySession::finished);
    desk_->workbench.open(desk_->path("asked.shardlab"));
    QVERIFY(finished.wait(10'000));
    view_ = std::make_unique<QueryView>(desk_->workbench.context(Workspace::Replay), nullptr);
    view_->resize(420, 300);
    view_->show();
}

void QueryViewTest::cleanup() {
    view_.reset();
    desk_.reset();
}

void QueryViewTest::theKeyboardAsks() {
    QVERIFY(view_->emptyText().isEmpty());
    QAbstractItemModelTester tester(view_->table().model());
    view_->editor().setPlainText(QStringLiteral("SELECT step, loss FROM steps WHERE step < 3"));
    view_->editor().setFocus();
    QTest::keyClick(&view_->editor(), Qt::Key_Return, Qt::ControlModifier);
    QTRY_COMPARE(view_->table().model()->rowCount(), 3);
    QTRY_VERIFY(!view_->session().running());
    QCOMPARE(view_->table().model()->headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("loss"));
    const double loss = desk_->workbench.model(Workspace::Replay).points().of(EventKind::Loss)[2].value;
    QCOMPARE(view_->table().model()->index(2, 1).data().toDouble(), loss);
    QVERIFY(view_->subtitle().startsWith(QStringLiteral("3 rows in ")));
    QCOMPARE(view_->asTable().split(QLatin1Char('\n')).front(), QStringLiteral("step\tloss"));
    QVERIFY(ask(QStringLiteral("SELECT text FROM log")));
    QCOMPARE(view_->asTable(), QStringLiteral("text\nmind the gap\n"));
}

void QueryViewTest::numbersAreShownShortAndCopiedWhole() {
    QVERIFY(ask(QStringLiteral("SELECT 0.21849933400000002, 12345678.9, 3, 'text'")));
    QTableView& table = view_->table();
    const auto shown = [&](int column) {
        const QModelIndex index = table.model()->index(0, column);
        return qobject_cast<QStyledItemDelegate*>(table.itemDelegate())->displayText(index.data(), QLocale());
    };
    QCOMPARE(shown(0), QStringLiteral("0.218499"));
    QCOMPARE(shown(1), QStringLiteral("12345679"));
    QCOMPARE(shown(2), QStringLiteral("3"));
    QCOMPARE(shown(3), QStringLiteral("text"));
    QCOMPARE(table.model()->index(0, 0).data(Qt::ToolTipRole).toString(), QStringLiteral("0.21849933400000002"));
    QVERIFY(view_->asTable().contains(QStringLiteral("0.21849933400000002\t12345678.9\t3\ttext")));
    table.setCurrentIndex(table.model()->index(0, 0));
    QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("0.21849933400000002"));
}

void QueryViewTest::everyExampleIsAnswered() {
    const auto actions = view_->examples().menu()->actions();
    QVERIFY(actions.size() >= 4);
    for (QAction* action : actions) {
        action->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!view_->session().running(), 30'000);
        QVERIFY2(!view_->session().error(), qPrintable(view_->editor().toPlainText()));
        QVERIFY(view_->session().columns().size() >= 3);
    }
}

void QueryViewTest::mistakesAreSaidInPlace() {
    QVERIFY(ask(QStringLiteral("SELECT stepp FROM steps")));
    QVERIFY(view_->note().isVisible());
    QVERIFY(view_->note().text().contains(QStringLiteral("stepp")));
    QVERIFY(ask(QStringLiteral("DELETE FROM steps")));
    QVERIFY(view_->session().error());
    QVERIFY(ask(QString()));
    QVERIFY(view_->session().error());
    QVERIFY(ask(QStringLiteral("SELECT step FROM steps WHERE step < 0")));
    QVERIFY(!view_->session().error());
    QVERIFY(view_->note().text().contains(QStringLiteral("No row")));
}

void QueryViewTest::aLongAnswerIsCutAndCanBeCancelled() {
    const QString endless =
        QStringLiteral("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n");
    QVERIFY(ask(endless));
    QCOMPARE(view_->session().rows().size(), QuerySession::mostRows);
    QVERIFY(view_->note().text().contains(QStringLiteral("first 10000 rows")));
    view_->editor().setPlainText(endless + QStringLiteral(" WHERE i < 0"));
    view_->ask();
    QVERIFY(view_->session().running());
    QPushButton* button = nullptr;
    for (QPushButton* each : view_->findChildren<QPushButton*>())
        if (each->text() == QStringLiteral("Cancel")) button = each;
    QVERIFY(button);
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(!view_->session().running() && view_->session().cancelled());
    QVERIFY(view_->note().text().contains(QStringLiteral("Cancelled")));
    QCOMPARE(button->text(), QStringLiteral("Ask"));
    QVERIFY(QThreadPool::globalInstance()->waitForDone(10'000));  // the worker has ended, too
}

void QueryViewTest::aRowSelectsItsRankAndMoment() {
    Selection& selection = desk_->workbench.selection(Workspace::Replay);
    QVERIFY(ask(QStringLiteral("SELECT step, rank, begin_ns FROM events WHERE source = 'measured' AND kind = "
                               "'optimizer' AND step = 20 LIMIT 1")));
    QCOMPARE(view_->table().model()->rowCount(), 1);
    const qlonglong begin = view_->table().model()->index(0, 2).data().toLongLong();
    QTest::mouseClick(view_->table().viewport(), Qt::LeftButton, {},
                      view_->table().visualRect(view_->table().model()->index(0, 0)).center());
    QCOMPARE(selection.cursor(), std::int64_t{begin});
    QCOMPARE(selection.rank(), view_->table().model()->index(0, 1).data().toInt());
    QVERIFY(ask(QStringLiteral("SELECT step FROM steps WHERE step = 7")));
    view_->table().setCurrentIndex(view_->table().model()->index(0, 0));
    QTest::keyClick(&view_->table(), Qt::Key_Return);
    QCOMPARE(selection.cursor(), desk_->workbench.model(Workspace::Replay).steps().extents()[7].begin);
}

void QueryViewTest::anotherRunForgetsTheAnswer() {
    QVERIFY(ask(QStringLiteral("SELECT step FROM steps")));
    QCOMPARE(view_->table().model()->rowCount(), 40);
    record(desk_->path("other.shardlab"), 5);
    QSignalSpy finished(&desk_->workbench.replay(), &ReplaySession::finished);
    desk_->workbench.open(desk_->path("other.shardlab"));
    QVERIFY(finished.wait(10'000));
    QCOMPARE(view_->table().model()->rowCount(), 0);
    QVERIFY(ask(QStringLiteral("SELECT step FROM steps")));
    QCOMPARE(view_->table().model()->rowCount(), 5);
}

void QueryViewTest::withoutAFileThereIsNothingToAsk() {
    RunModel& model = desk_->workbench.model(Workspace::Run);
    QueryView view(desk_->workbench.context(Workspace::Run), nullptr);
    QVERIFY(view.emptyText().contains(QStringLiteral("Nothing has run yet")));
    model.begin(headerOf(*plan_), plan_->simulation.events);
    QVERIFY(view.emptyText().contains(QStringLiteral("not recorded")));
    view.ask();
    QVERIFY(!view.session().running());
    model.begin(headerOf(*plan_), plan_->simulation.events, desk_->path("asked.shardlab"));
    QVERIFY(view.emptyText().isEmpty());
}

QTEST_MAIN(QueryViewTest)
#include "query_view_test.moc"
