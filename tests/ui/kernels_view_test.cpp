// SPDX-License-Identifier: GPL-3.0-or-later
// The view of kernels shows the profile that fits the document's layout, and says what to do where none does.
#include "tests/ui/bench_context.h"
#include "tests/support/wings.h"
#include "ui/views/kernels/kernel_bars.h"
#include "ui/views/kernels/kernels_view.h"

#include <QDir>
#include <QTest>

#include <cmath>

using namespace shardlab;
using namespace shardlab::test;

namespace {

Measurements measured(const Layout& layout, const KernelAccount& account) {
    Profile profile;
    profile.machine = {"a processor", 2};
    profile.layout = layout;
    profile.layout.cluster.pace.reset();
    profile.threads = threadsPerRank(rankCount(layout), profile.machine.cores);
    profile.date = "2026-11-20T12:00:00Z";
    profile.blocks = {{layout.model.layers, {}}};
    profile.kernels = account;
    return {profile.machine, {profile}, {}};
}

KernelAccount account() {
    return {{{"A·B", 34, 4.56e-3, 8.4e8, 2.8e7},
             {"Aᵀ·B", 34, 4.5e-3, 8.4e8, 3e7},
             {"attention gradient", 8, 2.1e-3, 1.3e8, 9e6},
             {"layer norm", 18, 1.8e-4, 0, 5e6},
             {"bias", 48, 1e-4, 0, 1.5e7}},
            1.3e-2,
            2.3e11,
            3.8e10};
}

}  // namespace

class KernelsViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void withoutAMeasurementItSaysHowToMakeOne() {
        sample::Bench bench(Workspace::Design);
        KernelsView view(bench.context(), nullptr);
        QVERIFY(view.emptyText().contains(QStringLiteral("Measure this machine")));
        Layout other;
        other.model.hidden = 2 * bench.document.layout().model.hidden;
        bench.document.setMeasurements(measured(other, account()));
        QVERIFY(!view.emptyText().isEmpty());
        QVERIFY(view.subtitle().isEmpty());
    }

    void aMeasurementAppearsAtOnceAndIsATable() {
        sample::Bench bench(Workspace::Design);
        KernelsView view(bench.context(), nullptr);
        bench.document.setMeasurements(measured(bench.document.resolvedLayout(), account()));
        QTRY_VERIFY(view.emptyText().isEmpty());
        QVERIFY2(view.subtitle().contains(QStringLiteral("13.0 ms")), qPrintable(view.subtitle()));
        const QStringList lines = view.asTable().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), qsizetype{1 + 5 + 1});
        QVERIFY(lines[1].startsWith(QStringLiteral("A·B\t34\t0.00456\t")));
        const auto least = [&](qsizetype line) { return lines[line].section(QLatin1Char('\t'), 5).toDouble(); };
        QVERIFY(std::abs(least(1) / (8.4e8 / 2.3e11) - 1) < 1e-8);
        QVERIFY(std::abs(least(4) / (5e6 / 3.8e10) - 1) < 1e-8);
        QVERIFY(lines.back().startsWith(QStringLiteral("between kernels")));
    }

    void whatIsQuickerThanMemoryCameFromACache() {
        sample::Bench bench(Workspace::Design);
        KernelsView view(bench.context(), nullptr);
        bench.document.setMeasurements(measured(bench.document.resolvedLayout(), account()));
        QTRY_VERIFY(view.emptyText().isEmpty());
        const QStringList figures = view.findChild<KernelBars*>()->figures();
        QCOMPARE(figures.size(), qsizetype{6});
        QVERIFY2(figures[0].endsWith(QStringLiteral(" · 1.2×")), qPrintable(figures[0]));
        QVERIFY2(figures[4].endsWith(QStringLiteral(" · from cache")), qPrintable(figures[4]));
    }

    void pictures_data() {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<QSize>("size");
        for (const bool dark : {true, false})
            for (const QSize size : {QSize(440, 240), QSize(300, 150), QSize(900, 300)})
                QTest::addRow("%s %d", dark ? "dark" : "light", size.width()) << dark << size;
    }
    void pictures() {
        QFETCH(bool, dark);
        QFETCH(QSize, size);
        sample::Bench bench(Workspace::Design);
        bench.theme.setDark(dark);
        bench.document.setMeasurements(measured(bench.document.resolvedLayout(), account()));
        KernelsView view(bench.context(), nullptr);
        QTRY_VERIFY(view.emptyText().isEmpty());
        view.setAutoFillBackground(true);
        view.resize(size);
        view.show();
        const QImage picture = view.grab().toImage();
        QDir().mkpath(QStringLiteral("pictures"));
        QVERIFY(
            picture.save(QStringLiteral("pictures/kernels-%1-%2.png").arg(dark ? "dark" : "light").arg(size.width())));
        const Theme& theme = bench.theme.theme();
        int products = 0, memory = 0;
        for (int y = 0; y < picture.height() - 40; ++y)
            for (int x = 0; x < picture.width(); ++x) {
                products += picture.pixelColor(x, y) == theme.action(EventKind::Forward);
                memory += picture.pixelColor(x, y) == theme.action(EventKind::WeightGrad);
            }
        QVERIFY(products > 100);
        QVERIFY(memory > 0);
    }
};

QTEST_MAIN(KernelsViewTest)
#include "kernels_view_test.moc"
