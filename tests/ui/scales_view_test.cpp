// SPDX-License-Identifier: GPL-3.0-or-later
// Scales, saturated and flushed numbers of products in 8 bits, as views show them.
#include "engine/predict/plan/fp8_costs.h"
#include "engine/trace/metrics/rounded_numbers.h"
#include "tests/support/wings.h"
#include "tests/ui/bench_context.h"
#include "tests/ui/sample_rounding.h"
#include "ui/timeline/event_text.h"
#include "ui/views/events/events_view.h"
#include "ui/views/scales/scales_view.h"
#include "ui/views/selected/selected_view.h"
#include "ui/window/dock_panel.h"

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>
#include <QTest>

#include <algorithm>
#include <memory>

using namespace shardlab;
using namespace shardlab::test;

namespace {

QList<QStringList> cellsOf(const QString& table) {
    QList<QStringList> rows;
    for (const QString& line : table.split(QLatin1Char('\n'), Qt::SkipEmptyParts))
        rows += line.split(QLatin1Char('\t'));
    return rows;
}

int columnWith(const ScalesView& view, const QString& wanted) {
    for (int x = 0; x < view.canvas()->width(); ++x)
        if (view.valueAt(x).startsWith(wanted)) return x;
    return -1;
}

}  // namespace

class ScalesViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theWorstFactorComesFirst() {
        sample::Bench bench;
        sample::fillRounded(bench.model);
        ScalesView view(bench.context(), nullptr);
        view.resize(440, 240);
        view.show();
        view.flush();
        QVERIFY(view.emptyText().isEmpty());
        const auto told = roundedFactors(bench.model);
        QCOMPARE(told.size(), std::size_t{12});  // two layers, two products, three factors
        QCOMPARE(told.front().place, sample::worstPlace);
        QVERIFY(view.factors().itemText(0).startsWith(QStringLiteral("layer 1, expansion, gradient · ")));
        QVERIFY(view.factors().itemText(0).endsWith(QStringLiteral(" saturated")));
        QVERIFY(view.factors().itemText(11).endsWith(QStringLiteral(" became 0")));
        const auto rows = cellsOf(view.asTable());
        QCOMPARE(rows.size(), 1 + sample::roundedSteps);
        const Layout& layout = bench.model.header().layout;
        // Two replicas and four microbatches of rows × outputs.
        const double rounded = 2.0 * 4 * layout.batch.micro * layout.model.sequence * 4 * layout.model.hidden;
        QCOMPARE(rows[1 + 5], (QStringList{"5", "layer 1, expansion, gradient", "16", QString::number(rounded, 'f', 0),
                                           "340", "40", "rank 1, microbatch 2"}));
        QCOMPARE(rows[1 + 4].mid(2),
                 (QStringList{"32", QString::number(rounded, 'f', 0), "0", "40", "rank 0, microbatch 0"}));
        QCOMPARE(view.subtitle(),
                 QStringLiteral("step 11 · scale 2⁵ · 0 % saturated · %1 became 0").arg(smallShare(40 / rounded)));
    }

    void aClickSelectsWhereItWasWorst() {
        sample::Bench bench;
        sample::fillRounded(bench.model);
        ScalesView view(bench.context(), nullptr);
        view.resize(440, 240);
        view.show();
        QTest::qWait(200);
        const int x = columnWith(view, QStringLiteral("step 5 · layer 1, expansion, gradient · scale 2⁴"));
        QVERIFY(x >= 0);
        QVERIFY(view.valueAt(x).contains(QStringLiteral("saturated: 340 numbers (")));
        QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, {x, 60});
        QVERIFY(bench.selection.event());
        QCOMPARE(bench.selection.rank(), 1);
        QCOMPARE(bench.selection.event()->rank, 1);
        QCOMPARE(bench.selection.event()->step, 5);
        QCOMPARE(bench.selection.event()->kind, EventKind::Backward);
        QCOMPARE(actionFromId(bench.selection.event()->action).microbatch, 2);
        view.flush();
        QVERIFY(view.subtitle().startsWith(QStringLiteral("step 5 · scale 2⁴ · ")));
        QCOMPARE(view.note().text(), QStringLiteral("most on rank 1, microbatch 2"));
    }

    void aFactorIsChosenAndStaysChosen() {
        sample::Bench bench;
        sample::fillRounded(bench.model);
        ScalesView view(bench.context(), nullptr);
        view.resize(440, 240);
        view.show();
        view.flush();
        const auto told = roundedFactors(bench.model);
        view.factors().setFocus();
        QTest::keyClick(&view.factors(), Qt::Key_Down);
        QCOMPARE(view.factors().currentIndex(), 1);
        QVERIFY(view.asTable().contains(QString::fromStdString(textOf(told[1].place))));
        QVERIFY(!view.asTable().contains(QStringLiteral("layer 1, expansion, gradient")));
        // The chosen one becomes the worst; another would be shown if its row had been chosen.
        const std::int64_t end = bench.model.recorded().last;
        bench.model.append(std::vector<Event>{
            {end, end, fp8Number(told[1].place), 1e7, 0, 11, 0, Lane::Host, EventKind::Fp8Saturated}});
        view.flush();
        QCOMPARE(view.factors().currentIndex(), 0);
        QVERIFY(view.asTable().contains(QString::fromStdString(textOf(told[1].place))));
    }

    void rowsAreAllFactorsOfTheStep() {
        sample::Bench bench;
        sample::fillRounded(bench.model);
        bench.selection.setCursor(bench.model.steps().extents()[5].begin + 1);
        ScalesView view(bench.context(), nullptr);
        view.resize(440, 260);
        view.show();
        for (QPushButton* button : view.findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Table")) QTest::keyClick(button, Qt::Key_Space);
        QVERIFY(view.table().isVisible());
        QCOMPARE(view.table().rowCount(), 12);
        QCOMPARE(view.table().item(0, 1)->text(), QStringLiteral("2⁴"));
        QCOMPARE(view.table().item(0, 4)->text(), QStringLiteral("rank 1, microbatch 2"));
        const auto rows = cellsOf(view.asTable());
        QCOMPARE(rows.size(), 1 + 12);
        for (qsizetype row = 1; row < rows.size(); ++row) QCOMPARE(rows[row][0], QStringLiteral("5"));
        QTest::mouseClick(view.table().viewport(), Qt::LeftButton, {},
                          view.table().visualItemRect(view.table().item(2, 0)).center());
        QCOMPARE(view.factors().currentIndex(), 2);
        QVERIFY(bench.selection.event());
        QCOMPARE(bench.selection.event()->step, 5);
    }

    /// The change of focus was told to a panel whose members were gone.
    void aPanelIsDeletedWithTheFocusInIt() {
        sample::Bench bench;
        sample::fillRounded(bench.model);
        const auto kind = std::ranges::find(viewKinds(), QStringLiteral("scales"),
                                            [](const ViewKind& each) { return QString::fromLatin1(each.id); });
        QVERIFY(kind != viewKinds().end());
        auto panel = std::make_unique<DockPanel>(*kind, bench.context(), nullptr);
        panel->show();
        QVERIFY(QTest::qWaitForWindowActive(panel.get()));
        panel->findChild<QComboBox*>()->setFocus();
        QTRY_VERIFY(panel->findChild<QComboBox*>()->hasFocus());
        panel.reset();
        QVERIFY(!QApplication::focusWidget());
    }

    void saysWhatToSet() {
        sample::Bench bench;
        sample::fill(bench.model, sample::plan(sample::layout(1, 2, 4)), 3, 1);
        ScalesView view(bench.context(), nullptr);
        QVERIFY(view.emptyText().contains(QStringLiteral("Set Products to a format of 8 bits in Design")));
        QVERIFY(view.subtitle().isEmpty());
        bench.model.begin(headerOf(sample::plan(sample::roundedLayout(1, 2, 4))), {});
        view.flush();
        QVERIFY(view.emptyText().contains(QStringLiteral("first complete step")));
    }

    void eventsNameSaturatedSteps() {
        sample::Bench bench;
        sample::fillRounded(bench.model);
        EventsView view(bench.context(), nullptr);
        const QString wanted = QStringLiteral("340 numbers saturated in 8 bits, 480 became 0; most "
                                              "in layer 1, expansion, gradient (rank 1, microbatch 2)");
        QVERIFY2(view.asTable().contains(wanted), qPrintable(view.asTable()));
        QCOMPARE(view.asTable().count(QStringLiteral("saturated in 8 bits")), 1);
        const Event counter = bench.model.points().of(EventKind::Fp8Saturated).front();
        QCOMPARE(whatText(bench.model, counter), QStringLiteral("Fp8 saturated · layer 1, expansion, gradient"));
        bench.selection.select(counter);
        SelectedView selected(bench.context(), nullptr);
        QVERIFY2(!selected.asTable().contains(QStringLiteral("Bytes moved")), qPrintable(selected.asTable()));
        QVERIFY2(selected.asTable().contains(QStringLiteral("Numbers\t40")), qPrintable(selected.asTable()));
        // The row of a saturation in the events leads to the action that rounded.
        view.resize(320, 240);
        view.show();
        auto* table = view.findChild<QTableView*>();
        for (int row = 0; row < table->model()->rowCount(); ++row)
            if (table->model()->index(row, 2).data().toString() == wanted)
                table->setCurrentIndex(table->model()->index(row, 2));
        QTest::keyClick(table, Qt::Key_Return);
        QCOMPARE(bench.selection.event()->kind, EventKind::Backward);
        QCOMPARE(bench.selection.event()->step, 5);
        QCOMPARE(actionFromId(bench.selection.event()->action).microbatch, 2);
    }

    /// The numbers of all places of a stage against the shapes that the ledger of memory counts.
    void numbersAreThoseOfTheLinearLayers_data() {
        QTest::addColumn<int>("kind");
        for (const ModelKind kind : {ModelKind::Gpt, ModelKind::Mlp, ModelKind::Llama, ModelKind::GptMoe})
            QTest::addRow("%d", static_cast<int>(kind)) << static_cast<int>(kind);
    }
    void numbersAreThoseOfTheLinearLayers() {
        QFETCH(int, kind);
        Layout layout = sample::roundedLayout(1, 1, 2);
        layout.model.kind = static_cast<ModelKind>(kind);
        layout.model.layers = 4;
        layout.parallel.tensor = 2;
        double weights = 0, inputs = 0, gradients = 0;
        double dense[2]{};
        for (int layer = 0; layer < layout.model.layers; ++layer)
            for (std::size_t part = 0; part < trace::linearPartNames.size(); ++part) {
                const auto of = [&](int factor) {
                    return trace::roundedNumbers(layout, {layer, static_cast<trace::LinearPart>(part), factor});
                };
                weights += of(1);
                if (static_cast<trace::LinearPart>(part) >= trace::LinearPart::ExpertExpansion) continue;
                inputs += of(0);
                gradients += of(2);
            }
        double counted = 0;
        const TensorShare share = tensorShare(layout);
        for (const LinearShape& shape : predict::linearShapes(layout, {4, true, true, 0}, share))
            counted += static_cast<double>(shape.inputs * shape.outputs);
        QCOMPARE(weights, counted);
        if (layout.model.kind == ModelKind::GptMoe) return;  // rows of experts are not those of the ledger's room
        for (const LinearShape& shape : predict::linearShapes(layout, {4, true, true, 0}, share)) {
            dense[0] += static_cast<double>(shape.rows * shape.inputs);
            dense[1] += static_cast<double>(shape.rows * shape.outputs);
        }
        QCOMPARE(inputs, dense[0]);
        QCOMPARE(gradients, dense[1]);
    }
};

QTEST_MAIN(ScalesViewTest)
#include "scales_view_test.moc"
