// SPDX-License-Identifier: Apache-2.0
// What a trainer cannot do is refused at its field, and nothing is written.
#include "engine/trace/trainers/trainer_target.h"

#include "engine/layout/layout_file.h"
#include "engine/trace/trainers/trainer_text.h"
#include "tests/support/wings.h"

#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

class TrainerRefusalTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void refused_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("assignments");
        QTest::addColumn<QString>("pointer");
        const auto row = [](const char* target, const char* assignments, const char* pointer) {
            QTest::addRow("%s %s", target, assignments) << QString(target) << QString(assignments) << QString(pointer);
        };
        row("megatron", "/model/kind=mlp", "/model/kind");
        row("megatron", "/schedule/kind=gpipe", "/schedule/kind");
        row("megatron", "/model/activation=geglu", "/model/activation");
        row("megatron", "/model/biases=none", "/model/activation");
        row("megatron", "/model/feed_forward=[4,5,6,7]", "/model/feed_forward");
        row("megatron", "/precision/compute=bf16 /precision/weights=alone", "/precision/weights");
        row("megatron", "/precision/compute=fp16", "/precision/loss_scale");
        row("megatron", "/precision/compute=bf16 /precision/products=fp8-rows", "/precision/products");
        row("megatron", "/optimizer/kind=adafactor", "/optimizer/kind");
        row("nemo", "/model/kind=llama /model/kv_rank=16 /model/rope_width=8", "/model/kv_rank");
        row("megatron", "/model/kind=llama /model/kv_rank=16 /model/rope_width=8 /model/rope_scaling=llama3",
            "/model/rope_scaling");
        row("megatron", "/memory/offload=optimizer", "/memory/offload");
        row("megatron", "/parallel/zero=3 /memory/offload=parameters", "/memory/offload");
        row("megatron", "/memory/swap=activations", "/memory/swap");
        row("megatron", "/model/positions=rotary /model/rope_base=10000.5", "/model/rope_base");
        row("megatron", "/model/predicted_tokens=1", "/model/predicted_tokens");
        row("megatron", "/memory/recompute=pointwise", "/memory/recompute");
        row("megatron", "/memory/recompute=operations", "/memory/recompute");
        row("megatron", "/memory/recompute=parts /memory/recompute_parts=[\"core\",\"activations\"]",
            "/memory/recompute");
        row("megatron", "/memory/recompute=mlp /memory/recompute_blocks=1", "/memory/recompute_blocks");
        for (const char* target : {"megatron-bridge", "nemo"})
            row(target, "/parallel/zero=3 /memory/offload=parameters", "/memory/offload");
        row("torchtitan", "/model/kind=llama /parallel/zero=3 /memory/offload=optimizer", "/memory/offload");
        row("torchtitan", "/run/steps=200", "/model/kind /model/norm");
        row("torchtitan", "/model/kind=llama /model/predicted_tokens=1", "/model/predicted_tokens");
        row("torchtitan", "/model/kind=llama /parallel/zero=1", "/parallel/zero");
        row("torchtitan", "/model/kind=llama /precision/compute=fp16", "/precision/compute");
        row("torchtitan", "/model/kind=llama /schedule/kind=pipedream /optimizer/clip=0", "/schedule/kind");
        row("torchtitan", "/model/kind=llama /memory/recompute=selective", "/memory/recompute");
        row("torchtitan", "/model/kind=llama /memory/recompute=operations /memory/recompute_blocks=1",
            "/memory/recompute_blocks");
        row("torchtitan", "/model/kind=llama /model/layers=4 /memory/recompute=full /memory/recompute_blocks=3",
            "/memory/recompute_blocks");
        row("torchtitan", "/model/kind=llama /model/qk_norm=true", "/parallel/pipeline");
        const QString experts = "/model/kind=llama-moe /model/gate=softmax-top-k /model/capacity=0 /model/balance=0 ";
        for (const auto& [assignments, pointer] :
             {std::pair{"/model/balance=0.01", "/model/balance"},
              {"/model/capacity=1.25", "/model/capacity"},
              {"/model/gate=gshard", "/model/gate"},
              {"/model/expert_dropout=0.1", "/model/expert_dropout"},
              {"/model/dense_layers=1", "/model/dense_layers"},
              {"/model/experts_every=2 /model/expert_width=100", "/model/expert_width"},
              {"/parallel/pipeline=1 /model/qk_norm=true /model/experts_every=2", "/model/experts_every"},
              {"/parallel/pipeline=1 /model/qk_norm=true /model/gate=sigmoid-top-k /model/bias_rate=0.1",
               "/model/bias_rate"},
              {"/parallel/expert=2", "/parallel/zero"},
              {"/parallel/data=2 /parallel/zero=3 /parallel/tensor=4 /parallel/sequence=true /parallel/expert=2 "
               "/parallel/expert_tensor=2",
               "/parallel/expert_tensor"},
              {"/model/kv_rank=16 /model/rope_width=8 /model/rope_scaling=yarn", "/model/rope_scaling"},
              {"/model/sinks=true", "/model/biases"},
              {"/model/sinks=true /model/biases=all", "/model/activation"},
              {"/model/sinks=true /model/biases=all /model/activation=swiglu-clamped /model/shared_experts=1",
               "/model/shared_experts"},
              {"/model/sinks=true /model/biases=all /model/activation=swiglu-clamped", "/parallel/pipeline"},
              {"/model/sinks=true /model/biases=all /model/activation=swiglu-clamped", "/precision/compute"},
              {"/model/sinks=true /model/biases=all /model/activation=swiglu-clamped /model/window=8",
               "/model/full_every"}})
            row("torchtitan", qPrintable(experts + assignments), pointer);
        for (const char* target : {"megatron", "deepspeed"})
            row(target, "/precision/exchange=1-bit", "/precision/exchange");
        row("torchtitan", "/model/kind=llama /precision/exchange=8-bit", "/precision/exchange");
        for (const auto& [assignments, pointer] : {
                 std::pair{"/model/kv_rank=8 /model/predicted_tokens=1", "/model/predicted_tokens"},
                 {"/model/kv_rank=8 /model/rope_scaling=llama3", "/model/rope_scaling"},
                 {"/model/kind=llama-moe /model/gate=softmax-top-k /model/sinks=true /parallel/pipeline=1",
                  "/model/biases"},
                 {"/model/kind=llama-moe /model/gate=softmax-top-k /model/sinks=true /model/biases=all "
                  "/model/activation=swiglu-clamped /model/dense_layers=1",
                  "/model/dense_layers"},
                 {"/model/kind=llama-moe /model/gate=softmax-top-k", "/precision/compute"},
                 {"/parallel/tensor=2 /parallel/sequence=true /model/sequence=7", "/model/sequence"},
                 {"/parallel/context=2 /parallel/zero=2 /parallel/data=2 /model/sequence=6", "/model/sequence"},
                 {"/model/layers=4 /memory/recompute=full /memory/recompute_blocks=2", "/memory/recompute_blocks"},
                 {"/model/output=tied", "/parallel/pipeline"},
                 {"/precision/compute=bf16 /precision/weights=fp32", "/precision/weights"},
                 {"/precision/compute=bf16 /precision/gradients=fp32 /precision/products=fp8 "
                  "/cluster/pace={\"device\":\"h100-sxm\"}",
                  "/precision/products"},
             })
            row("torchtitan-0.3", qPrintable(QString("/model/kind=llama %1").arg(assignments)), pointer);
        row("torchtitan-0.3",
            "/model/kind=llama-moe /model/gate=softmax-top-k /precision/compute=bf16 /precision/gradients=fp32 "
            "/parallel/pipeline=1 /parallel/data=2 /parallel/zero=2 /parallel/tensor=2 /parallel/sequence=true "
            "/model/experts=4 /parallel/expert=2",
            "/parallel/expert_tensor");
        for (const auto& [assignments, pointer] : {std::pair{"/model/expert_width=7", "/model/expert_width"},
                                                   {"/model/heads=3 /model/hidden=18", "/model/experts"}})
            row("torchtitan-0.3",
                qPrintable(QString("/model/kind=llama-moe /model/gate=softmax-top-k /precision/compute=bf16 "
                                   "/precision/gradients=fp32 /parallel/pipeline=1 /parallel/data=4 /parallel/zero=2 "
                                   "/model/experts=2 %1")
                               .arg(assignments)),
                pointer);
        row("deepspeed", "/parallel/zero=3", "/parallel/zero");
        row("deepspeed", "/optimizer/warmup=1", "/optimizer/warmup");
        row("deepspeed", "/schedule/kind=gpipe", "/schedule/kind");
        for (const char* word : {"sqrt", "mlp", "pointwise", "operations"})
            row("deepspeed", qPrintable(QString("/memory/recompute=%1").arg(word)), "/memory/recompute");
        row("accelerate", "/run/steps=200", "/parallel/pipeline");
        for (const char* target :
             {"megatron", "megatron-bridge", "nemo", "torchtitan", "torchtitan-0.3", "deepspeed", "accelerate"}) {
            row(target, "/parallel/tensor=2 /model/feed_forward=[5]", "/parallel/tensor");
            row(target, "/parallel/tensor=3 /model/feed_forward=[12]", "/parallel/tensor");  // of four heads
            if (!findTrainerTarget(target)->sharesKeyHeads)
                row(target, "/model/kind=llama /model/kv_heads=2 /parallel/tensor=4", "/parallel/tensor");
        }
    }
    void refused() {
        QFETCH(QString, target);
        QFETCH(QString, assignments);
        QFETCH(QString, pointer);
        Layout layout;
        for (const QString& each : assignments.split(' ')) {
            const auto set = setField(layout, each.toStdString());
            QVERIFY2(set, qPrintable(each));
            layout = set->layout;
        }
        layout.cluster.hosts = evenHosts(1, rankCount(layout));
        const auto exported = exportLayout(layout, *findTrainerTarget(target.toStdString()));
        QVERIFY(!exported);
        const std::vector<Fault>& faults = exported.error();
        for (const Fault& each : faults)
            for (const std::string& value : each.values) {
                const std::string assignment = each.pointer + '=' + value;
                QVERIFY2(setField(layout, assignment), assignment.c_str());
            }
        const QStringList any = pointer.split(' ');
        const auto there = [&](const Fault& each) { return any.contains(QString::fromStdString(each.pointer)); };
        QVERIFY2(std::ranges::any_of(faults, there), qPrintable(QString::fromStdString(toText(faults))));
    }
};

QTEST_GUILESS_MAIN(TrainerRefusalTest)
#include "trainer_refusal_test.moc"
