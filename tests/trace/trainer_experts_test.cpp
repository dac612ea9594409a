// SPDX-License-Identifier: Apache-2.0
// Experts on their way to other trainers: what a program cannot say is refused, and never written as something else.
#include "engine/layout/block_parts.h"
#include "engine/layout/check/check.h"
#include "engine/layout/presets.h"
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
    /// Whichever blocks have experts, they are named, and come back.
    void megatronNamesTheBlocks() {
        const TrainerTarget& megatron = *findTrainerTarget("megatron");
        const auto written = exportLayout(withExperts(ModelKind::GptMoe), megatron);
        QVERIFY(written && written->text.find("--moe-layer-freq '([0]+[1])*2'") != std::string::npos);
        const std::pair<MoeSpec, const char*> models[] = {{{.every = 0}, "'[1]*4'"},
                                                          {{.every = 2}, "'([0]+[1])*2'"},
                                                          {{.every = 4}, "'[0]*3+[1]'"},
                                                          {{.denseLayers = 1}, "'[0]+[1]*3'"},
                                                          {{.every = 2, .denseLayers = 3}, "'[0]*3+[1]'"}};
        for (const auto& [experts, frequency] : models) {
            Layout layout = withExperts(ModelKind::LlamaMoe);
            layout.model.experts = experts;
            QVERIFY(check(layout, scheduleMethods()).empty());
            const auto text = exportLayout(layout, megatron);
            QVERIFY2(text.has_value(), text ? "" : toText(text.error()).c_str());
            QVERIFY2(text->text.find("--moe-layer-freq " + std::string(frequency)) != std::string::npos, frequency);
            const auto back = megatron.read("run.sh", text->text);
            QVERIFY(back.has_value());
            for (int layer = 0; layer < 4; ++layer)
                QCOMPARE(hasExperts(back->layout.model, layer), hasExperts(layout.model, layer));
        }
    }

    /// What a public model is made of has words in Megatron-LM and Megatron-Bridge.
    void publicModelsGoThere_data() {
        QTest::addColumn<QString>("preset");
        for (const char* name : {"mixtral-8x7b", "qwen3-30b-a3b", "qwen3-235b-a22b", "deepseek-v3", "llama3.1-405b",
                                 "nemotron4-340b", "qwen3-32b"})
            QTest::newRow(name) << name;
    }
    void publicModelsGoThere() {
        QFETCH(QString, preset);
        const Layout layout = findPreset(preset.toStdString())->layout;
        for (const char* name : {"megatron", "megatron-bridge"}) {
            const TrainerTarget& target = *findTrainerTarget(name);
            const auto written = exportLayout(layout, target);
            QVERIFY2(written.has_value(), written ? "" : toText(written.error()).c_str());
            if (target.read == nullptr) continue;
            const auto back = target.read("run.sh", written->text);
            QVERIFY(back.has_value());
            QVERIFY(back->layout.parallel == layout.parallel);
            QVERIFY(stageLayers(back->layout) == stageLayers(layout));
            QCOMPARE(back->layout.schedule.chunks, layout.schedule.chunks);
            ModelSpec theirs = back->layout.model;
            theirs.experts.entropy = layout.model.experts.entropy;
            if (hasExperts(layout.model)) QVERIFY(theirs.experts == layout.model.experts);
            QVERIFY(blockParts(theirs) == blockParts(layout.model));
        }
    }

    /// What its router does otherwise is refused at its field.
    void whatTheRouterHasNotIsRefused() {
        const auto refusedAt = [](const MoeSpec& experts) {
            Layout layout = withExperts(ModelKind::LlamaMoe);
            layout.model.experts = experts;
            const auto made = exportLayout(layout, *findTrainerTarget("megatron"));
            std::string pointers;
            if (!made)
                for (const Fault& fault : made.error()) pointers += fault.pointer + " ";
            return pointers;
        };
        QCOMPARE(refusedAt({.gate = GateMethod::NoisyTopK}), std::string("/model/gate "));
        QCOMPARE(refusedAt({.gate = GateMethod::TopKSoftmax, .topK = 1}), std::string("/model/top_k "));
        QCOMPARE(refusedAt({.gate = GateMethod::SigmoidTopK, .topK = 1}), std::string("/model/top_k "));
        QCOMPARE(refusedAt({.gate = GateMethod::SigmoidInGroups, .topK = 3, .groups = 4, .topGroups = 2}),
                 std::string("/model/top_groups "));
        QCOMPARE(refusedAt({.gate = GateMethod::SoftmaxTopK, .topK = 1}), std::string());
        QCOMPARE(refusedAt({.scoreBias = true}), std::string("/model/score_bias "));
        QCOMPARE(refusedAt({.dropout = 0.1}), std::string("/model/expert_dropout "));
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
            layout.model.experts.gate = GateMethod::Hierarchical;
            QVERIFY2(!exportLayout(layout, target).has_value(), std::string(target.name).c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TrainerExpertsTest)
#include "trainer_experts_test.moc"
