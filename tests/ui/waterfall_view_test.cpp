// SPDX-License-Identifier: GPL-3.0-or-later
// The view of a step's parts follows the document's plan, as bars and as a table.
#include "tests/support/wings.h"
#include "tests/ui/bench_context.h"
#include "ui/core/text.h"
#include "ui/views/waterfall/waterfall_bars.h"
#include "ui/views/waterfall/waterfall_view.h"

#include <QDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace shardlab;
using namespace shardlab::test;

namespace {

Layout shown(const char* stack = "megatron-core") {
    Layout layout = sample::layout(1, 4, 8);
    layout.model.hidden = 1024;
    layout.model.heads = 8;
    layout.model.sequence = 2048;
    layout.precision.compute = NumberFormat::Bf16;
    layout.memory.recompute = RecomputeKind::Full;
    layout.cluster.pace = PaceSpec{"h100-sxm", 1, stack};
    return layout;
}

}  // namespace

class WaterfallViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Where faults came while a fall was worked out, that of the layout before stayed, as "from the last legal
    /// layout".
    void faultsLeaveTheLastLegalOne() {
        sample::Bench bench(Workspace::Design);
        bench.document.replace(shown(), {});
        WaterfallView view(bench.context(), nullptr);
        Layout legal = shown();
        legal.memory.recompute = RecomputeKind::None;
        bench.document.replace(legal, {});
        Layout faulty = legal;
        faulty.model.heads = 7;
        bench.document.replace(faulty, {});
        QVERIFY(!bench.document.faults().empty() && bench.document.plan());
        const auto& parts = view.bars().parts();
        QTRY_VERIFY(!parts.empty() && std::ranges::find(parts, WaterfallPart::Recompute) == parts.end());
    }

    void itIsThatOfThePlan() {
        sample::Bench bench(Workspace::Design);
        bench.document.replace(shown(), {});
        WaterfallView view(bench.context(), nullptr);
        QVERIFY(view.emptyText().isEmpty());
        QTRY_VERIFY(!view.subtitle().isEmpty());
        const Waterfall wanted = waterfall(*bench.document.plan());
        const QStringList lines = view.asTable().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), qsizetype{1 + waterfallParts});
        double sum = 0;
        for (std::size_t i = 0; i < waterfallParts; ++i) {
            const auto part = static_cast<WaterfallPart>(i);
            const QStringList cells = lines[qsizetype(i) + 1].split(QLatin1Char('\t'));
            QCOMPARE(cells[0], text(name(part)));
            QVERIFY(std::abs(cells[1].toDouble() - wanted[part]) <= 1e-8 * wanted.stepSeconds);
            sum += cells[1].toDouble();
        }
        QVERIFY(std::abs(sum / bench.document.plan()->stepSeconds - 1) < 1e-6);
        const auto& parts = view.bars().parts();
        QVERIFY(std::ranges::find(parts, WaterfallPart::Recompute) != parts.end());
        // Another layout: another fall.
        Layout kept = shown();
        kept.memory.recompute = RecomputeKind::None;
        bench.document.change(kept, QStringLiteral("keep all"));
        QTRY_VERIFY(std::ranges::find(parts, WaterfallPart::Recompute) == parts.end());
    }

    void pictures_data() {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<int>("width");
        for (const bool dark : {true, false})
            for (const int width : {260, 520}) QTest::addRow("%s %d", dark ? "dark" : "light", width) << dark << width;
    }
    void pictures() {
        QFETCH(bool, dark);
        QFETCH(int, width);
        sample::Bench bench(Workspace::Design);
        bench.theme.setDark(dark);
        bench.document.replace(shown(), {});
        WaterfallView view(bench.context(), nullptr);
        QTRY_VERIFY(!view.subtitle().isEmpty());
        view.setAutoFillBackground(true);
        view.resize(width, 240);
        view.show();
        const QImage picture = view.grab().toImage();
        QDir().mkpath(QStringLiteral("pictures"));
        QVERIFY(picture.save(QStringLiteral("pictures/waterfall-%1-%2.png").arg(dark ? "dark" : "light").arg(width)));
        int peak = 0, step = 0;
        for (int y = 0; y < picture.height(); ++y)
            for (int x = 0; x < picture.width(); ++x) {
                peak += picture.pixelColor(x, y) == bench.theme.theme().good;
                step += picture.pixelColor(x, y) == bench.theme.theme().accent;
            }
        QVERIFY(step > 100 && peak > 0 && peak < step);
    }
};

QTEST_MAIN(WaterfallViewTest)
#include "waterfall_view_test.moc"
