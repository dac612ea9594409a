// SPDX-License-Identifier: GPL-3.0-or-later
// The table of activations is that of the selected rank, adds up to what the ledger keeps, and names each formula.
#include "tests/support/wings.h"
#include "tests/ui/design_bench.h"
#include "ui/views/activations/activations_view.h"

#include "engine/predict/plan/stage_buffers.h"

#include <QLabel>
#include <QTableWidget>
#include <QTest>

#include <algorithm>

using namespace shardlab;
using namespace shardlab::test;

class ActivationsViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tableIsTheLedgersOfTheSelectedRank() {
        Layout layout = sample::layout(1, 4, 8);
        layout.model.layers = 12;
        sample::DesignBench bench(layout);
        QTRY_VERIFY(bench.document.planIsCurrent());
        ActivationsView view(bench.context(), nullptr);
        QVERIFY2(view.emptyText().isEmpty(), qPrintable(view.emptyText()));
        const auto shapes = stageShapes(layout);
        for (int rank = 0; rank < 4; ++rank) {
            bench.selection.setRank(rank);
            QVERIFY2(view.subtitle().startsWith(QStringLiteral("rank %1 ").arg(rank)), qPrintable(view.subtitle()));
            const StageShape& shape = shapes[static_cast<std::size_t>(rank)];
            const StageBuffers stage =
                stageBuffers(layout, shape, {!shape.first, MemoryCategory::Temporary}, tensorShare(layout));
            std::int64_t sum = 0;
            QStringList lines = view.asTable().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
            lines.removeFirst();
            for (const QString& line : lines) {
                const QStringList cells = line.split(QLatin1Char('\t'));
                QCOMPARE(cells.size(), 5);
                QVERIFY(!cells[1].isEmpty() && !cells[2].isEmpty());
                sum += cells[4].toLongLong();
            }
            QCOMPARE(sum, stage.forward.change[static_cast<std::size_t>(MemoryCategory::Activations)]);
            QVERIFY(view.asTable().contains(QStringLiteral("queries, keys and values\te·N·(q + 2g)")));
            QVERIFY(view.asTable().contains(QStringLiteral("embedding")) == shape.first);
            QVERIFY(view.asTable().contains(QStringLiteral("logits")) == shape.last);
        }
        // In a low panel the table has the whole height, and the head of the formulae tells what their letters mean.
        const QString letters = view.findChild<QTableWidget*>()->horizontalHeaderItem(2)->toolTip();
        QVERIFY2(letters.contains(QStringLiteral("tokens")), qPrintable(letters));
        for (const int height : {150, 800}) {
            view.resize(240, height);
            view.show();
            const auto labels = view.findChildren<QLabel*>();
            const bool below = std::ranges::any_of(
                labels, [&](QLabel* label) { return label->isVisible() && label->text() == letters; });
            QCOMPARE(below, height == 800);
        }
        // In a narrow panel, where operations could not be told apart, the formulae stand in tips alone.
        auto* kept = view.findChild<QTableWidget*>();
        for (const int width : {264, 800}) {
            view.resize(width, 300);
            QCOMPARE(kept->isColumnHidden(2), width == 264);
            QVERIFY(kept->columnWidth(1) >= kept->horizontalHeader()->sectionSizeHint(1));
        }
        // Layers that are alike are told once.
        bench.selection.setRank(1);
        QVERIFY2(view.asTable().contains(QStringLiteral("each of layers 3–")), qPrintable(view.asTable()));
        auto* table = view.findChild<QTableWidget*>();
        QVERIFY(table && table->rowCount() > 5 && table->rowCount() < 30);
        Layout again = layout;
        again.memory.recompute = RecomputeKind::Full;
        bench.document.change(again, QStringLiteral("recompute"));
        QTRY_VERIFY(bench.document.planIsCurrent());
        QVERIFY(!view.asTable().contains(QStringLiteral("queries, keys and values")));
        QVERIFY(view.asTable().contains(QStringLiteral("input of what is computed again")));
        // A rank with interleaved stages keeps chunks of microbatches, and a step may have fewer microbatches.
        again.model.layers = 16;
        again.schedule.stages.clear();
        again.schedule.kind = "interleaved-1f1b";
        again.schedule.chunks = 2;
        bench.document.change(again, QStringLiteral("chunks"));
        QTRY_VERIFY(bench.document.planIsCurrent());
        QVERIFY2(view.subtitle().contains(QStringLiteral("in all 2 chunks")), qPrintable(view.subtitle()));
    }
};

QTEST_MAIN(ActivationsViewTest)
#include "activations_view_test.moc"
