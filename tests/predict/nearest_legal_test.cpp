// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/search/nearest_legal.h"
#include "tests/support/wings.h"

#include <QTest>

#include <functional>

using namespace shardlab::test;

Q_DECLARE_METATYPE(std::function<void(Layout&)>)

class NearestLegalTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void fewFieldsChangeALittle_data() {
        QTest::addColumn<std::function<void(Layout&)>>("spoil");
        QTest::addColumn<QString>("mended");
        using Spoil = std::function<void(Layout&)>;
        const auto row = [](const char* name, Spoil spoil, const char* mended) {
            QTest::newRow(name) << spoil << mended;
        };
        row(
            "nothing", [](Layout&) {}, "");
        row(
            "heads", [](Layout& l) { l.model.heads = 7; }, "/model/heads 8 instead of 7");
        row(
            "heads between two",
            [](Layout& l) {
                l.model.hidden = 768;
                l.model.heads = 7;
            },
            "/model/heads 8 instead of 7");
        row(
            "heads of a tensor group",
            [](Layout& l) {
                l.model.hidden = 96;
                l.model.heads = 7;
                l.parallel.data = 1;
                l.parallel.tensor = 4;
                l.cluster.hosts[0].devices = 8;
            },
            "/model/heads 8 instead of 7");
        row(
            "schedule", [](Layout& l) { l.schedule.kind = "1fb1"; }, "/schedule/kind \"1f1b\" instead of \"1fb1\"");
        row(
            "limit", [](Layout& l) { l.run.steps = 0; }, "/run/steps 1 instead of 0");
        row(
            "a rate whose limit nobody means", [](Layout& l) { l.optimizer.learningRate = -1; },
            "/optimizer/learning_rate 0.003 instead of -1.0");
        const auto paced = [](Layout& l, const char* device, const char* stack) {
            l.cluster.pace.emplace();
            l.cluster.pace->device = device;
            l.cluster.pace->stack = stack;
            l.precision.compute = NumberFormat::Bf16;
        };
        row(
            "a stack whose attention the device does not have",
            [=](Layout& l) { paced(l, "v100-sxm-32", "torchtitan"); },
            "/cluster/pace/stack \"megatron-2022\" instead of \"torchtitan\"");
        row(
            "a stack of which no times are known in fp32",
            [=](Layout& l) {
                paced(l, "h100-sxm", "megatron-core");
                l.precision.compute = NumberFormat::Fp32;
            },
            "/cluster/pace/stack \"shardlab\" instead of \"megatron-core\"");
        row(
            "products that the device does not have",
            [=](Layout& l) {
                paced(l, "a100-sxm", "megatron-core");
                l.precision.products = ProductFormat::Fp8;
            },
            "/precision/products \"compute\" instead of \"fp8\"");
        row(
            "a rate beyond the largest", [](Layout& l) { l.optimizer.learningRate = 1e6; },
            "/optimizer/learning_rate 10.0 instead of 1000000.0");
        row(
            "latent attention, whose heads may have odd parts that stay",
            [](Layout& l) {
                l.model.kind = ModelKind::Llama;
                l.model.hidden = 36;
                l.model.block.kvRank = 16;
                l.model.block.ropeWidth = 3;
                l.model.block.valueWidth = 20;
            },
            "/model/rope_width 4 instead of 3, /model/value_width 13 instead of 20");
        row(
            "one degree", [](Layout& l) { l.parallel.data = 3; }, "/parallel/data 2 instead of 3");
        row(
            "microbatch", [](Layout& l) { l.batch.micro = 3; }, "/batch/micro 4 instead of 3");
        row(
            "chunks", [](Layout& l) { l.schedule.chunks = 2; }, "/schedule/chunks 1 instead of 2");
        row(
            "stages",
            [](Layout& l) {
                l.schedule.stages = {1, 1};
            },
            "/schedule/stages [] instead of [1,1]");
        row(
            "optimizer on the host",
            [](Layout& l) {
                l.memory.offload = OffloadKind::Optimizer;
                l.optimizer.kind = OptimizerKind::Sm3;
            },
            "/memory/offload \"none\" instead of \"optimizer\"");
        row(
            "parameters on the host", [](Layout& l) { l.memory.offload = OffloadKind::Parameters; },
            "/memory/offload \"optimizer\" instead of \"parameters\"");
        row(
            "parameters on the host of a replica that others wait for",
            [](Layout& l) {
                l.memory.offload = OffloadKind::Parameters;
                l.parallel.zero = 3;
                l.batch.micro = 3;
            },
            "/batch/micro 4 instead of 3");
        row(
            "activations on the host",
            [](Layout& l) {
                l.memory.swap = SwapKind::Activations;
                l.schedule.kind = "pipedream";
                l.optimizer.clip = 0;
            },
            "/memory/swap \"none\" instead of \"activations\"");
        row(
            "two at once",
            [](Layout& l) {
                l.model.heads = 3;
                l.batch.micro = 5;
            },
            "/model/heads 4 instead of 3, /batch/micro 4 instead of 5");
    }
    void fewFieldsChangeALittle() {
        QFETCH(std::function<void(Layout&)>, spoil);
        QFETCH(QString, mended);
        Layout layout;
        spoil(layout);
        const auto legal = nearestLegal(layout);
        QVERIFY(legal.has_value());
        QCOMPARE(QString::fromStdString(toText(*legal)), mended);
        QVERIFY(check(legal->layout, scheduleMethods()).empty());
    }

    void whereNothingHelpsThereIsNone() {
        Layout layout;
        layout.cluster.hosts = {{"a", 7}};  // divide neither 4 layers nor 16 samples
        QVERIFY(!nearestLegal(layout));
        layout = Layout{};
        layout.data.kind = DataKind::Text;  // no file is named, and none can be made up
        QVERIFY(!nearestLegal(layout));
    }
};

QTEST_GUILESS_MAIN(NearestLegalTest)
#include "nearest_legal_test.moc"
