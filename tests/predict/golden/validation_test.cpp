// SPDX-License-Identifier: Apache-2.0
// Predictions against the published runs that come with Shardlab.
#include "engine/base/resources.h"
#include "engine/predict/evidence/validation.h"
#include "tests/support/wings.h"

#include <QTest>

#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

using namespace shardlab::test;

namespace {

CsvTable shipped(const char* name = "measurements.csv") {
    auto table = CsvTable::read(resourcesFolder() / "published" / name);
    if (!table) qFatal("%s", table.error().text().c_str());
    return std::move(*table);
}

const std::vector<ValidatedRow>& rows() {
    static const std::vector<ValidatedRow> all = validate(shipped());
    return all;
}

}  // namespace

class ValidationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The errors are published with each release; a change of the cost model that makes them worse shows here.
    void stepsArePredicted() {
        const ValidationSummary summary = summarize(rows());
        qInfo("%d of %d runs, step: median %.1f %%, nine of ten %.1f %%, worst %.0f %%", summary.predicted,
              summary.rows, 100 * summary.time.median, 100 * summary.time.ninetieth, 100 * summary.time.worst);
        QVERIFY(summary.time.rows > 430);
        QVERIFY(summary.time.median <= 0.07);
        QVERIFY(summary.time.ninetieth <= 0.20);
        for (const auto& source : summary.sources)
            if (source.time.rows > 1)
                QVERIFY2(source.time.median <= 0.14,
                         qPrintable(QString("%1: %2").arg(source.source.c_str()).arg(source.time.median)));
    }

    void memoryIsPredicted() {
        const ErrorSummary memory = summarize(rows()).memory;
        qInfo("%d runs, memory: median %.1f %%, nine of ten %.1f %%", memory.rows, 100 * memory.median,
              100 * memory.ninetieth);
        QVERIFY(memory.rows > 160);
        QVERIFY(memory.median <= 0.03);
        QVERIFY(memory.ninetieth <= 0.12);
        for (const auto& source : summarize(rows()).sources)
            if (source.memory.rows > 1)
                QVERIFY2(source.memory.median <= 0.12,
                         qPrintable(QString("%1: %2").arg(source.source.c_str()).arg(source.memory.median)));
    }

    /// Most of what ran out of memory does not fit. One configuration of BLOOM's, and one of its 1.3 billion twin on
    /// V100, would have had room by every term of the model.
    void whatRanOutOfMemoryDoesNotFit() {
        int predicted = 0, fitting = 0;
        for (const ValidatedRow& row : validate(shipped("out_of_memory.csv")))
            if (row.counts() && row.run.refused.empty()) ++predicted, fitting += row.fits ? 1 : 0;
        QVERIFY2(predicted >= 9 && fitting <= 2, qPrintable(QString("%1 of %2 fit").arg(fitting).arg(predicted)));
    }

    /// Whatever ran fits, but for a few.
    void whatRanFits() {
        int predicted = 0, fitting = 0;
        for (const ValidatedRow& row : rows())
            if (row.counts() && row.run.refused.empty()) ++predicted, fitting += row.fits ? 1 : 0;
        QVERIFY2(fitting >= 0.97 * predicted, qPrintable(QString("%1 of %2").arg(fitting).arg(predicted)));
    }

    void everyRowIsPredictedOrRefusedWithAReason() {
        for (const ValidatedRow& row : rows()) {
            QVERIFY2(row.run.refused.empty() == row.seconds.has_value(), row.run.id.c_str());
            if (row.seconds) QVERIFY2(*row.seconds > 0 && std::isfinite(*row.seconds), row.run.id.c_str());
        }
    }

    /// Schedules of one model on the same devices come in the order in which they were measured.
    void schedulesOfZeroBubbleAreInOrder() {
        const auto of = [](const char* id) {
            const auto found = std::ranges::find(rows(), std::string(id), [](const auto& row) { return row.run.id; });
            return found == rows().end() ? nullptr : &*found;
        };
        // 1F1B, ZB-1p and ZB-2p with 24 microbatches of the 1.5 B model.
        const ValidatedRow *plain = of("zb-025"), *one = of("zb-013"), *two = of("zb-001");
        QVERIFY(plain && one && two && plain->seconds && one->seconds && two->seconds);
        QVERIFY(*two->run.seconds < *one->run.seconds && *one->run.seconds < *plain->run.seconds);
        QVERIFY(*two->seconds < *one->seconds && *one->seconds < *plain->seconds);
    }

    void quotesAndBreaksInCells() {
        const auto table = CsvTable::parse("id,notes\r\na,\"one, \"\"two\"\"\nthree\"\r\nb,\n", "t.csv");
        QVERIFY(table);
        QCOMPARE(table->rows(), std::size_t{2});
        QCOMPARE(std::string(table->cell(0, "notes")), std::string("one, \"two\"\nthree"));
        QCOMPARE(std::string(table->cell(1, "notes")), std::string());
        QCOMPARE(std::string(table->cell(1, "none")), std::string());
    }

    void tablesThatAreNone() {
        const auto told = [](const char* text) {
            const auto table = CsvTable::parse(text, "t.csv");
            return table ? std::string() : table.error().text();
        };
        QVERIFY(told("").find("no heading") != std::string::npos);
        QVERIFY(told("a,a\n").find("two columns") != std::string::npos);
        QVERIFY(told("a,b\n1\n").find("row 1 has 1 cells") != std::string::npos);
        QVERIFY(told("a,b\n\"1,2\n").find("quotes of row 1") != std::string::npos);
    }

    /// PyTorch's HYBRID_SHARD has a copy on each host.
    void hybridShardsWithinHosts() {
        const auto shardOf = [](const char* gpus, const char* tensor) {
            const std::string text = std::string("id,device,gpus,gpus_per_node,model_kind,layers,hidden,heads,sequence,"
                                                 "vocabulary,micro_batch,global_batch,precision,tp,zero,other_flags\n"
                                                 "x,a100-sxm-80,") +
                                     gpus + ",8,llama,8,1024,8,1024,32000,1,32,bf16," + tensor + ",hsdp,fsdp\n";
            const PublishedRun run = publishedRun(*CsvTable::parse(text, "t.csv"), 0);
            if (!run.refused.empty()) qFatal("%s", run.refused.c_str());
            return run.layout.parallel.zero == 3 ? run.layout.parallel.shard : -1;
        };
        QCOMPARE(shardOf("32", "1"), 8);
        QCOMPARE(shardOf("32", "2"), 4);
        QCOMPARE(shardOf("8", "1"), 8);  // one copy
    }

    /// A row may name the tensor degree of its experts, and spread them over the ranks of tensor groups.
    void expertsHaveTheirTensorDegree() {
        const auto parallelOf = [](const std::string& flags, const std::string& expert) {
            const std::string text =
                "id,device,gpus,model_kind,layers,hidden,heads,ffn,experts,top_k,sequence,vocabulary,micro_batch,"
                "global_batch,precision,tp,ep,date,other_flags\nx,h100-sxm,8,moe,4,1024,8,512,16,2,1024,32000,1,8,"
                "bf16,2," +
                expert + ",2025-06," + flags + "\n";
            const PublishedRun run = publishedRun(*CsvTable::parse(text, "t.csv"), 0);
            if (!run.refused.empty()) return run.refused;
            const ParallelSpec& parallel = run.layout.parallel;
            return std::to_string(parallel.expert) + " ranks, " + std::to_string(parallel.expertTensor);
        };
        QCOMPARE(parallelOf("NeMo;ETP 1", "8"), std::string("8 ranks, 1"));
        QCOMPARE(parallelOf("MCore w/ Folding;ETP=1", "4"), std::string("4 ranks, 1"));
        QCOMPARE(parallelOf("expert_tensor_parallel_size=1;cuda_graphs=0", "2"), std::string("2 ranks, 1"));
        for (const char* flags : {"ETP==TP", "ETP 2", "ETP not stated", ""})
            QCOMPARE(parallelOf(flags, "4"), std::string("4 ranks, 0"));
        QCOMPARE(parallelOf("", "8"), std::string("8 ranks, 1"));  // which whole experts alone make possible
        for (const char* flags : {"ETP 2", "ETP=2"})
            QVERIFY(parallelOf(flags, "8").find("/parallel/expert") != std::string::npos);
        QVERIFY(parallelOf("", "16").find("/parallel/expert") != std::string::npos);
    }

    /// A B200 of 1000 W says little of what superchips of 1200 W reach in 16 bits, and of the formats whose share is
    /// relative to that; a ring of a thousand replicas is no longer than its buckets are many.
    void superchipsAndLongRings() {
        std::map<std::string, double> errors;
        for (const ValidatedRow& row : rows())
            if (const auto error = row.error()) errors[row.run.id] = std::abs(*error);
        for (const char* id : {"dgxc-072", "dgxc-073", "dgxc-074", "bridge-237", "bridge-076"})
            QVERIFY2(errors.at(id) < 0.08, qPrintable(QString("%1: %2").arg(id).arg(errors.at(id))));
        for (const char* id : {"dgxc-042", "dgxc-050"})  // 2048 H100
            QVERIFY2(errors.at(id) < 0.08, qPrintable(QString("%1: %2").arg(id).arg(errors.at(id))));
    }

    /// What is called ZeRO 2 is FSDP where its row says so; Megatron's distributed optimizer scatters gradients once a
    /// step, in buckets that grow with the ranks.
    void zeroTwoByItsStack() {
        const auto layoutOf = [](const std::string& gpus, const std::string& zero, const std::string& flags) {
            const std::string text = "id,date,device,gpus,model_kind,layers,hidden,heads,sequence,vocabulary,"
                                     "micro_batch,global_batch,cp,precision,zero,other_flags\nx,2024-05,h100-sxm," +
                                     gpus + ",llama,8,1024,8,1024,32000,1,1024,2,bf16," + zero + "," + flags + "\n";
            const PublishedRun run = publishedRun(*CsvTable::parse(text, "t.csv"), 0);
            if (!run.refused.empty()) qFatal("%s", run.refused.c_str());
            return run.layout;
        };
        const Layout kept = layoutOf("8", "2", "FSDP SHARD_GRAD_OP"), summed = layoutOf("8", "2", "");
        QCOMPARE(kept.cluster.pace->stack, std::string("fsdp-eager"));
        QCOMPARE(kept.parallel.zero, 2);
        QCOMPARE(summed.cluster.pace->stack, std::string("megatron-core"));
        QCOMPARE(summed.parallel.zero, 1);
        QCOMPARE(summed.parallel.bucket, 160.0);  // megabytes of 40 million sums in fp32
        QCOMPARE(layoutOf("512", "1", "").parallel.bucket, 2048.0);
        QCOMPARE(layoutOf("512", "1", "NeMo").parallel.bucket, 1024.0);
        QVERIFY(summed.parallel.contextKind == ContextKind::Ring);
        QVERIFY(layoutOf("8", "1", "cp a2a").parallel.contextKind == ContextKind::Ulysses);
        QVERIFY(layoutOf("8", "2", "DeepSpeed;optimizer CPU offload").memory.offload == OffloadKind::Optimizer);
        QVERIFY(layoutOf("8", "3", "DeepSpeed;full CPU offload").memory.offload == OffloadKind::Parameters);
    }

    void tokensAheadAreSaidByFlags() {
        const auto aheadOf = [](const std::string& flags) {
            const std::string text =
                "id,device,gpus,model_kind,layers,hidden,heads,sequence,vocabulary,micro_batch,"
                "global_batch,precision,other_flags\nx,b200,8,llama,8,1024,8,1024,32000,1,8,bf16," +
                flags + "\n";
            const PublishedRun run = publishedRun(*CsvTable::parse(text, "t.csv"), 0);
            return run.refused.empty() ? run.layout.model.predictedTokens : -1;
        };
        QCOMPARE(aheadOf("NeMo;w/ MTP;dropless"), 1);
        QCOMPARE(aheadOf("mtp_num_layers=2"), 2);
        for (const char* flags : {"NeMo;w/o MTP", "mtp_num_layers=None", ""}) QCOMPARE(aheadOf(flags), 0);
    }

    /// FSDP shards over all ranks, those of a context group too, unless its row says otherwise.
    void fsdpSharesAllOut() {
        const auto zeroOf = [](const std::string& flags, const std::string& zero, const std::string& context) {
            const std::string text = "id,device,gpus,model_kind,layers,hidden,heads,sequence,vocabulary,micro_batch,"
                                     "global_batch,precision,cp,zero,other_flags\nx,a100-sxm-80,8,llama,8,1024,8,1024,"
                                     "32000,1,8,bf16," +
                                     context + "," + zero + "," + flags + "\n";
            const PublishedRun run = publishedRun(*CsvTable::parse(text, "t.csv"), 0);
            return run.refused.empty() ? run.layout.parallel.zero : -1;
        };
        QCOMPARE(zeroOf("FSDP2", "", "1"), 3);
        QCOMPARE(zeroOf("FSDP2", "", "8"), 3);
        QCOMPARE(zeroOf("fsdp=False", "1", "1"), 1);
        QCOMPARE(zeroOf("", "", "1"), 0);
    }

    /// DeepSpeed sums the gradients of bf16 in fp32, those of fp16 in fp16; InternEvo's last stages are the longest.
    void whatStacksDoWithoutBeingTold() {
        const auto layoutOf = [](const std::string& flags, const std::string& format, const std::string& stages) {
            const std::string text =
                "id,device,gpus,model_kind,layers,hidden,heads,sequence,vocabulary,micro_batch,"
                "global_batch,pp,zero,precision,other_flags\nx,a100-sxm-80,20,llama,32,1024,8,1024,"
                "32000,1,20," +
                stages + ",1," + format + "," + flags + "\n";
            const PublishedRun run = publishedRun(*CsvTable::parse(text, "t.csv"), 0);
            if (!run.refused.empty()) qFatal("%s", run.refused.c_str());
            return run.layout;
        };
        QVERIFY(layoutOf("Megatron-DeepSpeed", "bf16", "1").precision.gradients == GradientFormat::Fp32);
        QVERIFY(layoutOf("Megatron-DeepSpeed", "fp16", "1").precision.gradients == GradientFormat::Compute);
        const std::vector<int> longest{6, 6, 6, 7, 7};
        QVERIFY(layoutOf("InternEvo", "bf16", "5").schedule.stages == longest);
        QVERIFY(layoutOf("InternEvo", "bf16", "4").schedule.stages.empty());
        QVERIFY(layoutOf("Megatron-DeepSpeed", "bf16", "5").schedule.stages.empty());
    }

    /// The runs of BLOOM had launches that block, by the scripts that lie beside what was published of them.
    void launchesThatBlock() {
        const auto stackOf = [](const std::string& source, const std::string& flags) {
            const std::string text = "id,source_ref,device,zero,other_flags\nx," + source + ",a100-sxm-80,1," + flags;
            return stackOfRow(*CsvTable::parse(text + "\n", "t.csv"), 0);
        };
        QCOMPARE(stackOf("a:train/tr11-176B-ml/b.md", "Megatron-DeepSpeed"),
                 std::string("megatron-deepspeed-blocking"));
        QCOMPARE(stackOf("a:c.md", "Megatron-DeepSpeed"), std::string("megatron-deepspeed"));
        QCOMPARE(stackOf("a:c.md", "Megatron-DeepSpeed;CUDA_LAUNCH_BLOCKING=1"),
                 std::string("megatron-deepspeed-blocking"));
        // What a kernel costs the host then is hidden by none before it: small microbatches take longer for a sample.
        std::map<std::string, double> sample;
        for (const ValidatedRow& row : rows())
            if (row.seconds) sample[row.run.id] = *row.seconds / row.run.layout.batch.global;
        QVERIFY(sample.at("bloom-042") > 1.08 * sample.at("bloom-044"));  // 1 and 4 samples; published: 1.15
        QVERIFY(sample.at("bloom-038") > 1.04 * sample.at("bloom-040"));  // published: 1.16
    }

    /// A row names some parts of a model with experts. A shipped model that has them says the rest; another one has
    /// experts in every block, and a gate that may choose as many as the row says.
    void modelsWithOneExpertAToken() {
        const auto modelOf = [](const std::string& layers, const std::string& experts) {
            const std::string text =
                "id,date,device,gpus,model_kind,layers,hidden,heads,kv_heads,ffn,experts,top_k,sequence,"
                "vocabulary,micro_batch,global_batch,tp,ep,precision\n"
                "x,2025-10,h100-sxm,512,moe," +
                layers + ",5120,40,8,8192," + experts + ",1,8192,202048,1,1024,4,16,bf16\n";
            const PublishedRun run = publishedRun(*CsvTable::parse(text, "t.csv"), 0);
            if (!run.refused.empty()) qFatal("%s", run.refused.c_str());
            return run.layout.model;
        };
        const ModelSpec maverick = modelOf("48", "128");
        QVERIFY(std::abs(static_cast<double>(modelParameters(maverick)) / 400.7e9 - 1) < 0.01);
        QCOMPARE(maverick.experts.shared, 1);
        const ModelSpec scout = modelOf("48", "16");
        QVERIFY(std::abs(static_cast<double>(modelParameters(scout)) / 107.8e9 - 1) < 0.01);
        for (const ModelSpec& model : {maverick, scout, modelOf("40", "16")}) QCOMPARE(expertsPerToken(model), 1);
    }

    /// One row in other words, each with what it is read as; what is said twice or not at all is refused.
    void sourcesHaveWordsOfTheirOwn_data() {
        QTest::addColumn<QString>("column");
        QTest::addColumn<QString>("cell");
        QTest::addColumn<QString>("wanted");
        const auto row = [](const char* column, const char* cell, const char* wanted) {
            QTest::addRow("%s %s", column, cell) << QString(column) << QString(cell) << QString(wanted);
        };
        for (const char* cell : {"A100-80GB", "NVIDIA A100-SXM4-80GB", "a100 sxm 80g", "a100-sxm-80"})
            row("device", cell, "a100-sxm");
        row("device", "A100 40GB", "a100-sxm-40");
        row("device", "Tesla V100-SXM2-16GB", "v100-sxm-16");
        for (const char* cell : {"H100 SXM", "H100", "DGX H100", "H100 80GB HBM3", "H100-SXM5-80GB"})
            row("device", cell, "h100-sxm");
        row("device", "H100 96GB HBM2e", "h100-sxm-96-hbm2e");
        row("device", "GB200 NVL72", "gb200");
        for (const char* cell : {"A100", "V100", "H100 PCIe", "H100 NVL", "A100-64GB", "TPU v5", ""})
            row("device", cell, "refused");
        for (const char* cell : {"bf16", "BFloat16", "amp_bf16", "bf16-mixed", ""})
            row("precision", cell, "bf16 compute");
        for (const char* cell : {"fp16", "float16", "FP16 mixed precision"}) row("precision", cell, "fp16 compute");
        for (const char* cell : {"fp8", "bf16/fp8", "FP8 hybrid", "fp8 current scaling"})
            row("precision", cell, "bf16 fp8");
        row("precision", "float8 rowwise", "bf16 fp8-rows");
        for (const char* cell : {"mxfp8", "MX-FP8"}) row("precision", cell, "bf16 mxfp8");
        row("precision", "fp8 blockwise", "bf16 fp8-blocks");
        for (const char* cell : {"fp32", "fp16/bf16", "fp8/nvfp4", "int8", "mixed"}) row("precision", cell, "refused");
        for (const char* cell : {"1", "ZeRO-1", "zero1", "stage 1", "distributed optimizer"}) row("zero", cell, "1, 0");
        for (const char* cell : {"3", "FSDP", "FSDP2", "full_shard", "fsdp (ZeRO-3)"}) row("zero", cell, "3, 0");
        for (const char* cell : {"hsdp", "HYBRID_SHARD", "fsdp 8", "FSDP group size 8"}) row("zero", cell, "3, 8");
        for (const char* cell : {"0", "none", "DDP"}) row("zero", cell, "0, 0");
        for (const char* cell : {"4", "hsdp 4x8", "yes"}) row("zero", cell, "refused");
        for (const char* cell :
             {"llama", "Llama-3.1", "llama2 7b", "TinyLlama", "Qwen2.5 72B", "mistral", "InternLM 7b"})
            row("model_kind", cell, "llama");
        for (const char* cell : {"gpt", "GPT-3 175B", "mpt-7b", "Nemotron-4 340B"}) row("model_kind", cell, "gpt");
        for (const char* cell : {"mamba", "hybrid", "gpt-oss", "llama-4-scout", ""}) row("model_kind", cell, "refused");
        for (const char* cell : {"none", "no", ""}) row("recompute", cell, "none, 0");
        for (const char* cell : {"full", "Full"}) row("recompute", cell, "full, 0");
        row("recompute", "full, 4 of 16 layers", "full, 4");
        row("recompute", "selective (every 2nd layer)", "full, 8");
        row("recompute", "selective (every 4th layer)", "full, 4");
        for (const char* cell : {"selective", "selective modules core_attn", "selective (core_attn)"})
            row("recompute", cell, "selective, 0");
        for (const char* cell : {"selective (op)", "selective (llama3_8b.toml default)"})
            row("recompute", cell, "operations, 0");
        row("recompute", "selective modules mlp", "mlp, 0");
        for (const char* cell : {"selective modules moe_act/layernorm", "selective (layernorm, moe_act)"})
            row("recompute", cell, "pointwise, 0");
        row("recompute", "selective modules core_attn/layernorm", "parts, 0");
        for (const char* cell : {"selective (fraction not stated)", "selective modules mla_up_proj", "some",
                                 "selective (every 20th layer)"})
            row("recompute", cell, "refused");
        for (const char* cell : {"", "1F1B", "1F1B (DeepSpeed)"}) row("schedule", cell, "1f1b");
        row("schedule", "zero bubble ZB-1p", "zb-h1");
        row("schedule", "GPipe", "gpipe");
        for (const char* cell : {"interleaved 1F1B", "v-half", "DualPipe"}) row("schedule", cell, "refused");
        for (const char* cell : {"yes", "True"}) row("tied", cell, "tied");
        row("tied", "no", "separate");
        row("tied", "perhaps", "refused");
    }
    void sourcesHaveWordsOfTheirOwn() {
        QFETCH(QString, column);
        QFETCH(QString, cell);
        QFETCH(QString, wanted);
        std::map<QString, QString> cells{{"id", "x"},           {"device", "b200"},     {"gpus", "16"},
                                         {"model_kind", "gpt"}, {"layers", "16"},       {"hidden", "1024"},
                                         {"heads", "8"},        {"sequence", "1024"},   {"vocabulary", "32000"},
                                         {"micro_batch", "1"},  {"global_batch", "16"}, {"precision", "bf16"},
                                         {"tied", ""},          {"zero", ""},           {"recompute", ""},
                                         {"schedule", ""}};
        if (cell.contains(',')) cell = '"' + cell + '"';
        cells[column] = cell;
        QStringList names, values;
        for (const auto& [name, value] : cells) {
            names << name;
            values << value;
        }
        const std::string text = (names.join(',') + "\n" + values.join(',') + "\n").toStdString();
        const PublishedRun run = publishedRun(*CsvTable::parse(text, "t.csv"), 0);
        const Layout& l = run.layout;
        const auto said = [&]() -> std::string {
            const auto both = [](std::string_view word, auto more) { return fmt::format("{}, {}", word, more); };
            if (!run.refused.empty()) return "refused";
            if (column == "device") return l.cluster.pace->device;
            if (column == "precision")
                return fmt::format("{} {}", wordOf(l.precision.compute), wordOf(l.precision.products));
            if (column == "zero") return both(std::to_string(l.parallel.zero), l.parallel.shard);
            if (column == "model_kind") return std::string(wordOf(l.model.kind));
            if (column == "recompute") return both(wordOf(l.memory.recompute), l.memory.recomputeBlocks);
            if (column == "schedule") return l.schedule.kind;
            return std::string(wordOf(l.model.block.output));
        };
        QCOMPARE(QString::fromStdString(said()), wanted);
    }

    void rowsThatAreNoLayout() {
        const auto refusal = [](const std::string& kind, const std::string& device, const std::string& layers) {
            const std::string text = "id,device,gpus,model_kind,layers,hidden,heads,sequence,vocabulary,micro_batch,"
                                     "global_batch,precision\nx," +
                                     device + ",8," + kind + "," + layers + ",1024,8,1024,32000,1,8,bf16\n";
            return publishedRun(*CsvTable::parse(text, "t.csv"), 0).refused;
        };
        QCOMPARE(refusal("gpt", "a100-sxm-80", "8"), std::string());
        QVERIFY(refusal("mamba", "a100-sxm-80", "8").find("mamba") != std::string::npos);
        QVERIFY(refusal("gpt", "tpu-v5", "8").find("tpu-v5") != std::string::npos);
        QVERIFY(refusal("gpt", "a100-sxm-80", "").find("layers is not stated") != std::string::npos);
        QVERIFY(refusal("gpt", "a100-sxm-80", "-3").find("layers is no count") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(ValidationTest)
#include "validation_test.moc"
