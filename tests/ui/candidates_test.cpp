// SPDX-License-Identifier: GPL-3.0-or-later
// Plan for me: the search as a job, its table and its points, a candidate that is looked at and then taken, and what a
// fault in the layout does to all that was predicted.
#include "desktop_fixture.h"

#include "engine/base/units.h"
#include "ui/core/commands.h"
#include "ui/core/field_words.h"
#include "ui/core/qcustomplot.h"
#include "ui/timeline/navigation.h"
#include "ui/views/candidates/candidate_preview.h"
#include "ui/views/candidates/candidates_model.h"
#include "ui/views/candidates/candidates_plot.h"
#include "ui/views/candidates/candidates_view.h"
#include "ui/window/dock_panel.h"
#include "ui/window/main_window.h"
#include "ui/window/veil.h"
#include "ui/window/workspace_area.h"
#include "tests/support/wings.h"

#include <QAbstractItemModelTester>
#include <QDir>
#include <QHeaderView>
#include <QImage>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QUndoStack>
#include <QtTest>

#include <memory>
#include <set>

using namespace shardlab::test;

namespace {

/// Some of its layouts do not fit an H100.
Layout searched() {
    Layout layout;
    layout.name = "gpt 2.7B on 2×4 H100";
    layout.model = {ModelKind::Gpt, 32, 2560, 32, 1024, 50304, 0};
    layout.cluster.hosts = {{"a", 4}, {"b", 4}};
    layout.cluster.pace = PaceSpec{"h100-sxm", 2};
    layout.parallel.data = 2;
    layout.parallel.pipeline = 4;
    layout.batch = {96, 2};
    return layout;
}

int pixelsOf(const QImage& image, const QColor& colour) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) {
            const QColor pixel = image.pixelColor(x, y);
            if (std::abs(pixel.red() - colour.red()) + std::abs(pixel.green() - colour.green()) +
                    std::abs(pixel.blue() - colour.blue()) <
                120)
                ++count;
        }
    return count;
}

bool found(const SearchSession& search) {
    return QTest::qWaitFor([&] { return !search.running() && !search.candidates().empty(); });
}

}  // namespace

class CandidatesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { desk_ = std::make_unique<Desk>(); }
    void cleanup() { desk_.reset(); }
    void streamsInAndEndsAsTheEngineSays();
    void aClickShowsACandidateAndTakingItIsOneUndoableStep();
    void columnsAreSortedAndSized();
    void faultsDimWhatIsPredicted();
    void schedulesThatAreAlikeAreOneRow();
    void staleResultsAreDropped();
    void cancelKeepsWhatWasFound();
    void whatNoChoiceMendsIsSaid();
    void tableAndPointsAreOneSelection();
    void sizesOfTheAxisStandApart();
    void thePlanCommandShowsTheView();
    void pictures_data();
    void pictures();

private:
    SearchSession& search() { return desk_->workbench.search(); }
    std::unique_ptr<Desk> desk_;
};

void CandidatesTest::streamsInAndEndsAsTheEngineSays() {
    desk_->workbench.newFromPreset(searched());
    QVERIFY(search().candidates().empty());
    std::vector<std::size_t> counts;
    connect(&search(), &SearchSession::changed, this, [&] { counts.push_back(search().candidates().size()); });
    search().start();
    QVERIFY(search().running());
    QVERIFY(found(search()));
    QVERIFY(std::is_sorted(counts.begin(), counts.end()));
    const auto expected = searchLayouts(searched());
    QVERIFY(expected.has_value());
    QVERIFY(search().candidates() == expected->candidates);
    QVERIFY(search().progress().device == expected->device);
    QVERIFY(search().complete() && search().seconds() > 0);
    QCOMPARE(search().progress().tried, search().progress().legal);
}

void CandidatesTest::aClickShowsACandidateAndTakingItIsOneUndoableStep() {
    desk_->workbench.newFromPreset(searched());
    CandidatesView view(desk_->workbench.context(Workspace::Design), nullptr);
    view.resize(460, 620);
    view.show();
    search().start();
    QVERIFY(found(search()));
    const Layout before = desk_->document().layout();
    QTableView& table = view.table();
    CandidatePreview& preview = view.preview();
    QAbstractItemModelTester tester(table.model());
    QCOMPARE(table.model()->rowCount(), static_cast<int>(search().candidates().size()));
    QVERIFY(!preview.takeButton().isEnabled());  // none is selected
    const auto pointAt = [&](int row) { return table.visualRect(table.model()->index(row, 0)).center(); };
    const auto wanted = [&](int row) { return search().candidates()[static_cast<std::size_t>(row)]; };
    QVERIFY(wanted(1).choice != choiceOf(before) && wanted(2).choice != choiceOf(before));

    const auto showsOnly = [&](int row) {
        QVERIFY(desk_->document().layout() == before);
        QCOMPARE(desk_->document().undoStack().count(), 0);
        QVERIFY(preview.isVisible() && preview.takeButton().isEnabled());
        QVERIFY(preview.text().contains(scheduleText(wanted(row))));
        QVERIFY(preview.text().contains(QString::fromStdString(formatBytes(wanted(row).peakBytes))));
        QVERIFY2(preview.text().contains(changesText(search().changesOf(wanted(row)))), qPrintable(preview.text()));
    };
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, pointAt(1));
    showsOnly(1);
    QTest::keyClick(&table, Qt::Key_Down);
    showsOnly(2);
    QTest::mouseMove(table.viewport(), pointAt(0));  // the pointer only marks
    showsOnly(2);

    const auto takes = [&](const auto& act, int row) {
        act();
        QVERIFY(choiceOf(desk_->document().layout()) == wanted(row).choice);
        QVERIFY(desk_->document().faults().empty());
        QCOMPARE(search().loaded(), row);  // the results stay: it is the same question
        QVERIFY(!preview.takeButton().isEnabled());
        QCOMPARE(desk_->document().undoStack().index(), 1);
        desk_->document().undoStack().undo();
        QVERIFY(desk_->document().layout() == before);
    };
    takes([&] { QTest::mouseClick(&preview.takeButton(), Qt::LeftButton); }, 2);
    takes([&] { QTest::keyClick(&table, Qt::Key_Return); }, 2);
    takes([&] { QTest::mouseDClick(table.viewport(), Qt::LeftButton, {}, pointAt(1)); }, 1);
}

void CandidatesTest::columnsAreSortedAndSized() {
    desk_->workbench.newFromPreset(searched());
    CandidatesView view(desk_->workbench.context(Workspace::Design), nullptr);
    view.resize(460, 620);
    view.show();
    search().start();
    QVERIFY(found(search()));
    QTableView& table = view.table();
    QHeaderView& header = *table.horizontalHeader();
    const auto candidateIn = [&](int row) { return view.candidateAt(table.model()->index(row, 0)); };
    const auto peakIn = [&](int row) {
        return search().candidates()[static_cast<std::size_t>(candidateIn(row))].peakBytes;
    };
    table.setCurrentIndex(table.model()->index(2, 0));
    const auto clickHead = [&](int column) {
        QTest::mouseClick(
            header.viewport(), Qt::LeftButton, {},
            {header.sectionViewportPosition(column) + header.sectionSize(column) / 2, header.height() / 2});
    };
    clickHead(CandidatesModel::Peak);
    const int rows = table.model()->rowCount();
    for (int row = 1; row < rows; ++row) QVERIFY(peakIn(row - 1) <= peakIn(row));
    QVERIFY(peakIn(0) < peakIn(rows - 1));
    QCOMPARE(view.candidateAt(table.currentIndex()), 2);  // the same candidate stays selected
    clickHead(CandidatesModel::Peak);
    for (int row = 1; row < rows; ++row) QVERIFY(peakIn(row - 1) >= peakIn(row));
    clickHead(CandidatesModel::Peak);
    for (int row = 0; row < rows; ++row) QCOMPARE(candidateIn(row), row);  // best first again

    QFont letters = desk_->workbench.theme().theme().body;
    letters.setPixelSize(11);
    const int heading = QFontMetrics(letters).horizontalAdvance(QStringLiteral("schedule")) + 8;
    for (const int width : {312, 336, 460, 900}) {
        view.resize(width, 620);
        QTRY_VERIFY2(header.length() <= table.viewport()->width(), "no column is pushed out of sight");
        QVERIFY2(table.columnWidth(CandidatesModel::Schedule) >= heading, "its heading once lacked an end");
    }
    QVERIFY(table.model()
                ->index(0, CandidatesModel::Degrees)
                .data(Qt::ToolTipRole)
                .toString()
                .contains(degreesText(search().candidates()[0].choice)));
    QCOMPARE(header.sectionResizeMode(CandidatesModel::Degrees), QHeaderView::Interactive);
    header.resizeSection(CandidatesModel::Degrees, 123);
    view.resize(800, 620);
    QCOMPARE(table.columnWidth(CandidatesModel::Degrees), 123);  // what a person sized stays
}

void CandidatesTest::faultsDimWhatIsPredicted() {
    desk_->workbench.newFromPreset(searched());
    MainWindow window(desk_->workbench, MainWindow::Memory::Forget);
    window.show();
    search().start();
    QVERIFY(found(search()));
    const WorkspaceArea& area = window.area(Workspace::Design);
    const auto& candidates = static_cast<const CandidatesView&>(area.panel("candidates")->view());
    const Theme& theme = desk_->workbench.theme().theme();
    const auto verdicts = [&] {
        int count = 0;
        for (const QLabel* label : area.panel("answer")->view().findChildren<QLabel*>()) {
            const QString role = label->property("role").toString();
            count += role == "good" || role == "bad" || role == "warning" ? 1 : 0;
        }
        return count;
    };
    const auto colours = [&] {  // of the table's figures
        std::set<QRgb> all;
        for (int row = 0; row < candidates.table().model()->rowCount(); ++row)
            for (int column = 0; column < CandidatesModel::columns; ++column)
                all.insert(
                    candidates.table().model()->index(row, column).data(Qt::ForegroundRole).value<QColor>().rgb());
        return all;
    };
    const auto looksCurrent = [&](bool current) {
        for (const ViewKind& kind : viewKinds()) {
            if (!kind.appearsIn(Workspace::Design)) continue;
            const DockPanel& panel = *area.panel(kind.id);
            QCOMPARE(panel.isStale(), kind.predicts && !current);
            QCOMPARE(panel.view().findChild<Veil*>()->isVisibleTo(&panel.view()), kind.predicts && !current);
        }
        QCOMPARE(verdicts(), current ? 1 : 0);
    };
    const Layout legal = desk_->document().layout();
    looksCurrent(true);
    QVERIFY(colours().contains(theme.text.rgb()) && colours().contains(theme.bad.rgb()));

    Layout faulty = legal;
    faulty.batch.micro = 5;  // which a search chooses: the candidates still answer the same question
    desk_->document().change(faulty, "a fault");
    QVERIFY(!desk_->document().faults().empty());
    QVERIFY(!search().candidates().empty());
    looksCurrent(false);
    QVERIFY(colours() == std::set<QRgb>{theme.dim.rgb()});
    const auto discs = [&] { return pixelsOf(candidates.plot().grab().toImage(), theme.action(EventKind::Forward)); };
    QTRY_VERIFY(discs() < 5);
    QVERIFY(candidates.subtitle().contains("last legal layout"));
    desk_->document().change(legal, "mended");
    looksCurrent(true);
    QVERIFY(colours().contains(theme.text.rgb()) && colours().contains(theme.bad.rgb()));
    QTRY_VERIFY(discs() > 30);

    Layout large = legal;
    large.batch.global = 9600;  // so many actions that the plan is made on another thread
    desk_->document().change(large, "large");
    QVERIFY(!desk_->document().planIsCurrent());
    looksCurrent(false);
    QVERIFY(QTest::qWaitFor([&] { return desk_->document().planIsCurrent(); }));
    looksCurrent(true);

    // A file of an illegal layout leaves the last prediction in sight, all of it.
    desk_->document().replace(faulty, {});
    looksCurrent(false);
    QVERIFY(desk_->workbench.selection(Workspace::Design).visible().end >=
            wholeRange(desk_->workbench.model(Workspace::Design)).end);
}

void CandidatesTest::schedulesThatAreAlikeAreOneRow() {
    desk_->workbench.newFromPreset(searched());
    CandidatesView view(desk_->workbench.context(Workspace::Design), nullptr);
    search().start();
    QVERIFY(found(search()));
    const auto& all = search().candidates();
    const auto several = std::ranges::find_if(all, [](const Candidate& candidate) { return !candidate.alike.empty(); });
    QVERIFY(several != all.end());
    const int row = static_cast<int>(several - all.begin());
    const std::string other = several->alike.front();
    const QAbstractItemModel& model = *view.table().model();
    const QString shown = model.index(row, CandidatesModel::Schedule).data().toString();
    QCOMPARE(shown, scheduleText(*several));
    QVERIFY(shown.startsWith(QString::fromStdString(several->choice.kind)) &&
            shown.contains(QStringLiteral(" = ") + QString::fromStdString(other)));
    QVERIFY(model.index(row, 0).data(Qt::ToolTipRole).toString().contains(QString::fromStdString(other)));
    QVERIFY(view.asTable().contains(shown));
    // A layout with the other schedule is that row, too.
    Choice choice = several->choice;
    choice.kind = other;
    Layout layout = desk_->document().layout();
    apply(choice, layout);
    desk_->document().change(layout, "alike");
    QCOMPARE(search().loaded(), row);
}

void CandidatesTest::staleResultsAreDropped() {
    desk_->workbench.newFromPreset(searched());
    search().start();
    QVERIFY(found(search()));
    Layout other = desk_->document().layout();
    other.run.steps = 7;
    desk_->document().change(other, "steps");
    QVERIFY(!search().candidates().empty());
    other.model.hidden = 1024;
    desk_->document().change(other, "narrower");
    QVERIFY(search().candidates().empty() && !search().running());

    search().start();
    other.model.hidden = 512;
    desk_->document().change(other, "narrower still");
    QVERIFY(!search().running());
    QTest::qWait(300);  // the job that was left may end now: it must not speak
    QVERIFY(search().candidates().empty());
}

void CandidatesTest::cancelKeepsWhatWasFound() {
    Layout large = searched();
    large.model = {ModelKind::Gpt, 96, 12288, 96, 2048, 50257, 0};
    large.batch.global = 8192;
    desk_->workbench.newFromPreset(large);
    CandidatesView view(desk_->workbench.context(Workspace::Design), nullptr);
    view.show();
    search().start();
    QVERIFY(view.cancelButton().isVisible());
    QVERIFY(QTest::qWaitFor([&] { return !search().candidates().empty(); }));
    if (!search().running()) QSKIP("this machine was too fast to be interrupted");
    QTest::mouseClick(&view.cancelButton(), Qt::LeftButton);
    QVERIFY(!search().running() && !search().complete());
    QVERIFY(!view.cancelButton().isVisible());
    const std::size_t kept = search().candidates().size();
    QVERIFY(kept > 0 && kept < search().progress().legal);
    QTest::qWait(200);
    QCOMPARE(search().candidates().size(), kept);
    QVERIFY(view.subtitle().contains("cancelled"));
}

void CandidatesTest::whatNoChoiceMendsIsSaid() {
    Layout layout = searched();
    layout.model.heads = 3;
    desk_->workbench.newFromPreset(layout);
    CandidatesView view(desk_->workbench.context(Workspace::Design), nullptr);
    QVERIFY(view.emptyText().contains("Plan for me"));
    QSignalSpy posted(&desk_->workbench.messages(), &Messages::posted);
    search().start();
    QVERIFY(QTest::qWaitFor([&] { return !search().running(); }));
    QCOMPARE(posted.count(), 1);
    QVERIFY(view.emptyText().contains("/model/heads"));
    layout.model.heads = 16;
    desk_->document().change(layout, "heads");
    QVERIFY(view.emptyText().contains("Plan for me"));
}

void CandidatesTest::tableAndPointsAreOneSelection() {
    desk_->workbench.newFromPreset(searched());
    CandidatesView view(desk_->workbench.context(Workspace::Design), nullptr);
    view.resize(460, 620);
    view.show();
    search().start();
    QVERIFY(found(search()));
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QTest::qWait(100);
    CandidatesPlot& plot = view.plot();
    const int last = static_cast<int>(search().candidates().size()) - 1;
    for (const int row : {last, 0, last / 2}) {
        const int nearest = plot.rowAt(plot.pointOf(row));  // another may lie upon it
        QVERIFY(nearest >= 0);
        QCOMPARE(plot.pointOf(nearest), plot.pointOf(row));
        QWidget* canvas = plot.childAt(plot.pointOf(row));
        QVERIFY(canvas);
        const Layout before = desk_->document().layout();
        const QPoint point = canvas->mapFrom(&plot, plot.pointOf(row));  // the click moves nothing
        QTest::mouseClick(canvas, Qt::LeftButton, {}, point);
        QCOMPARE(view.candidateAt(view.table().currentIndex()), nearest);
        QVERIFY(desk_->document().layout() == before);
        QVERIFY(view.preview().text().contains(scheduleText(search().candidates()[static_cast<std::size_t>(nearest)])));
        QTest::mouseDClick(canvas, Qt::LeftButton, {}, point);
        QVERIFY(choiceOf(desk_->document().layout()) ==
                search().candidates()[static_cast<std::size_t>(nearest)].choice);
    }
    QCOMPARE(plot.rowAt({-100, -100}), -1);
    QVERIFY(view.asTable().count('\n') == last + 2);
}

void CandidatesTest::sizesOfTheAxisStandApart() {
    desk_->workbench.newFromPreset(searched());
    CandidatesView view(desk_->workbench.context(Workspace::Design), nullptr);
    view.show();
    search().start();
    QVERIFY(found(search()));
    QCOMPARE(view.subtitle(), QStringLiteral("%1 tried in %2")
                                  .arg(search().progress().tried)
                                  .arg(QString::fromStdString(formatSeconds(search().seconds()))));
    const auto* chart = view.findChild<QCustomPlot*>();
    const QCPAxis &axis = *chart->xAxis, &up = *chart->yAxis;
    for (const int width : {200, 260, 340, 520, 900}) {
        view.resize(width, 500);
        view.grab();
        QVector<double> ticks;
        QVector<QString> labels;
        axis.ticker()->generate(axis.range(), QLocale(), 'f', 6, ticks, nullptr, &labels);
        int end = -1000, shown = 0;
        for (int i = 0; i < ticks.size(); ++i) {
            if (!axis.range().contains(ticks[i])) continue;
            const int half = QFontMetrics(axis.tickLabelFont()).horizontalAdvance(labels[i]) / 2;
            const int middle = static_cast<int>(axis.coordToPixel(ticks[i]));
            QVERIFY2(middle - half > end, qPrintable(labels.join(QLatin1Char(' '))));
            end = middle + half;
            ++shown;
        }
        QVERIFY(shown > 0);
    }
    for (const int height : {230, 300, 420}) {  // once the only label was the origin's
        view.resize(336, height);
        view.grab();
        QVector<double> ticks;
        up.ticker()->generate(up.range(), QLocale(), 'f', 6, ticks, nullptr, nullptr);
        QVERIFY(std::ranges::any_of(ticks, [&](double tick) { return tick > 0 && up.range().contains(tick); }));
    }
}

void CandidatesTest::thePlanCommandShowsTheView() {
    desk_->workbench.newFromPreset(searched());
    MainWindow window(desk_->workbench, MainWindow::Memory::Forget);
    window.show();
    auto* button = window.findChild<QPushButton*>("top.plan.search");
    QVERIFY(button && button->isVisible());
    DockPanel* panel = window.area(Workspace::Design).panel("candidates");
    QVERIFY(panel);
    panel->hide();
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(panel->isVisible());
    QVERIFY(found(search()));
    QVERIFY(panel->showsView());
}

void CandidatesTest::pictures_data() {
    QTest::addColumn<bool>("dark");
    QTest::addColumn<QSize>("size");
    for (const bool dark : {true, false})
        for (const QSize size : {QSize(1280, 720), QSize(1600, 1000), QSize(2560, 1440)})
            QTest::addRow("%s-%d", dark ? "dark" : "light", size.width()) << dark << size;
}

void CandidatesTest::pictures() {
    QFETCH(bool, dark);
    QFETCH(QSize, size);
    desk_->workbench.theme().setDark(dark);
    desk_->workbench.newFromPreset(searched());
    MainWindow window(desk_->workbench, MainWindow::Memory::Forget);
    window.resize(size);
    window.show();
    search().start();
    QVERIFY(found(search()));
    QTest::qWait(500);
    const QString folder = QCoreApplication::applicationDirPath() + "/pictures";
    QVERIFY(QDir().mkpath(folder));
    QVERIFY(
        window.grab().save(QString("%1/candidates-%2-%3.png").arg(folder, dark ? "dark" : "light").arg(size.width())));
    DockPanel& panel = *window.area(Workspace::Design).panel("candidates");
    const auto& view = static_cast<const CandidatesView&>(panel.view());
    const int worst = view.table().model()->rowCount() - 1;
    QVERIFY(!search().candidates()[static_cast<std::size_t>(worst)].fits);
    view.table().setCurrentIndex(view.table().model()->index(worst, 0));
    QTest::qWait(100);
    QVERIFY(panel.grab().save(
        QString("%1/candidates-worst-%2-%3.png").arg(folder, dark ? "dark" : "light").arg(size.width())));
    QVERIFY(view.table()
                .model()
                ->index(worst, 0)
                .data(Qt::ToolTipRole)
                .toString()
                .contains("too much: its device has 75.2 GiB usable"));
    const QImage points = view.plot().grab().toImage();
    QVERIFY(pixelsOf(points, desk_->workbench.theme().theme().action(EventKind::Forward)) > 30);
    QVERIFY(pixelsOf(points, desk_->workbench.theme().theme().bad) > 30);
    QVERIFY(view.table().viewport()->height() >= 2 * view.table().rowHeight(0));
    const int last = CandidatesModel::Peak;
    QVERIFY2(view.table().columnViewportPosition(last) + view.table().columnWidth(last) <=
                 view.table().viewport()->width(),
             "no column is cut off");
}

QTEST_MAIN(CandidatesTest)
#include "candidates_test.moc"
