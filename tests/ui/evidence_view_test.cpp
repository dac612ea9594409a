// SPDX-License-Identifier: GPL-3.0-or-later
// The view of evidence: published runs predicted as a job, chosen, looked at, opened as layouts.
#include "engine/predict/evidence/published_ground.h"
#include "tests/support/wings.h"
#include "tests/ui/bench_context.h"
#include "ui/core/qcustomplot.h"
#include "ui/core/text.h"
#include "ui/core/work_button.h"
#include "ui/views/evidence/evidence_plot.h"
#include "ui/views/evidence/evidence_view.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QDir>
#include <QMenu>
#include <QMouseEvent>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>

#include <algorithm>
#include <cmath>
#include <fstream>

using namespace shardlab;
using namespace shardlab::test;

namespace {

/// Every so many rows of the runs that come with Shardlab.
std::filesystem::path someRuns(const std::filesystem::path& folder, int stride) {
    std::ifstream all(publishedRunsFile());
    const std::filesystem::path file = folder / "runs.csv";
    std::ofstream some(file);
    std::string line;
    for (int row = 0; std::getline(all, line); ++row)
        if (row == 0 || row % stride == 1) some << line << '\n';
    return file;
}

bool predicted(EvidenceView& view) {
    if (!QTest::qWaitFor([&] { return !view.workButton().late(); })) return false;
    view.workButton().click();
    return QTest::qWaitFor([&] { return view.session().complete() && !view.session().running(); });
}

QAction* actionOf(const QMenu& menu, const QString& words) {
    for (QAction* action : menu.actions())
        if (action->text().startsWith(words)) return action;
    return nullptr;
}

}  // namespace

class EvidenceViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        runs_ = someRuns(folder_->path().toStdString(), 60);
    }

    void runsArePredictedWhenAsked() {
        sample::Bench bench(Workspace::Design);
        EvidenceView view(bench.context(), nullptr, runs_);
        QVERIFY(view.subtitle().contains(QStringLiteral("not predicted yet")));
        QCOMPARE(view.model().rowCount(), 0);
        QVERIFY(predicted(view));
        const auto table = CsvTable::read(runs_);
        QVERIFY(table.has_value());
        std::vector<double> errors;
        for (const ValidatedRow& row : validate(*table))
            if (row.counts() && row.error()) errors.push_back(*row.error());
        const ErrorSummary wanted = summarizeErrors(errors);
        QCOMPARE(view.model().rowCount(), wanted.rows);
        QCOMPARE(view.model().summary().ninetieth, wanted.ninetieth);
        QVERIFY2(view.subtitle().contains(percent(wanted.median)), qPrintable(view.subtitle()));
        QCOMPARE(view.asTable().count(QLatin1Char('\n')), qsizetype{wanted.rows + 1});
        QVERIFY(!view.workButton().isVisibleTo(&view));
        QAbstractItemModelTester tester(&view.model());
    }

    /// In a window of 1280 × 720 once two rows had room.
    void theTableHasRowsInALowView() {
        sample::Bench bench(Workspace::Design);
        EvidenceView view(bench.context(), nullptr, runs_);
        view.resize(322, 226);
        view.show();
        QVERIFY(predicted(view));
        const auto rows = [&] { return view.table().viewport()->height() / view.table().rowHeight(0); };
        QTRY_VERIFY2(rows() >= 4,
                     qPrintable(QStringLiteral("%1, %2 px").arg(rows()).arg(view.table().viewport()->height())));
        QVERIFY(view.plot().height() >= 62);
        auto* parts = view.findChild<QSplitter*>();
        view.resize(420, 700);
        QTRY_VERIFY(view.plot().height() > view.table().height());
        // What a person has moved stays.
        parts->setSizes({500, 100});
        Q_EMIT parts->splitterMoved(500, 1);
        const int table = view.table().height();
        view.resize(420, 690);
        QTRY_VERIFY(std::abs(view.table().height() - table) <= 20);
    }

    void cancelledWorkGoesOnWhereItWas() {
        sample::Bench bench(Workspace::Design);
        EvidenceView view(bench.context(), nullptr, runs_);
        view.workButton().click();
        QVERIFY(view.session().running());
        QTRY_VERIFY_WITH_TIMEOUT(!view.session().rows().empty(), 60'000);
        view.workButton().click();
        QVERIFY(!view.session().running());
        const std::size_t some = view.session().rows().size();
        if (some < view.session().total()) QVERIFY(predicted(view));
        const auto table = CsvTable::read(runs_);
        QCOMPARE(view.session().rows().size(), table->rows());
        for (std::size_t i = 0; i < table->rows(); ++i)
            QCOMPARE(QString::fromStdString(view.session().rows()[i].run.id),
                     QString::fromUtf8(table->cell(i, "id").data(), qsizetype(table->cell(i, "id").size())));
    }

    void runsAreChosen() {
        sample::Bench bench(Workspace::Design);
        EvidenceView view(bench.context(), nullptr, runs_);
        QVERIFY(predicted(view));
        EvidenceModel& model = view.model();
        const int all = model.rowCount();
        for (const RunFacet facet : runFacets) {
            int most = 0;
            for (const auto& [value, runs] : model.values(facet)) {
                model.choose(facet, value);
                QVERIFY(model.rowCount() <= std::min(all, runs));
                most = std::max(most, model.rowCount());
                for (int row = 0; row < model.rowCount(); ++row) {
                    const auto values = facetValues(model.at(row).run, facet);
                    QVERIFY(std::ranges::find(values, value) != values.end());
                }
            }
            QVERIFY(most > 0 && most <= all);
            model.choose(facet, {});
        }
        QCOMPARE(model.rowCount(), all);
        // The menu offers the same.
        Q_EMIT view.filterMenu().aboutToShow();
        const QAction* stacks = actionOf(view.filterMenu(), QStringLiteral("Stack"));
        QVERIFY(stacks && stacks->menu());
        QCOMPARE(stacks->menu()->actions().size(), qsizetype(model.values(RunFacet::Stack).size() + 1));
        QAction* one = stacks->menu()->actions().last();
        one->trigger();
        QVERIFY(one->text().startsWith(text(model.chosen(RunFacet::Stack))) && !model.choosesAll());
        Q_EMIT view.filterMenu().aboutToShow();
        actionOf(view.filterMenu(), QStringLiteral("All runs"))->trigger();
        QVERIFY(model.choosesAll());
        // Runs that do not count are shown, and change no error.
        const double ninetieth = model.summary().ninetieth;
        Q_EMIT view.filterMenu().aboutToShow();
        actionOf(view.filterMenu(), QStringLiteral("Runs too"))->trigger();
        QCOMPARE(model.rowCount(), int(view.session().rows().size()));
        QCOMPARE(model.summary().ninetieth, ninetieth);
        view.figureBox().setCurrentIndex(1);
        for (int row = 0; row < model.rowCount(); ++row)
            if (const auto point = model.point(row)) QCOMPARE(point->x(), *model.at(row).run.gib);
    }

    void aClickOpensTheRunAsALayout() {
        sample::Bench bench(Workspace::Design);
        EvidenceView view(bench.context(), nullptr, runs_);
        view.resize(520, 460);
        view.show();
        QVERIFY(predicted(view));
        view.grab();
        const Layout before = bench.document.layout();
        auto* canvas = view.findChild<QCustomPlot*>();
        const int row = view.model().rowCount() / 2;
        const QPoint place = canvas->mapFrom(&view.plot(), view.plot().pointOf(row));
        const int nearest = view.plot().rowAt(view.plot().pointOf(row));
        QVERIFY(nearest >= 0);
        QMouseEvent move(QEvent::MouseMove, place, canvas->mapToGlobal(place), Qt::NoButton, {}, {});
        QCoreApplication::sendEvent(canvas, &move);
        QVERIFY(view.plot().toolTip().contains(text(view.model().at(nearest).run.id)));
        QTest::mouseClick(canvas, Qt::LeftButton, {}, place);
        QVERIFY(bench.document.layout() == view.model().at(nearest).run.layout);
        QVERIFY(bench.document.faults().empty());
        bench.document.undoStack().undo();
        QVERIFY(bench.document.layout() == before);
        // Far from every point nothing happens.
        QCOMPARE(view.plot().rowAt({-100, -100}), -1);
        // In the table a click looks, and Enter takes.
        view.table().sortByColumn(EvidenceModel::Deviation, Qt::DescendingOrder);
        view.table().selectRow(0);
        QVERIFY(bench.document.layout() == before);
        QTest::keyClick(&view.table(), Qt::Key_Return);
        double worst = -1;
        std::string id;
        for (int each = 0; each < view.model().rowCount(); ++each)
            if (*view.model().deviation(each) > worst) {
                worst = *view.model().deviation(each);
                id = view.model().at(each).run.id;
            }
        QCOMPARE(bench.document.layout().name, id);
    }

    void aTableThatCannotBeReadIsTold() {
        sample::Bench bench(Workspace::Design);
        EvidenceView view(bench.context(), nullptr, runs_.parent_path() / "none.csv");
        view.workButton().click();
        QTRY_VERIFY(!view.session().running());
        QVERIFY(view.session().error().has_value());
        QVERIFY2(view.subtitle().contains(QStringLiteral("none.csv")), qPrintable(view.subtitle()));
    }

    void pictures_data() {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<QSize>("size");
        for (const bool dark : {true, false})
            for (const QSize size : {QSize(270, 260), QSize(560, 420)})
                QTest::addRow("%s %d", dark ? "dark" : "light", size.width()) << dark << size;
    }
    void pictures() {
        QFETCH(bool, dark);
        QFETCH(QSize, size);
        sample::Bench bench(Workspace::Design);
        bench.theme.setDark(dark);
        EvidenceView view(bench.context(), nullptr, runs_);
        QVERIFY(predicted(view));
        view.setAutoFillBackground(true);
        view.resize(size);
        view.show();
        QTest::qWait(50);
        const QImage picture = view.grab().toImage();
        QDir().mkpath(QStringLiteral("pictures"));
        QVERIFY(
            picture.save(QStringLiteral("pictures/evidence-%1-%2.png").arg(dark ? "dark" : "light").arg(size.width())));
        const QPoint at = view.plot().mapTo(&view, view.plot().pointOf(0));
        const QColor ground = bench.theme.theme().panel, point = picture.pixelColor(at);
        QVERIFY(std::abs(point.red() - ground.red()) + std::abs(point.green() - ground.green()) +
                    std::abs(point.blue() - ground.blue()) >
                60);
    }

private:
    std::unique_ptr<QTemporaryDir> folder_;
    std::filesystem::path runs_;
};

QTEST_MAIN(EvidenceViewTest)
#include "evidence_view_test.moc"
