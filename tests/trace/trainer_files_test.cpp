// SPDX-License-Identifier: Apache-2.0
// Configurations as people have them: scripts of Megatron-LM with variables, branches and Slurm's header, TOMLs of
// older versions of torchtitan, JSONs of DeepSpeed with "auto".
#include "engine/trace/trainers/trainer_target.h"

#include "engine/trace/trainers/launched_ranks.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <tuple>

using namespace shardlab;
using namespace shardlab::test;

class TrainerFilesTest : public QObject {
    Q_OBJECT
private:
    Result<ConfigLayout> read(const std::string& name, std::string_view text) const {
        const std::filesystem::path file = folder_.filePath(QString::fromStdString(name)).toStdString();
        std::ofstream(file) << text;
        return layoutFromFile(file);
    }
    static bool tells(const ConfigLayout& made, const char* what) {
        return std::ranges::any_of(
            made.leftOut, [&](const Sentence& line) { return line.english().find(what) != std::string::npos; });
    }

    QTemporaryDir folder_;

private Q_SLOTS:
    /// As Megatron-LM's example of a Mixtral: defaults in quotes, a branch that the environment decides.
    void aMixtralOfTheExamples() {
        const auto made = read("mixtral.sh", R"(#!/bin/bash
export CUDA_DEVICE_MAX_CONNECTIONS=1
GPUS_PER_NODE=8
MASTER_ADDR=${MASTER_ADDR:-"localhost"}
NNODES=${SLURM_NNODES:-"4"}
WORLD_SIZE=$(($GPUS_PER_NODE*$NNODES))
CHECKPOINT_PATH=$1
TOKENIZER_MODEL=$2
DATA_PATH=$3
DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes $NNODES
    --master_addr $MASTER_ADDR
)
MODEL_ARGS=(
    --disable-bias-linear --seq-length 4096 --max-position-embeddings 32768
    --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32
    --attention-dropout 0.0 --hidden-dropout 0.0 --normalization RMSNorm --position-embedding-type rope --swiglu
    --untie-embeddings-and-output-weights --group-query-attention --num-query-groups 8 --rotary-base 1000000
)
MOE_ARGS=(--num-experts 8 --moe-router-topk 2 --moe-router-load-balancing-type aux_loss --moe-aux-loss-coeff 1e-2)
DATA_ARGS=(--tokenizer-type Llama2Tokenizer --tokenizer-model ${TOKENIZER_MODEL} --data-path $DATA_PATH)
TRAINING_ARGS=(--micro-batch-size 1 --global-batch-size 256 --lr 1e-4 --train-iters 500000 --bf16)
MODEL_PARALLEL_ARGS=(
    --pipeline-model-parallel-size 4
    --num-layers-per-virtual-pipeline-stage 8
    --expert-model-parallel-size 8
    --use-distributed-optimizer
)
LOGGING_ARGS=(--save $CHECKPOINT_PATH --save-interval 10000)
if [ -n "${WANDB_API_KEY}" ]; then
    LOGGING_ARGS+=(--wandb-exp-name ${WANDB_NAME:-"Mixtral_8x7B"})
fi
torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py \
    ${MODEL_ARGS[@]} ${MOE_ARGS[@]} ${DATA_ARGS[@]} ${TRAINING_ARGS[@]} ${MODEL_PARALLEL_ARGS[@]} ${LOGGING_ARGS[@]}
)");
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        const Layout& l = made->layout;
        QCOMPARE(l.name, std::string("Mixtral_8x7B"));
        QCOMPARE(l.cluster.hosts.size(), std::size_t{4});
        QCOMPARE(l.parallel.data, 8);
        QCOMPARE(l.parallel.expert, 8);
        QCOMPARE(l.parallel.zero, 1);
        QCOMPARE(l.model.vocabulary, 32000);
        QCOMPARE(l.data.kind, DataKind::Generator);
        QVERIFY(l.checkpoint.path.empty() && l.checkpoint.every == 10000);
        QVERIFY(tells(*made, "--data-path $3: the script settles it") && tells(*made, "--save $1: the script"));
    }

    /// Nodes and GPUs stand in Slurm's header alone, and the program is started in a text for a shell.
    void aBatchScriptOfSlurm() {
        const auto made = read("llama.sbatch", R"(#!/bin/bash
#SBATCH -N 16 --ntasks-per-node=1   # a launcher each
#SBATCH --gres=gpu:h100:8
export TP=8
PP=4
VPP=5
ARGS="
  --tensor-model-parallel-size ${TP} --pipeline-model-parallel-size ${PP}
  --num-layers-per-virtual-pipeline-stage $((80 / (PP * VPP)))
  --sequence-parallel --use-distributed-optimizer
  --num-layers 80 --hidden-size 8192 --ffn-hidden-size 28672 --num-attention-heads 64
  --group-query-attention --num-query-groups 8 --seq-length 4096 --max-position-embeddings 4096
  --normalization RMSNorm --swiglu --disable-bias-linear --position-embedding-type rope
  --untie-embeddings-and-output-weights --attention-dropout 0 --hidden-dropout 0
  --bf16 --micro-batch-size 1 --global-batch-size $((SLURM_NNODES * 64)) --train-iters 1000
"
srun bash -c "
torchrun --nnodes \$SLURM_NNODES --nproc_per_node 8 --rdzv_id $RANDOM pretrain_gpt.py $ARGS
"
)");
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        const Layout& l = made->layout;
        QCOMPARE(l.cluster.hosts.size(), std::size_t{16});
        QCOMPARE(l.cluster.hosts.front().devices, 8);
        QCOMPARE(l.parallel.data, 4);
        QCOMPARE(l.parallel.zero, 1);
        QCOMPARE(l.schedule.chunks, 5);
        QCOMPARE(l.batch.global, 1024);
        QCOMPARE(l.model.vocabulary, 50257);  // what pretrain_gpt.py takes where nothing names a tokenizer
        QVERIFY(!tells(*made, "how many devices"));
    }

    /// One of several sizes is chosen by a variable, and 8-bit options are words of an array.
    void aScriptThatChooses() {
        const auto made = read("choose.sh", R"(MODEL=${1:-"7B"}
DTYPE="fp8"
if [[ $MODEL == 7B ]]; then
  LAYERS=32; HIDDEN=4096; HEADS=32
elif [[ $MODEL == 13B ]]; then
  LAYERS=40; HIDDEN=5120; HEADS=40
else
  LAYERS=80; HIDDEN=8192; HEADS=64
fi
DTYPE_ARGS=()
if [[ "$DTYPE" == "fp8" ]]; then
  DTYPE_ARGS+=("--fp8-format hybrid" "--fp8-recipe tensorwise")
fi
if [ "$DTYPE" = "fp16" ]; then
  DTYPE_ARGS+=(--fp16)
else
  DTYPE_ARGS+=(--bf16)
fi
deepspeed --num_nodes 2 --num_gpus 4 pretrain_gpt.py --num-layers $LAYERS --hidden-size $HIDDEN \
  --num-attention-heads $HEADS --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 1 \
  --global-batch-size 8 --train-samples $(( 300 * 1000 * 1000 * 1000 / 2048 )) --vocab-size 32000 ${DTYPE_ARGS[@]}
)");
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        const Layout& l = made->layout;
        QCOMPARE(l.model.layers, 32);
        QCOMPARE(l.model.hidden, 4096);
        QCOMPARE(l.cluster.hosts.size(), std::size_t{2});
        QCOMPARE(l.parallel.data, 8);
        QCOMPARE(l.precision.compute, NumberFormat::Bf16);
        QCOMPARE(l.precision.products, ProductFormat::Fp8);
        QCOMPARE(l.run.steps, 18310546);
    }

    void ranksOfSlurmsHeader_data() {
        QTest::addColumn<QByteArray>("header");
        QTest::addColumn<int>("nodes");
        QTest::addColumn<int>("ofNode");
        const auto row = [](const char* header, int nodes, int ofNode) {
            QTest::newRow(header) << QByteArray(header) << nodes << ofNode;
        };
        row("--nodes=4 --gpus-per-node=8", 4, 8);
        row("-N4 --gpus-per-node h100:2", 4, 2);
        row("-N 2-4 --ntasks-per-node 6", 2, 6);
        row("--nodes 2 -n 16", 2, 8);
        row("--nodes 2 --gpus=a100:16", 2, 8);
        row("--nodes 2 --gres=gpu", 2, 1);
        row("--nodes 2 --gres=nvme:1,gpu:a100:4(S:0)", 2, 4);
        row("--nodes 2 --ntasks-per-node=4 --gpus-per-task=2", 2, 8);
        row("--nodes=0 --gres=nvme:1", 0, 0);
        row("--time=1:00", 0, 0);
    }
    void ranksOfSlurmsHeader() {
        QFETCH(const QByteArray, header);
        QFETCH(const int, nodes);
        QFETCH(const int, ofNode);
        const std::string script = "#!/bin/bash\n#SBATCH " + header.toStdString() + "\n# SBATCH --nodes=99\n";
        const LaunchedRanks ranks = ranksOfSlurm(script);
        QCOMPARE(ranks.nodes.value_or(0), nodes);
        QCOMPARE(ranks.ofNode.value_or(0), ofNode);
    }

    /// Torchtitan 0.1 has other names for the batch, checkpoints and products in 8 bits.
    void aTomlOfTorchtitan01() {
        const auto made = read("llama3_70b.toml", R"(
[job]
description = "Llama 3 70B training"
[model]
name = "llama3"
flavor = "70B"
converters = "float8"
[lr_scheduler]
warmup_steps = 300
lr_min = 0.1
[training]
batch_size = 8
seq_len = 8192
steps = 1000
[parallelism]
data_parallel_shard_degree = 8
tensor_parallel_degree = 8
pipeline_parallel_degree = 2
pipeline_parallel_schedule = "Interleaved1F1B"
pipeline_parallel_split_points = ["layers.20", "layers.40", "layers.60"]
pipeline_parallel_microbatch_size = 2
[checkpoint]
enable_checkpoint = true
interval = 400
folder = "kept"
[activation_checkpoint]
mode = 'full'
[float8]
recipe_name = "rowwise"
)");
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        const Layout& l = made->layout;
        QCOMPARE(l.parallel.tensor, 8);
        QCOMPARE(l.batch.micro, 2);
        QCOMPARE(l.batch.global, 64);
        QCOMPARE(l.optimizer.warmup, 300);
        QVERIFY(std::abs(l.optimizer.minimum / l.optimizer.learningRate - 0.1) < 1e-9);
        QCOMPARE(l.schedule.chunks, 2);
        QVERIFY(l.schedule.stages.empty());  // 20 layers each
        QCOMPARE(l.checkpoint.every, 400);
        QCOMPARE(l.checkpoint.path, std::string("kept"));
        QCOMPARE(l.precision.products, ProductFormat::Fp8Rows);
        QVERIFY2(std::ranges::all_of(
                     made->leftOut,
                     [](const Sentence& line) { return line.english().find("is left out") == std::string::npos; }),
                 made->leftOut.empty() ? "" : made->leftOut.front().english().c_str());
    }

    /// In 2024 degrees stood among the training's settings of torchtitan, and a pipeline was an experiment.
    void aTomlOf2024() {
        const std::string before = R"([model]
name = "llama3"
flavor = "8B"
[training]
batch_size = 16
seq_len = 4096
warmup_steps = 600
steps = 3000
data_parallel_degree = 4
tensor_parallel_degree = 2
enable_fp8_linear = true
[experimental]
pipeline_parallel_degree = 2
pipeline_parallel_schedule = "interleaved_1f1b"
pipeline_parallel_split_points = ["layers.6", "layers.16", "layers.26"]
)";
        const auto made = read("405b.toml", before);
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        const Layout& l = made->layout;
        QCOMPARE(l.parallel.data, 4);
        QCOMPARE(l.parallel.zero, 2);  // a pipeline keeps the weights
        QCOMPARE(l.parallel.tensor, 2);
        QCOMPARE(l.parallel.pipeline, 2);
        QCOMPARE(l.schedule.kind, std::string("interleaved-1f1b"));
        QCOMPARE(l.schedule.stages, (std::vector<int>{6, 10, 10, 6}));
        QCOMPARE(l.batch.micro, 4);  // as many microbatches as stages
        QCOMPARE(l.optimizer.warmup, 600);
        QCOMPARE(l.precision.products, ProductFormat::Fp8);
        const auto other = read("405b.toml", before + "pipeline_parallel_microbatches = 8\n");
        QVERIFY(other);
        QCOMPARE(other->layout.batch.micro, 2);
    }

    /// Each dot of a key is a table in a table: 300000 of them took the stack. Names in quotes hide none of them.
    void aTomlOfTablesInTablesIsRefused() {
        const auto key = [](std::string_view name) {
            std::string deep = "a";
            for (int i = 0; i < 300'000; ++i) deep.append(".").append(name);
            return deep;
        };
        const std::string deep = key("a");
        for (const std::string& text :
             {"[" + deep + "]\nx = 1\n", "[[" + deep + "]]\nx = 1\n", deep + " = 1\n[parallelism]\n",
              "[parallelism]\nx = {" + deep + " = 1}\n", "[parallelism]\n[\"a\" . 'a' . " + deep + "]\n",
              key("\",\"") + " = 1\n[parallelism]\n", key("'='") + " = 1\n[parallelism]\n",
              "[parallelism]\nx = {y = \"\"\"\n'\"\"\"\", " + deep + " = 1}\n",
              "[parallelism]\nx = {y = \"\", z = '\"', " + deep + " = 1}\n"})
            QVERIFY(!read("deep.toml", text));
    }

    void dotsOfCommentsAndTextsAreNoTables() {
        const std::string dots(60, '.');
        for (const std::string& line :
             {"# " + dots, "x = \"" + dots + "\"", "x = '" + dots + "'", "x = \"\"\"\n" + dots + "\n\"\"\"",
              "x = \"\\\"" + dots + "\"", "x = \"\" # a.b.c." + dots})
            QVERIFY2(read("dots.toml", "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\n" + line + "\n"),
                     line.c_str());
    }

    /// torchtitan's own files leave the number of shards open: it is all devices that there are.
    void shardsThatAreLeftOpenAreShards() {
        const std::string model =
            "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[parallelism]\ndata_parallel_shard_degree = -1\n";
        const auto one = read("fsdp.toml", model + "tensor_parallel_degree = 2\n");
        QVERIFY(one);
        QCOMPARE(one->layout.parallel.data, 4);
        QCOMPARE(one->layout.parallel.zero, 3);
        QCOMPARE(one->layout.batch.global, 32);
        const auto few = read("fsdp.toml", model + "[training]\nlocal_batch_size = 4\nglobal_batch_size = 24\n");
        QVERIFY(few);
        QCOMPARE(few->layout.parallel.data, 2);  // of eight as many as divide six local batches
        const auto wide = read("fsdp.toml", model + "tensor_parallel_degree = 8\ndata_parallel_replicate_degree = 2\n");
        QVERIFY(wide);
        QCOMPARE(wide->layout.parallel.data, 4);
        QCOMPARE(wide->layout.parallel.shard, 2);
        const auto zero = read("zero.json", R"({"zero_optimization": {"stage": 2}, "train_batch_size": "auto",
 "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 3, "bf16": {"enabled": true}})");
        QVERIFY(zero);
        QCOMPARE(zero->layout.parallel.data, 8);
        QCOMPARE(zero->layout.parallel.zero, 2);
        QCOMPARE(zero->layout.batch.global, 48);
    }

    /// A file of a trainer is predicted with that trainer's software stack, not with Megatron-Core's.
    void aFilesProgramIsItsStack() {
        const auto stackOf = [&](const char* name, const std::string& text) {
            const auto made = read(name, text);
            return made && made->layout.cluster.pace
                       ? made->layout.cluster.pace->stack + " " + made->layout.cluster.pace->device
                       : std::string("none");
        };
        const std::string titan = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[parallelism]\n";
        QCOMPARE(stackOf("a.toml", titan), std::string("torchtitan h100-sxm"));
        QCOMPARE(stackOf("b.toml", titan + "[compile]\nenable = true\n"),
                 std::string("torchtitan-compile-loss h100-sxm"));
        QCOMPARE(stackOf("c.toml", titan + "[compile]\nenable = true\ncomponents = [\"model\"]\n"),
                 std::string("torchtitan-compile h100-sxm"));
        QCOMPARE(stackOf("d.toml", titan + "[training]\ncompile = true\n"), std::string("torchtitan-compile h100-sxm"));
        const std::string megatron = "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 4 --hidden-size 256 "
                                     "--num-attention-heads 4 --seq-length 64 --max-position-embeddings 64 --bf16 ";
        QCOMPARE(stackOf("a.sh", megatron), std::string("megatron-core h100-sxm"));
        QCOMPARE(stackOf("b.sh", megatron + "--fp8-format e4m3 --fp8-recipe mxfp8"), std::string("megatron-core b200"));
        QCOMPARE(stackOf("d.sh", megatron + "--cuda-graph-impl local --cuda-graph-scope full_iteration"),
                 std::string("megatron-core-graphs h100-sxm"));
        QCOMPARE(stackOf("e.sh", megatron + "--overlap-moe-expert-parallel-comm"),
                 std::string("megatron-core-overlap h100-sxm"));
        QCOMPARE(stackOf("c.sh", megatron + "--deepspeed --zero-stage 1"), std::string("megatron-deepspeed h100-sxm"));
    }

    /// As Hugging Face's Trainer wants it: what it settles is told in one sentence.
    void aJsonOfDeepSpeedWithAuto() {
        const auto made = read("zero3.json", R"({
  "bf16": {"enabled": "auto"},
  "optimizer": {"type": "AdamW", "params": {"lr": "auto", "betas": [0.9, 0.95]}},
  "zero_optimization": {"stage": 3,
    "offload_optimizer": {"device": "nvme", "nvme_path": "/local", "pin_memory": true},
    "offload_param": {"device": "cpu"}, "overlap_comm": true},
  "gradient_accumulation_steps": "auto", "train_batch_size": 16, "train_micro_batch_size_per_gpu": 2})");
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        QCOMPARE(made->layout.optimizer.adamw.betas[1], 0.95);
        QCOMPARE(made->layout.memory.offload, OffloadKind::Parameters);
        QVERIFY(tells(*made, "offload_optimizer.device is nvme: the layout keeps it in the host's memory"));
        QVERIFY(tells(*made, "default: bf16.enabled, gradient_accumulation_steps, optimizer.params.lr"));
        QVERIFY(!tells(*made, "lr is left out") && tells(*made, "nvme_path is left out"));
        const auto older = read("zero2.json", R"({"train_batch_size": 8, "gradient_accumulation_steps": 1,
  "train_micro_batch_size_per_gpu": 1, "bfloat16": {"enabled": true},
  "zero_optimization": {"stage": 2, "cpu_offload": true}})");
        QVERIFY(older);
        QCOMPARE(older->layout.parallel.data, 8);
        QCOMPARE(older->layout.memory.offload, OffloadKind::Optimizer);
        QCOMPARE(older->layout.precision.compute, NumberFormat::Bf16);
    }

    /// The file says nothing of the model: the layout's has layers and heads that its degrees divide.
    void aJsonOfDeepSpeedWithDegrees() {
        for (const auto& [degrees, layers, heads] : {std::tuple{R"("pipeline": {"stages": 8})", 8, 4},
                                                     {R"("pipeline": {"stages": 3})", 6, 4},
                                                     {R"("tensor_parallel": {"autotp_size": 8})", 4, 8},
                                                     {R"("sequence_parallel_size": 8)", 4, 8}}) {
            const auto made = read("degrees.json", std::string(R"({"train_batch_size": 16, )") + degrees +
                                                       R"(, "train_micro_batch_size_per_gpu": 1})");
            QVERIFY2(made, made ? "" : made.error().text().c_str());
            QCOMPARE(made->layout.model.layers, layers);
            QCOMPARE(made->layout.model.heads, heads);
            QCOMPARE(made->layout.model.hidden, 32 * heads);
            QVERIFY(tells(*made, "which the file's degrees divide"));
        }
    }

    /// Kimi K2's class is DeepSeek-V3's, under a name of its own.
    void aKimiK2() {
        const auto made = read("config.json", R"({"model_type": "kimi_k2", "architectures": ["DeepseekV3ForCausalLM"],
  "auto_map": {"AutoConfig": "configuration_deepseek.DeepseekV3Config"}, "first_k_dense_replace": 1,
  "hidden_act": "silu",
  "hidden_size": 7168, "intermediate_size": 18432, "kv_lora_rank": 512, "moe_intermediate_size": 2048, "n_group": 1,
  "n_routed_experts": 384, "n_shared_experts": 1, "num_attention_heads": 64, "num_experts_per_tok": 8,
  "num_hidden_layers": 61, "num_key_value_heads": 64, "num_nextn_predict_layers": 0, "q_lora_rank": 1536,
  "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "rms_norm_eps": 1e-6, "rope_theta": 50000.0,
  "routed_scaling_factor": 2.827, "scoring_func": "sigmoid", "topk_group": 1, "topk_method": "noaux_tc",
  "v_head_dim": 128, "vocab_size": 163840, "rope_scaling": {"beta_fast": 1.0, "beta_slow": 1.0, "factor": 32.0,
  "mscale": 1.0, "mscale_all_dim": 1.0, "original_max_position_embeddings": 4096, "type": "yarn"}})");
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        QCOMPARE(made->layout.model.experts.count, 384);
        QCOMPARE(made->layout.model.experts.gate, GateMethod::SigmoidTopK);
        QCOMPARE(made->layout.model.block.kvRank, 512);
        QCOMPARE(made->layout.model.block.rotary.factor, 32.0);
        // The turns between which pairs are slowed down in part are one number there.
        QCOMPARE(made->leftOut.size(), std::size_t{1});
        QVERIFY2(tells(*made, "rope_scaling.beta_fast is 1"), made->leftOut.front().english().c_str());
    }
};

QTEST_GUILESS_MAIN(TrainerFilesTest)
#include "trainer_files_test.moc"
