// SPDX-License-Identifier: Apache-2.0
// Training with experts on GPUs against training on the processor: every gate, experts over ranks, and places that the
// members of a context group share.
#include "tests/support/named.h"
#include "tests/support/wings.h"
#include "tests/train/gpu/gpu_runs.h"
#include "tests/train/loss_curves.h"

#include <QtTest>

using namespace shardlab::test;

class GpuExpertsTest : public QObject, GpuRuns {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        const std::string lack = open();
        if (!lack.empty()) QSKIP(lack.c_str());
    }

    /// Tokens' rows go from GPU to GPU; as many exchanges are told as on the processor, and the same tokens are
    /// dropped.
    void followsTheProcessor_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("context");
        QTest::addColumn<int>("expert");
        QTest::addColumn<QString>("gate");
        const auto row = [](int d, int p, int c, int e, const char* gate) {
            QTest::addRow("%s data %d pipeline %d context %d expert %d", gate, d, p, c, e) << d << p << c << e << gate;
        };
        row(2, 1, 1, 1, "switch");
        row(2, 1, 1, 2, "switch");
        row(4, 1, 1, 2, "noisy-top-k");
        row(2, 2, 1, 2, "expert-choice");
        row(2, 1, 1, 2, "hierarchical");
        row(2, 2, 1, 2, "gshard");
        row(2, 1, 1, 2, "capped-expert-choice");
        row(1, 1, 2, 1, "switch");
        row(1, 1, 4, 2, "noisy-top-k");
        row(1, 2, 2, 2, "gshard");
        row(2, 1, 2, 4, "hierarchical");
        row(1, 1, 4, 1, "expert-choice");
        row(1, 1, 2, 2, "capped-expert-choice");
        row(1, 1, 2, 2, "sigmoid-in-groups");
    }
    void followsTheProcessor() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, context);
        QFETCH(int, expert);
        QFETCH(QString, gate);
        Layout layout = layoutOf(data, pipeline, 1, 0, "fp32");
        layout.model.kind = ModelKind::GptMoe;
        layout.model.layers = 2 * pipeline;
        MoeSpec& experts = layout.model.experts;
        experts.count = 4;
        experts.gate = named(gate);
        experts.groups = 2;
        experts.scoreBias = expert > 1;
        experts.dropout = context > 1 ? 0.2 : 0;
        layout.parallel.expert = expert;
        layout.parallel.context = context;
        layout.cluster.hosts[0].devices = data * pipeline * context;
        if (emulated()) {
            layout.model.sequence = 8;
            layout.run.steps = 2;
        }
        const Plan plan = planOf(layout);
        const RunOutcome near = runInProcess(plan), far = runOnGpus(plan);
        QVERIFY2(near.error.empty(), near.error.c_str());
        QVERIFY2(far.error.empty(), far.error.c_str());
        const QString wrong = difference(far.counter(EventKind::Loss), near.counter(EventKind::Loss), 1e-4);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        QCOMPARE(far.count(EventKind::DispatchTokens) > 0, expert > 1);
        QCOMPARE(far.count(EventKind::GatherChoices) > 0, context > 1);
        for (const EventKind kind :
             {EventKind::DispatchTokens, EventKind::CombineTokens, EventKind::GatherChoices, EventKind::ExpertLoad})
            QCOMPARE(far.count(kind), near.count(kind));
        QCOMPARE(far.counter(EventKind::ExpertDropped), near.counter(EventKind::ExpertDropped));
    }
};

QTEST_GUILESS_MAIN(GpuExpertsTest)
#include "gpu_experts_test.moc"
