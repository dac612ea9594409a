// SPDX-License-Identifier: Apache-2.0
// Writes what fuzzing starts from: for each target a few inputs that are right, made of what Shardlab itself writes.
// fuzz_seeds FOLDER: one folder a target in it.
#include "engine/base/scratch_folder.h"
#include "engine/trace/checkpoint/safetensors.h"
#include "engine/trace/checkpoint/shard_writer.h"
#include "engine/trace/event/event_codec.h"
#include "engine/trace/interchange/export.h"
#include "engine/layout/layout_file.h"
#include "engine/predict/plan/plan.h"
#include "engine/base/socket.h"
#include "engine/launch/serve/sender_frames.h"
#include "engine/launch/tls/tls_pass.h"
#include "engine/predict/plan/profile.h"
#include "engine/trace/record/wire.h"
#include "engine/trace/run_file/run_block.h"
#include "engine/trace/run_file/run_file.h"
#include "engine/trace/run_file/sqlite.h"
#include "engine/layout/schedule/passes.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/text.h"
#include "tests/fuzz/memory_files.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/socket.h>

using namespace shardlab;
using namespace shardlab::test;

namespace {

std::filesystem::path root;

void put(const std::string& target, const std::string& name, std::string_view content) {
    std::filesystem::create_directories(root / target);
    std::ofstream(root / target / name, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
}

std::string text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
T orEnd(Result<T> result) {
    if (result) return std::move(*result);
    std::fprintf(stderr, "fuzz_seeds: %s\n", result.error().text().c_str());
    std::exit(1);
}

/// An input as Input takes it apart.
class Written {
public:
    explicit Written(int first) { number(static_cast<std::uint8_t>(first)); }
    template <class T>
    Written& number(T value) {
        ByteWriter(bytes_).fixed(value);
        return *this;
    }
    Written& below(std::size_t value) { return number(static_cast<std::uint16_t>(value)); }
    Written& raw(std::string_view content) {
        ByteWriter(bytes_).bytes(std::as_bytes(std::span(content.data(), content.size())));
        return *this;
    }
    Written& word(std::string_view content) { return raw(content).number('\0'); }
    std::string take() const { return text(bytes_); }

private:
    Bytes bytes_;
};

/// Two ranks, two stages, a step as it is predicted.
Plan smallPlan() {
    Layout layout;
    layout.model.layers = 2;
    layout.parallel.data = 1;
    layout.cluster.hosts = {{"localhost", 2}};
    layout.batch.global = 4;
    auto plan = makePlan(layout);
    if (!plan) std::exit(1);
    return std::move(*plan);
}

void layouts() {
    for (const auto& file : std::filesystem::directory_iterator(SHARDLAB_SOURCE_DIR "/resources/presets"))
        put("layout", file.path().stem().stem(), orEnd(readFile(file.path())));
    put("layout", "all-fields", writeLayout(Layout{}));
    put("layout", "gates",
        R"({"model": {"kind": "gpt-moe", "layers": 4, "experts": 12, "gate": "hierarchical", "top_k": 2, "expert_groups": 4, "top_groups": 2,
 "token_experts": 3, "entropy": 0.5, "capacity": 0.75}})");
    put("layout", "experts",
        R"({"model": {"kind": "llama-moe", "layers": 4, "experts": 12, "gate": "sigmoid-in-groups", "top_k": 3, "expert_groups": 4,
 "top_groups": 2, "capacity": 0, "experts_every": 1, "dense_layers": 1, "expert_width": 96, "shared_experts": 1, "route_scale": 2.5},
 "parallel": {"data": 4, "pipeline": 1, "expert": 2, "zero": 3}})");
    put("layout", "images",
        R"({"model": {"kind": "cnn", "layers": 3, "hidden": 8, "image": 24, "channels": 3, "convolutions": 1, "classes": 7},
 "memory": {"activations": "lossy-10"}})");
    put("layout", "assignment", "/parallel/pipeline=4\n{\"model\": {\"layers\": 8}}");
    put("layout", "custom",
        R"({"model": {"layers": 2}, "parallel": {"data": 1}, "cluster": {"hosts": [{"name": "a", "devices": 2}]}, "batch": {"global": 4},
 "schedule": {"kind": "custom", "actions": ["0F0,0F1,0B0,0B1", "1F0,1B0,1F1,1B1"]}})");
}

void machines() {
    put("device", "device", "\1" + orEnd(readFile(SHARDLAB_SOURCE_DIR "/resources/devices/a100-sxm.json")));
    Profile profile;
    profile.machine = {"a processor", 4};
    profile.layout.model.layers = 2;
    profile.date = "2026-01-01T00:00:00Z";
    profile.blocks = {
        {2, {{.name = "attention", .forward = 0.5, .activationBytes = 7, .weightBytes = 9}, {.name = "feed-forward"}}}};
    profile.send = profile.allReduce = {1e-5, 1e9};
    profile.kernels = {{{"matmul", 12, 0.25, 1e9, 1e7}}, 0.5, 5e11, 7e10};
    put("device", "profile", text(std::as_bytes(std::span("\0", 1))) + writeProfile(profile));
}

void schedules() {
    for (const ScheduleMethod& method : generatedMethods()) {
        const ScheduleShape shape{.ranks = 2, .chunks = method.minChunks, .microbatches = 4};
        const Result<Schedule> compute = generateSchedule(method.name, shape);
        if (!compute) continue;
        put("schedule", std::string(method.name), toCsv(*compute));
        put("schedule", std::string(method.name) + "-lowered", toCsv(lower(*compute, {true, true, true})));
    }
    put("schedule", "torch", "0F0,(0F1;0B0)OVERLAP_F_B,0UNSHARD,,0WAIT_SEND_F1,0B1\n");
}

std::string packedFrames(const std::vector<Event>& events, bool spooled) {
    Bytes stream, block;
    encodeEvents(std::span(events).first(std::min<std::size_t>(events.size(), 20)), block);
    const auto add = [&](FrameType type, const Bytes& body) {
        Bytes content;
        if (spooled) ByteWriter(content).fixed(static_cast<std::uint64_t>(stream.size()));
        ByteWriter(content).bytes(body);
        appendFrame(stream, type, content);
    };
    Bytes end;
    ByteWriter(end).text("finished");
    if (!spooled) add(FrameType::Hello, encode(Hello{.rank = 1, .pid = 4711, .host = "node-1", .token = "token"}));
    add(FrameType::Events, block);
    add(FrameType::Log, encode(LogLine{.time = 5, .rank = 1, .level = LogLevel::Warning, .text = "a line"}));
    add(FrameType::Goodbye, end);
    return text(stream);
}

/// What a rank of another program sends, from its join to what it hangs in.
void sender() {
    Written stream(1);
    stream.number(std::int32_t{0});
    const auto add = [&](launch::SenderFrame type, const Bytes& body) {
        stream.below(static_cast<std::size_t>(type) - static_cast<std::size_t>(launch::SenderFrame::Join))
            .below(body.size())
            .raw(text(body));
    };
    add(launch::SenderFrame::Join, encode(launch::SenderJoin{1, 4, 4711, 5, 5, "boot", "node-1"}));
    add(launch::SenderFrame::Name, encode(launch::SenderName{1, "all_reduce (dp)"}));
    launch::SenderEvents sent;
    for (const EventKind kind : {EventKind::Forward, EventKind::SendForward, EventKind::Wait, EventKind::Collective,
                                 EventKind::GatherParameters, EventKind::LossScale, EventKind::Overflow}) {
        launch::SenderEvent event{10, 20, 4096, 1, 3, 0, 0, 2, kind, Lane::Compute};
        if (kind == EventKind::Collective) event.name = 1;
        if (kind == EventKind::Wait) event.action = ActionKind::RecvBackward;
        sent.events.push_back(event);
    }
    add(launch::SenderFrame::Events, encode(sent));
    add(launch::SenderFrame::Doing, encode(launch::SenderDoing{30, 3, true, "in 1RECV_F4"}));
    put("sender", "rank", stream.take());
}

void frames(const std::vector<Event>& events) {
    put("wire", "stream", Written(0).below(0).below(7).raw(packedFrames(events, false)).take());
    Bytes block;
    encodeEvents(std::span(events).first(12), block);
    const std::string hello = text(encode(Hello{.rank = 1, .pid = 4711, .host = "node-1", .token = "token"}));
    const std::string log = text(encode(LogLine{.time = 5, .rank = 1, .level = LogLevel::Error, .text = "a line"}));
    Written framed(1);
    const auto add = [&](FrameType type, const std::string& body) { framed.number(type).below(body.size()).raw(body); };
    add(FrameType::Hello, hello);
    add(FrameType::Events, text(block));
    add(FrameType::Log, log);
    put("wire", "framed", framed.take());

    put("spool", "file", Written(0).number(std::uint32_t{0}).raw(packedFrames(events, true)).take());
    put("spool", "frames", Written(1).number(std::uint8_t{3}).below(1).below(block.size()).raw(text(block)).take());
    Written used(2);
    used.below(500).below(300).below(90);
    for (int i = 0; i < 8; ++i) {
        used.below(0).number(std::uint8_t{4}).below(60).raw(std::string(60, 'x'));
        used.below(2).below(40).below(3).below(10).below(200);
    }
    put("spool", "used", used.take());

    Bytes end;
    ByteWriter(end).text("finished");
    const auto spooled = [&](Written written) {
        written.number(static_cast<std::uint8_t>(FrameType::Events)).below(block.size()).raw(text(block));
        written.number(static_cast<std::uint8_t>(FrameType::Goodbye)).below(end.size()).raw(text(end));
        return written.take();
    };
    const auto pass = orEnd(makePass(Protection::Tls));
    put("tls", "between", Written(1).below(999).below(2999).below(0).below(0).below(99).below(1).below(7).take());
    put("tls", "plain", Written(0).below(0).below(4).raw("token").below(20).raw("a greeting, and more").take());
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0) std::exit(1);
    const Descriptor own(ends[0]), other(ends[1]);
    Bytes clientHello(std::size_t{1} << 16);
    static_cast<void>(orEnd(readPass(pass.token)).security->transport()->receive(own, clientHello));
    clientHello.resize(receiveSome(other, clientHello).value_or(0));
    put("tls", "hello",
        Written(0)
            .below(0)
            .below(clientHello.size() - 1)
            .raw({reinterpret_cast<const char*>(clientHello.data()), clientHello.size()})
            .take());

    put("link", "collector",
        spooled(Written(0).below(0).number(std::int8_t{1}).number(std::uint8_t{0}).below(1).below(1)));
    put("link", "rank",
        Written(1)
            .below(1)
            .below(20)
            .raw(std::string(20, 'x'))
            .below(1)
            .below(1)
            .number(std::uint8_t{128 + 6})
            .below(8)
            .number(std::uint64_t{0})
            .number(std::uint8_t{128 + 7})
            .below(1)
            .number(std::uint8_t{4})
            .take());
}

void blocks(const std::vector<Event>& events) {
    Bytes columns;
    encodeEvents(events, columns);
    put("block", "packed", Written(0).raw(text(BlockPacker().pack(events))).take());
    put("block", "columns", Written(1).raw(text(columns)).take());
    put("block", "events", Written(2).raw(std::string(200, '\1')).take());
}

void shrink(const std::filesystem::path& file) {
    auto database = orEnd(Database::open(file, DatabaseMode::Write));
    if (!database.run("PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM")) std::exit(1);
}

void runs(const Plan& plan, const std::filesystem::path& scratch) {
    const std::filesystem::path file = scratch / "run.shardlab";
    {
        RunHeader header;
        header.layout = plan.layout;
        header.layoutJson = "{\"model\": {\"layers\": 2}, \"parallel\": {\"data\": 1}, \"cluster\": {\"hosts\": "
                            "[{\"devices\": 2}]}, \"batch\": {\"global\": 4}}";
        header.created = "2026-01-01T00:00:00Z";
        auto writer = orEnd(RunWriter::create(file, header));
        std::vector<Event> events = plan.simulation.events;
        static_cast<void>(writer->appendPredicted(events));
        for (Event& event : events) event.step = 0;
        static_cast<void>(writer->append(events));
        static_cast<void>(writer->append(LogLine{1, 0, LogLevel::Info, "a line"}));
        static_cast<void>(writer->setRank({0, "localhost", 1, "pp0", "finished"}));
        static_cast<void>(writer->finish({"finished", ""}));
    }
    const auto reader = orEnd(RunReader::open(file));
    fuzz::MemoryFiles disk;
    for (const ExportFormat& format : exportFormats()) {
        if (format.name != "chrome" || !exportRun(disk, *reader, format, "out")) continue;
        for (const auto& [name, content] : disk.contents)
            if (content) put("chrome", "exported", Written(1).raw(text(*content)).take());
    }
    shrink(file);
    put("run_file", "recorded", Written(0).raw(orEnd(readFile(file))).take());
    Written rows(1);
    rows.below(0)
        .below(1)
        .word(R"({"parallel": {"data": 1, "pipeline": 2}})")
        .below(0)
        .word(R"({"stretch": 2, "predicted_peak": [1, 2]})");
    rows.below(2)
        .word(R"({"outcome": "failed", "reason": "why"})")
        .below(4)
        .word(R"({"restarts": [{"time": 9, "step": 1, "number": 1}]})");
    rows.below(5).number(std::int32_t{0}).word("host").number(std::int32_t{7}).word("pp0").word("finished");
    rows.below(6).number(std::int64_t{4}).number(std::int32_t{0}).number(std::uint8_t{1}).word("a line");
    rows.below(7)
        .below(3)
        .number(std::int64_t{4})
        .number(std::int32_t{0})
        .word("a note")
        .word("today")
        .below(8)
        .below(1)
        .number(std::uint8_t{1})
        .word("matmul");
    for (int i = 0; i < 3; ++i)
        rows.below(9)
            .number(static_cast<std::uint8_t>(i % 2))
            .number(std::int16_t{0})
            .below(120)
            .raw(std::string(120, static_cast<char>(14 * i)))
            .below(1);
    put("run_file", "rows", rows.take());
}

void tensors() {
    SafetensorsHeader header;
    header.metadata["format"] = "pt";
    header.tensors = {{"wte.weight", TensorType::F32, {2, 3}, 0, 24}, {"h.0.ln_1.bias", TensorType::BF16, {4}, 24, 32}};
    const std::string front = writeHeader(header);
    put("safetensors", "header", Written(0).number(std::uint64_t{32}).raw(std::string_view(front).substr(8)).take());
    put("safetensors", "file", Written(1).raw(front + std::string(32, '\1')).take());
    put("safetensors", "sized", Written(2).below(front.size() - 8).raw(front.substr(8) + std::string(32, '\1')).take());

    const std::vector<float> values(12, 0.5F);
    const Slice half{{4, 6}, 1, 2, 0, 1}, rest{{4, 6}, 1, 2, 1, 1};
    const std::array pieces{StatePiece{"wte.weight", weightKind, half, 0, values},
                            StatePiece{"wte.weight", weightKind, rest, 0, values},
                            StatePiece{"ln_f.bias", weightKind, Slice{{12}}, 0, values}};
    fuzz::MemoryFiles disk;
    CheckpointManifest manifest;
    manifest.step = 3;
    manifest.numbers["loss scale"] = 1024;
    manifest.shards.push_back(orEnd(writeShard(disk, "0.safetensors", pieces)));
    put("checkpoint", "whole",
        Written(0).word(writeManifest(manifest)).raw(text(*disk.contents["0.safetensors"])).take());
}

void traces(const std::filesystem::path& scratch) {
    const std::filesystem::path kept = SHARDLAB_SOURCE_DIR "/tests/trace/traces";
    put("chrome", "list", Written(1).raw(orEnd(readFile(kept / "chrome-list.json"))).take());
    constexpr std::string_view steps =
        " [2025-08-01 07:19:37] iteration        1/    5000 | elapsed time per iteration (ms): 812.5 | learning rate: "
        "6.9E-08 | global batch size:   128 | lm loss: 1.0E+01 | number of skipped iterations:   1 |\n"
        "[Rank 1] (after 1 iterations) memory (MB) | allocated: 9334.5 | max allocated: 10606.25 | reserved: 3 |\n"
        "[rank0]:[titan] 2025-06-01 12:00:15,623 - INFO - \x1b[31mstep: 10  loss:  9.25  memory: 25.05GiB(26%)  tps: "
        "7,234\nx [10:48<00:00, reduced_train_loss=0.0172, global_step=99.00, train_step_timing in s=3.1]\r"
        "step    2/18865 | loss 10.95 (+nanz)| norm 15.3 (+nanz)| 80.3 ms | 171545 tok/s\n";
    for (const int what : {0, 2, 3}) put("log", "steps" + std::to_string(what), Written(what).raw(steps).take());
    constexpr std::string_view objects =
        "  0%|   | 0/30 [00:00<?, ?it/s]\r{'loss': 2.5, 'grad_norm': 1.5, 'learning_rate': 5e-05, 'epoch': 0.1}\n "
        "33%|# | "
        "10/30 [00:20<00:40, 2.0s/it]\r{\"step\": 20, \"loss\": NaN, \"step_time\": 0.5, \"deep\": {\"a\": [1, 2]}}\n"
        "    forward-backward ....: (812.50, 813.25)\n";
    for (const int what : {0, 2, 3}) put("log", "objects" + std::to_string(what), Written(what).raw(objects).take());
    put("log", "state",
        Written(2)
            .raw("{\"step\": 10, \"loss\": 2.5, \"epoch\": 0.5}, {\"eval_loss\": 2, \"step\": 10},\n{\"step\": 20, "
                 "\"train_loss\": 2, \"train_runtime\": 40.0}], \"max_steps\": 20}\n")
            .take());
    put("log", "arguments",
        Written(1)
            .raw("  hidden_size ........ 64\n  world_size ........ 8\n  bf16 ........ True\n  cp_comm_type .. ['p2p']\n"
                 "-- end of arguments --\n > padded vocab (size: 9) with 7 dummy tokens (new size: 16)\n")
            .take());
    for (const char* name : {"kineto-rank0.json", "kineto-rank1.json"})
        put("kineto", name, Written(1).raw(orEnd(readFile(kept / name))).take());

    const std::filesystem::path file = scratch / "report.sqlite";
    {
        auto database = orEnd(Database::open(file, DatabaseMode::Create));
        if (!database.run(
                "CREATE TABLE StringIds(id, value); INSERT INTO StringIds VALUES(1, 'gemm'), (2, 'ncclAllReduce');"
                "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, globalPid, demangledName, correlationId);"
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(20, 30, 16777216, 1, 5), (30, 40, 16777216, 2, 6);"
                "CREATE TABLE NVTX_EVENTS(start, end, globalTid, eventType, text, textId);"
                "INSERT INTO NVTX_EVENTS VALUES(10, 50, 16777217, 59, 'step 1', NULL)"))
            std::exit(1);
    }
    shrink(file);
    put("nsight", "report", Written(0).raw(orEnd(readFile(file))).take());
    Written rows(1);
    rows.number(std::uint16_t{0}).below(63);
    const auto row = [&](std::size_t table, std::size_t columns) {
        rows.below(table);
        for (std::size_t i = 0; i < columns; ++i)
            rows.number(std::uint8_t{7}).number(static_cast<std::uint16_t>(10 * i + table));
    };
    const std::array columns{2, 1, 2, 5, 6, 2, 5, 5, 6, 5};
    for (std::size_t table = 0; table < columns.size(); ++table) row(table, static_cast<std::size_t>(columns[table]));
    put("nsight", "rows", rows.take());
}

/// Options of Megatron-LM, a script with variables, a TOML of torchtitan, a JSON of DeepSpeed.
void trainers() {
    put("trainer", "megatron",
        Written(0)
            .raw("--num-attention-heads 4 --seq-length 64 --micro-batch-size 2 --global-batch-size 16 --vocab-size 300 "
                 "--nnodes 1 --nproc-per-node 4 --pipeline-model-parallel-size 2 --pipeline-model-parallel-layout "
                 "'Et*3|tL' --bf16")
            .take());
    put("trainer", "script",
        Written(3)
            .raw(
                "A=4\nARGS=(\n  --num-layers $((A * 2)) # eight\n  --hidden-size ${H:-64}\n  --num-attention-heads "
                "\"$A\"\n)\nsrun x \"${ARGS[@]}\" --num-experts 4 --moe-layer-freq '([0]+[1])*4' --moe-router-topk 1\n")
            .take());
    put("trainer", "torchtitan",
        Written(1)
            .raw("tensor_parallel_degree = 2\npipeline_parallel_degree = 2\nmodule_fqns_per_model_part = "
                 "[[\"tok_embeddings\", \"layers.0\"], [\"layers.1\", \"norm\"]]\n[model]\nname = \"llama3\"\nflavor = "
                 "\"debugmodel\"\n[training]\nsteps = 1000\n")
            .take());
    put("trainer", "torchtitan-experts",
        Written(1)
            .raw("tensor_parallel_degree = 2\nexpert_parallel_degree = 4\ndata_parallel_shard_degree = "
                 "4\n[model]\nname = "
                 "\"llama4\"\nflavor = \"17bx128e\"\n[training]\nseq_len = 64\n")
            .take());
    put("trainer", "flavor",
        Written(4)
            .raw("deepseekv3_args[\"a\"] = DeepSeekV3ModelArgs(\n    dim=64,\n    n_layers=4,\n    n_heads=4,\n    "
                 "kv_lora_rank=16,\n    n_dense_layers=1,\n    moe_args=MoEArgs(\n        num_experts=8,\n        "
                 "top_k=2,\n"
                 "        score_func=\"sigmoid\",\n        load_balance_coeff=None,\n    ),\n)\n")
            .take());
    put("trainer", "deepspeed",
        Written(2)
            .raw("\"gradient_accumulation_steps\": 2, \"train_micro_batch_size_per_gpu\": 2, \"zero_optimization\": "
                 "{\"stage\": 2}, \"fp16\": {\"enabled\": true, \"loss_scale\": 0}, \"scheduler\": {\"type\": "
                 "\"WarmupDecayLR\", \"params\": {\"total_num_steps\": 100}}}")
            .take());
}

void configs() {
    put("config", "gpt2", Written(0).raw(", \"n_layer\": 2, \"n_inner\": null, \"n_head\": 3").take());
    put("config", "llama",
        Written(1)
            .raw(", \"num_hidden_layers\": 2, \"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 8.0, "
                 "\"low_freq_factor\": 1.0, \"high_freq_factor\": 4.0, \"original_max_position_embeddings\": 8192}, "
                 "\"hidden_act\": \"silu\", \"layer_types\": [\"full_attention\"]")
            .take());
    put("config", "qwen3", Written(4).raw(", \"head_dim\": 64, \"tie_word_embeddings\": true, \"unknown\": {}").take());
    put("config", "any", Written(5).raw("{\"model_type\": \"mamba\"}").take());
}

void tokens() {
    put("tokenizer", "words",
        Written(2)
            .word(", \"ab\": 257, \"abc\": 258, \"\u0120t\": 259")
            .word("#version: 0.2\na b\nab c\n\u0120 t\n")
            .raw("abc tab  it's\n<|endoftext|> 12\u00e9")
            .take());
    put("tokenizer", "tokens", Written(0).below(300).raw(std::string("\1\0\2\0", 4)).take());
    std::string front(1024, '\0');
    const std::array<std::int32_t, 3> header{20240520, 1, 2};
    std::memcpy(front.data(), header.data(), sizeof header);
    std::string index("MMIDIDX\0\0\1\0\0\0\0\0\0\0\x08\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0", 34);
    const std::array<std::int32_t, 2> lengths{1, 2};
    const std::array<std::int64_t, 5> places{0, 2, 0, 1, 2};
    index.append(reinterpret_cast<const char*>(lengths.data()), sizeof lengths);
    index.append(reinterpret_cast<const char*>(places.data()), sizeof places);
    put("tokenizer", "tokens-megatron",
        Written(3).below(300).below(index.size()).raw(index).raw(std::string("\1\0\2\0\3\0", 6)).take());
    put("tokenizer", "tokenizer-json",
        Written(4)
            .below(1)
            .below(1)
            .below(1)
            .word(", \"ab\": 257, \"abc\": 258")
            .word("[\"a\", \"b\"], \"ab c\"")
            .word("{\"id\": 300, \"content\": \"<|end_of_text|>\", \"normalized\": false}")
            .raw("abc tab<|end_of_text|>  it's 1234\ne\u0301")
            .take());
    put("tokenizer", "json-lines",
        Written(5).word("text").raw("{\"text\": \"one\"}\n\n{\"text\": \"two\", \"n\": 2}").take());
    put("tokenizer", "tokens-llm-c", Written(0).below(300).raw(front + std::string("\1\0\2\0", 4)).take());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "Usage: fuzz_seeds FOLDER\n");
        return 2;
    }
    root = argv[1];
    const auto scratch = orEnd(ScratchFolder::make("seeds"));
    const Plan plan = smallPlan();
    layouts();
    machines();
    schedules();
    frames(plan.simulation.events);
    sender();
    blocks(plan.simulation.events);
    runs(plan, scratch.path());
    tensors();
    traces(scratch.path());
    configs();
    trainers();
    tokens();
    return 0;
}
