// SPDX-License-Identifier: GPL-3.0-or-later
// The load of experts as its view shows it.
#include "tests/ui/bench_context.h"
#include "tests/ui/sample_experts.h"
#include "tests/support/wings.h"
#include "ui/core/legend.h"
#include "ui/views/experts/experts_plot.h"
#include "ui/views/experts/experts_view.h"
#include "ui/views/mesh/mesh_view.h"

#include <QLabel>
#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

class ExpertsViewTest : public QObject {
    Q_OBJECT
private:
    /// Two ranks, so and so many tokens: expert 2 of layer 3 has more than its places.
    static void fill(sample::Bench& bench) {
        sample::fill(bench.model, sample::plan(sample::layout(2, 1, 4)), 6, 5);
        sample::addExpertLoads(bench.model, 4, 30, [](int rank, int step, int layer, int expert) {
            return layer == 3 && expert == 2 ? 42.0 + rank : 10.0 + step;
        });
    }

private Q_SLOTS:
    void barsAreTheCounters() {
        sample::Bench bench;
        fill(bench);
        ExpertsView view(bench.context(), nullptr);
        view.resize(400, 220);
        view.show();
        view.flush();
        QVERIFY(view.emptyText().isEmpty());
        QCOMPARE(view.subtitle(), QStringLiteral("step 5 · all ranks"));
        const auto layers = view.loads().layers();
        QCOMPARE(layers.size(), std::size_t{2});
        QCOMPARE(layers.at(3)[2].asked, 85.0);
        QCOMPARE(layers.at(3)[2].dropped, 25.0);
        QCOMPARE(layers.at(1)[0].asked, 30.0);
        // Layer 3 has loads of 85 beside three of 30; those of layer 1 are all alike.
        QCOMPARE(*view.loads().unevenness(), (1 + 85.0 * 4 / 175) / 2);
        QCOMPARE(*view.loads().droppedShare(), 25.0 / (175 + 120));
        const auto notes = view.findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(notes, [](const QLabel* note) {
            return note->text() == QStringLiteral("busiest expert: 1.47 × the average · dropped: 8.5 %");
        }));
        const ExpertsPlot& plot = view.plot();
        QVERIFY(plot.barOf({3, 2}).height() > 2 * plot.barOf({3, 1}).height());
        QCOMPARE(plot.barOf({1, 0}).height(), plot.barOf({1, 3}).height());
        QVERIFY(plot.barOf({1, 3}).bottom() < plot.barOf({3, 2}).top());
        QVERIFY(plot.barOf({2, 0}).isNull() && plot.barOf({3, 4}).isNull());
        const QStringList rows = view.asTable().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(rows.size(), 1 + 8);
        QVERIFY(rows.contains(QStringLiteral("5\t3\t2\t85\t25")));
    }

    void followsRankAndStep() {
        sample::Bench bench;
        fill(bench);
        ExpertsView view(bench.context(), nullptr);
        bench.selection.setRank(1);
        bench.selection.setCursor(bench.model.steps().extents()[2].begin + 1);
        view.flush();
        QCOMPARE(view.subtitle(), QStringLiteral("step 2 · rank 1"));
        QCOMPARE(view.loads().layers().at(3)[2].asked, 43.0);
        QCOMPARE(view.loads().layers().at(3)[0].asked, 12.0);
    }

    void walksByKeyboardAndMouse() {
        sample::Bench bench;
        fill(bench);
        ExpertsView view(bench.context(), nullptr);
        view.resize(400, 220);
        view.show();
        view.flush();
        ExpertsPlot& plot = view.plot();
        QTest::keyClick(&plot, Qt::Key_Right);
        QCOMPARE(plot.marked(), (ExpertOfLayer{1, 0}));
        QTest::keyClick(&plot, Qt::Key_Down);
        QTest::keyClick(&plot, Qt::Key_Right);
        QTest::keyClick(&plot, Qt::Key_Right);
        QCOMPARE(plot.markedText(), QStringLiteral("layer 3 · expert 2 · 85 tokens · 1.94 × the average · 25 dropped"));
        QTest::keyClick(&plot, Qt::Key_Up);
        QTest::keyClick(&plot, Qt::Key_Left);
        QCOMPARE(plot.marked(), (ExpertOfLayer{1, 1}));
        QTest::mouseMove(&plot, plot.barOf({3, 3}).center());
        QCOMPARE(plot.marked(), (ExpertOfLayer{3, 3}));
    }

    void meshTellsWhoHoldsWhich() {
        sample::Bench bench;
        Layout layout = sample::layout(4, 1, 4);
        layout.model.kind = ModelKind::GptMoe;
        layout.parallel.expert = 2;
        sample::fill(bench.model, sample::plan(layout), 3, 5);
        const MeshView view(bench.context(), nullptr);
        const QStringList rows = view.asTable().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(rows.size(), 1 + 4);
        QVERIFY(rows[0].endsWith(QStringLiteral("\tExperts\tExpert group")));
        QVERIFY2(rows[1].endsWith(QStringLiteral("\texperts 0–3\t0, 1")), qPrintable(rows[1]));
        QVERIFY2(rows[4].endsWith(QStringLiteral("\texperts 4–7\t2, 3")), qPrintable(rows[4]));
        QVERIFY(rows[4].contains(QStringLiteral("dp3 ep1")));
    }

    void legendNamesNoCapacityWhereNoneIs() {
        for (const double capacity : {0.0, 1.25}) {
            sample::Bench bench;
            Layout layout = sample::layout(1, 1, 4);
            layout.model.kind = ModelKind::LlamaMoe;
            layout.model.experts.capacity = capacity;
            sample::fill(bench.model, sample::plan(layout), 3, 5);
            ExpertsView view(bench.context(), nullptr);
            const QString said = view.findChild<Legend*>()->toolTip();
            QVERIFY2(said.contains(QStringLiteral("No token is dropped")) == (capacity == 0), qPrintable(said));
        }
    }

    void saysWhyItIsEmpty() {
        sample::Bench bench;
        sample::fill(bench.model, sample::plan(sample::layout(2, 1, 4)), 3, 5);
        ExpertsView view(bench.context(), nullptr);
        view.flush();
        QVERIFY2(view.emptyText().contains(QStringLiteral("gpt-moe")), qPrintable(view.emptyText()));
    }
};

QTEST_MAIN(ExpertsViewTest)
#include "experts_view_test.moc"
