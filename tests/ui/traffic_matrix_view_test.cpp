// SPDX-License-Identifier: GPL-3.0-or-later
// The grid of ranks: what a click and the arrows choose, what the table says, and pictures in each state.
#include "engine/base/units.h"
#include "tests/support/places.h"
#include "tests/support/seed.h"
#include "tests/ui/bench_context.h"
#include "tests/support/wings.h"
#include "ui/views/traffic_matrix/traffic_matrix_view.h"

#include <QComboBox>
#include <QDir>
#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

class TrafficMatrixViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void clickAndArrowsChoose();
    void measuredIsPerStep();
    void theScaleGoesFromTheSmallestToTheLargest();
    void labelsOfRanksDoNotOverlap();
    void pictures_data();
    void pictures();
};

void TrafficMatrixViewTest::clickAndArrowsChoose() {
    sample::Bench bench(Workspace::Design);
    const Plan plan = sample::plan(sample::layout(2, 4, 8));
    TrafficMatrixView view(bench.context(), nullptr);
    view.resize(360, 300);
    view.show();
    QVERIFY(!view.emptyText().isEmpty());
    bench.model.begin(headerOf(plan), plan.simulation.events);
    view.flush();
    QVERIFY(view.subtitle().contains(QStringLiteral("predicted")));
    MatrixPlot& plot = view.plot();
    QTest::mouseClick(&plot, Qt::LeftButton, {}, plot.cellRect(2, 4).center());
    QCOMPARE(bench.selection.rank(), 2);
    QVERIFY2(plot.accessibleDescription().startsWith(QStringLiteral("rank 2 → rank 4: ")),
             qPrintable(plot.accessibleDescription()));
    QVERIFY(!plot.accessibleDescription().contains(QStringLiteral("nothing")));
    QTest::keyClick(&plot, Qt::Key_Down);
    QCOMPARE(bench.selection.rank(), 3);
    QVERIFY(plot.accessibleDescription().contains(QStringLiteral("nothing")));  // of another replica
    view.partChoice().setCurrentIndex(1);
    const auto& matrix = *plot.matrix();
    QVERIFY(matrix.cell(2, 4, TrafficMatrix::Part::Messages).bytes > 0);
    QCOMPARE(matrix.cell(0, 1, TrafficMatrix::Part::Messages).bytes, std::int64_t{0});
    QVERIFY(matrix.cell(0, 1, TrafficMatrix::Part::Collectives).bytes > 0);
}

void TrafficMatrixViewTest::measuredIsPerStep() {
    const Plan plan = sample::plan(sample::layout(2, 4, 8));
    sample::Bench design(Workspace::Design), run;
    TrafficMatrixView predicted(design.context(), nullptr), measured(run.context(), nullptr);
    design.model.begin(headerOf(plan), plan.simulation.events);
    sample::fill(run.model, plan, 5, freshSeed());
    predicted.flush();
    measured.flush();
    QCOMPARE(measured.asTable(), predicted.asTable());
    QVERIFY(predicted.asTable().count(QLatin1Char('\n')) > 8);
}

/// With 256 ranks in a small window the numbers lay over each other.
void TrafficMatrixViewTest::labelsOfRanksDoNotOverlap() {
    for (const int replicas : {1, 4, 32}) {
        sample::Bench bench(Workspace::Design);
        const Plan plan = sample::plan(sample::layout(replicas, 8, 8));
        TrafficMatrixView view(bench.context(), nullptr);
        bench.model.begin(headerOf(plan), plan.simulation.events);
        view.flush();
        view.show();
        for (const int side : {140, 200, 300, 500, 900}) {
            view.resize(side, side);
            QTest::qWait(10);
            const MatrixPlot& plot = view.plot();
            const int stride = plot.labelStride(), ranks = plot.matrix()->ranks();
            QVERIFY(stride >= 1);
            if (stride < ranks) QVERIFY(plot.cellRect(stride, 0).top() - plot.cellRect(0, 0).top() >= 14);
            if (stride > 1) QVERIFY(plot.cellRect(stride - 1, 0).top() - plot.cellRect(0, 0).top() < 15);
        }
    }
}

/// The scale began at "10⁻⁶", whatever was sent.
void TrafficMatrixViewTest::theScaleGoesFromTheSmallestToTheLargest() {
    sample::Bench bench(Workspace::Design);
    const Plan plan = sample::plan(sample::layout(2, 4, 8));
    TrafficMatrixView view(bench.context(), nullptr);
    view.resize(420, 320);
    view.show();
    bench.model.begin(headerOf(plan), plan.simulation.events);
    view.flush();
    const TrafficMatrix& matrix = *view.plot().matrix();
    const auto told = [](std::int64_t bytes) { return QString::fromStdString(formatBytes(bytes)); };
    for (const auto part : {TrafficMatrix::Part::All, TrafficMatrix::Part::Messages}) {
        view.partChoice().setCurrentIndex(static_cast<int>(part));
        const std::int64_t least = matrix.smallest(part), most = matrix.largest(part);
        QVERIFY(least > 0);
        const QStringList ends = view.plot().scaleEnds();
        if (least < most) QCOMPARE(ends, (QStringList{told(least), told(most)}));
        else QCOMPARE(ends, QStringList{told(most)});
    }
    const MatrixPlot& plot = view.plot();
    view.partChoice().setCurrentIndex(0);
    const QImage picture = view.plot().grab().toImage();
    // The colours of the cells between which it goes: the smallest has the weakest, the largest the strongest.
    QColor weakest, strongest;
    for (int from = 0; from < matrix.ranks(); ++from)
        for (int to = 0; to < matrix.ranks(); ++to) {
            const std::int64_t bytes = matrix.cell(from, to, TrafficMatrix::Part::All).bytes;
            const QColor colour = picture.pixelColor(plot.cellRect(from, to).topLeft() + QPoint(1, 1));
            if (bytes == matrix.smallest(TrafficMatrix::Part::All)) weakest = colour;
            if (bytes == matrix.largest(TrafficMatrix::Part::All)) strongest = colour;
        }
    QVERIFY(weakest != strongest);
    QCOMPARE(strongest, bench.theme.theme().action(EventKind::Forward));
    int weak = 0;
    for (int x = 0; x < picture.width(); ++x)
        for (int y = plot.cellRect(matrix.ranks() - 1, 0).bottom() + 2; y < picture.height(); ++y)
            weak += picture.pixelColor(x, y) == weakest ? 1 : 0;
    QVERIFY2(weak >= 9, "the scale has the smallest cell's colour");
}

void TrafficMatrixViewTest::pictures_data() {
    QTest::addColumn<bool>("dark");
    QTest::addColumn<QString>("state");
    for (const bool dark : {true, false})
        for (const char* state : {"eight", "large", "empty"})
            QTest::addRow("matrix-%s-%s", dark ? "dark" : "light", state) << dark << QString::fromLatin1(state);
}

void TrafficMatrixViewTest::pictures() {
    QFETCH(bool, dark);
    QFETCH(QString, state);
    sample::Bench bench;
    bench.theme.setDark(dark);
    TrafficMatrixView view(bench.context(), nullptr);
    view.resize(300, 260);
    view.show();
    if (state != QLatin1String("empty"))
        sample::fill(bench.model,
                     sample::plan(state == QLatin1String("large") ? sample::layout(8, 8, 16) : sample::layout(2, 4, 8)),
                     5, 3);
    view.flush();
    bench.selection.setRank(3);
    const QString folder = QStringLiteral(SHARDLAB_BIN_DIR "/../pictures");
    QVERIFY(QDir().mkpath(folder));
    QVERIFY(view.grab().save(folder + QLatin1Char('/') + QString::fromLatin1(QTest::currentDataTag()) +
                             QStringLiteral(".png")));
}

QTEST_MAIN(TrafficMatrixViewTest)
#include "traffic_matrix_view_test.moc"
