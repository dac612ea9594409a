// SPDX-License-Identifier: Apache-2.0
// Rows such as other sources may publish: other models, devices, splits and formats than those of the shipped table, in
// other words. Each is a layout, and its prediction is what no run can contradict: between bounds, and never better
// with more work, fewer devices or slower links.
#include "engine/predict/evidence/validation.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QTest>

using namespace shardlab::test;

namespace {

const CsvTable& rowsToRead() {
    static const CsvTable table = [] {
        auto read = CsvTable::read(SHARDLAB_SOURCE_DIR "/tests/predict/golden/rows_to_read.csv");
        if (!read) qFatal("%s", read.error().text().c_str());
        return std::move(*read);
    }();
    return table;
}

StepEstimate estimate(const Layout& layout) { return StepEstimator(layout).estimate(choiceOf(layout)); }

/// The layout with so many times the replicas, on as many more hosts.
Layout wider(Layout layout) {
    std::vector<HostSpec>& hosts = layout.cluster.hosts;
    const std::size_t before = hosts.size();
    for (std::size_t i = 0; i < before; ++i) {
        HostSpec host = hosts[i];
        host.name += "b";
        hosts.push_back(host);
    }
    layout.parallel.data *= 2;
    layout.batch.global *= 2;
    return layout;
}

}  // namespace

class RowsToReadTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void eachRow_data() {
        QTest::addColumn<int>("row");
        for (std::size_t i = 0; i < rowsToRead().rows(); ++i)
            QTest::addRow("%s", std::string(rowsToRead().cell(i, "id")).c_str()) << static_cast<int>(i);
    }
    void eachRow() {
        QFETCH(int, row);
        const PublishedRun run = publishedRun(rowsToRead(), static_cast<std::size_t>(row));
        QVERIFY2(run.refused.empty(), run.refused.c_str());
        const Layout& layout = run.layout;
        const StepEstimate step = estimate(layout);
        QVERIFY2(step.mfu > 0.02 && step.mfu < 0.75 * most(layout), qPrintable(QString::number(step.mfu)));
        QVERIFY(step.memory.neededBytes > 0);
        // Nothing is smaller than the state of one rank's share of the weights.
        QVERIFY(double(step.memory.neededBytes) > 2 * double(modelParameters(layout.model)) /
                                                      (layout.parallel.tensor * layout.parallel.pipeline *
                                                       layout.parallel.data * layout.parallel.context));

        Layout more = layout;
        more.batch.global *= 2;
        const double twice = estimate(more).stepSeconds / step.stepSeconds;
        QVERIFY2(twice > 1.2 && twice < 2.02, qPrintable(QString::number(twice)));

        const double weak = estimate(wider(layout)).stepSeconds / step.stepSeconds;
        QVERIFY2(weak > 0.9 && weak < 1.6, qPrintable(QString::number(weak)));

        Layout quick = layout, slow = layout;
        const DevicePreset& device = *findDevice(layout.cluster.pace->device);
        const double own =
            layout.cluster.pace->network > 0 ? layout.cluster.pace->network : 8e-9 * device.betweenNodes.bandwidth;
        quick.cluster.pace->network = 4 * own;
        slow.cluster.pace->network = own / 4;
        QVERIFY(estimate(quick).stepSeconds <= step.stepSeconds * 1.0001);
        QVERIFY(estimate(slow).stepSeconds >= step.stepSeconds * 0.9999);

        if (layout.memory.recompute == RecomputeKind::Full) return;
        Layout again = layout;
        again.memory.recompute = RecomputeKind::Full;
        again.memory.recomputeParts = {};
        again.memory.recomputeBlocks = 0;
        const StepEstimate recomputed = estimate(again);
        QVERIFY(recomputed.stepSeconds > step.stepSeconds);
        // Where weights' gradients are put off, what a backward computes again is kept for them.
        if (!layout.schedule.kind.starts_with("zb")) QVERIFY(recomputed.memory.neededBytes < step.memory.neededBytes);
    }

private:
    /// How much quicker than in 16 bits the layout's products are at their peak.
    static double most(const Layout& layout) {
        const DevicePreset& device = *findDevice(layout.cluster.pace->device);
        const int bits = traits(layout.precision.products).bits;
        return bits == 16 ? 1 : (bits == 8 ? device.fp8Flops : device.fp4Flops) / device.bf16Flops;
    }
};

QTEST_GUILESS_MAIN(RowsToReadTest)
#include "rows_to_read_test.moc"
