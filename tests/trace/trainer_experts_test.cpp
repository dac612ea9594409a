// SPDX-License-Identifier: Apache-2.0
// Experts on their way to other trainers: what a program cannot say is refused, and never written as something else.
#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "engine/trace/trainers/trainer_target.h"
#include "tests/support/wings.h"

#include <QtTest>
#include <algorithm>

using namespace shardlab::test;

class TrainerExpertsTest : public QObject {
    Q_OBJECT

    static Layout withExperts(ModelKind kind) {
        Layout layout;
        layout.model.kind = kind;
        layout.model.layers = 4;
        layout.model.feedForward = {64};
        return layout;
    }

private Q_SLOTS:
    /// The file for Megatron-LM has experts in every second block, which is a gpt-moe's and no llama-moe's.
    void megatronHasThemInEverySecondBlock() {
        const TrainerTarget& megatron = *findTrainerTarget("megatron");
        const auto written = exportLayout(withExperts(ModelKind::GptMoe), megatron);
        QVERIFY(written && written->text.find("([0]+[1])*2") != std::string::npos);
        for (const int every : {0, 1, 2, 4}) {
            Layout layout = withExperts(ModelKind::LlamaMoe);
            layout.model.experts.every = every;
            QVERIFY(check(layout, scheduleMethods()).empty());
            const auto refused = exportLayout(layout, megatron);
            QVERIFY(!refused.has_value());
            QCOMPARE(std::ranges::count(refused.error(), "/model/kind", &Fault::pointer), every == 2 ? 0 : 1);
        }
    }

    /// A tensor degree of experts goes to Megatron-LM and comes back; where it is that of all else, nothing is said.
    void theTensorDegreeOfExpertsGoesThereAndBack() {
        const TrainerTarget& megatron = *findTrainerTarget("megatron");
        Layout layout = withExperts(ModelKind::GptMoe);
        layout.parallel = {.data = 2, .pipeline = 1, .tensor = 2, .expert = 4, .sequence = true, .expertTensor = 1};
        layout.cluster.hosts = {{"localhost", 4}};
        layout.precision.compute = NumberFormat::Bf16;
        QVERIFY(check(layout, scheduleMethods()).empty());
        const auto written = exportLayout(layout, megatron);
        QVERIFY2(written.has_value(), written ? "" : toText(written.error()).c_str());
        QVERIFY(written->text.find("--expert-tensor-parallel-size 1") != std::string::npos);
        const auto back = megatron.read("run.sh", written->text);
        QVERIFY(back.has_value());
        QVERIFY(back->layout.parallel == layout.parallel);
        layout.parallel.expert = 2;
        layout.parallel.expertTensor = 0;
        const auto plain = exportLayout(layout, megatron);
        QVERIFY(plain && plain->text.find("--expert-tensor-parallel-size") == std::string::npos);
    }

    /// What has an effect on experts, and no words in a program, is refused there.
    void whatHasNoWordsIsRefused() {
        for (const TrainerTarget& target : trainerTargets()) {
            if (target.name == "deepspeed" || target.name == "accelerate") continue;  // the model is a text beside it
            Layout layout = withExperts(ModelKind::LlamaMoe);
            layout.model.experts.shared = 1;
            QVERIFY2(!exportLayout(layout, target).has_value(), std::string(target.name).c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TrainerExpertsTest)
#include "trainer_experts_test.moc"
