// SPDX-License-Identifier: GPL-3.0-or-later
// The axes of charts over steps.
#include "tests/support/wings.h"
#include "tests/ui/bench_context.h"

#include "ui/core/step_chart.h"
#include "ui/views/loss/loss_view.h"

#include <QPushButton>
#include <QtTest>

#include <algorithm>

using namespace shardlab;
using namespace shardlab::test;

class StepChartTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A low chart had one number at its axis, which says nothing of how far others are from it.
    void aScaleHasTwoNumbers() {
        sample::Bench bench;
        sample::fill(bench.model, sample::plan(sample::layout(1, 2, 4)), 12, 7);
        LossView view(bench.context(), nullptr);
        view.resize(500, 260);
        view.show();
        const auto& chart = static_cast<const StepChart&>(*view.canvas());
        for (const int clicks : {0, 2}) {  // of the button that makes the scale logarithmic, and back
            for (int click = 0; click < clicks; ++click)
                QTest::mouseClick(view.findChild<QPushButton*>(), Qt::LeftButton);
            QVERIFY(!view.logarithmic());
            for (int height = 110; height <= 300; height += 5) {
                view.resize(500, height);
                view.flush();
                view.grab();
                const auto shown = std::ranges::count_if(chart.yAxis->tickVector(),
                                                         [&](double at) { return chart.yAxis->range().contains(at); });
                QVERIFY2(shown >= 2 && shown <= 7, qPrintable(QStringLiteral("%1 at %2").arg(shown).arg(height)));
            }
        }
    }
};

QTEST_MAIN(StepChartTest)
#include "step_chart_test.moc"
