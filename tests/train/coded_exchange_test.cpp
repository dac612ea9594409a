// SPDX-License-Identifier: Apache-2.0
// Gradients in 8 bits or less with error feedback: real ranks do what a serial re-enactment does, to the bit; nothing
// is lost but what residuals hold; memory and traffic are what was planned.
#include "engine/base/random.h"
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/checkpoint/state_source.h"
#include "engine/train/comm/gradient_codes.h"
#include "engine/train/optim/optimizer.h"
#include "engine/train/parallel/shards.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/train/outcomes.h"
#include "tests/train/serial_codes.h"
#include "tests/train/serial_model.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <cstring>

using namespace shardlab::test;

namespace {

bool equalBits(const Numbers& a, const Numbers& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

int bitsOf(const Layout& layout) { return codeBits(layout.precision.exchange); }

/// The training of one stage, and all that its exchanges kept.
struct Reenacted {
    Numbers weights;
    std::vector<double> losses;
    std::vector<FlatUnit> buckets;
    std::vector<SerialCodes> codes;               ///< by bucket
    std::vector<double> given, applied, touched;  ///< by element, in all steps: of all replicas; summed magnitudes
};

Reenacted reenact(const Layout& layout, bool feedback = true) {
    SerialModel model(layout);
    const int d = layout.parallel.data, each = microbatches(layout);
    const auto optimizer = makeOptimizer({layout.optimizer, layout.run.steps}, model.parameters(), model.arena());
    std::vector<Sampler> samplers;
    for (int replica = 0; replica < d; ++replica) samplers.emplace_back(model.corpus(), layout, replica, d);
    Reenacted made;
    const bool full = layout.precision.exchange == ExchangeFormat::Full;
    made.weights = model.weights();
    made.given = made.applied = made.touched = std::vector<double>(made.weights.size());
    made.buckets = reductionUnits(layout.parallel, unitsOf(layout.parallel, model.parameters()), 4);
    for (const FlatUnit& bucket : made.buckets)
        made.codes.emplace_back(bitsOf(layout), d, std::size_t(bucket.size), layout.parallel.zero == 0, feedback);
    for (int step = 0; step < layout.run.steps; ++step) {
        std::vector<Numbers> gradients;
        double loss = 0;
        for (Sampler& sampler : samplers) {
            const auto gradient = model.gradient(made.weights, sampler, step, each);
            loss += gradient.loss / d;
            gradients.push_back(gradient.values);
            for (float& g : gradients.back()) g /= float(d);  // a power of two: the bits are those of a loss ÷ d
        }
        made.losses.push_back(loss);
        Numbers mean(made.weights.size());
        for (std::size_t b = 0; b < made.buckets.size(); ++b) {
            const auto begin = std::size_t(made.buckets[b].begin), size = std::size_t(made.buckets[b].size);
            std::vector<Numbers> parts;
            for (const Numbers& gradient : gradients)
                parts.emplace_back(gradient.begin() + long(begin), gradient.begin() + long(begin + size));
            Numbers result(size);
            if (full)
                for (const Numbers& part : parts)
                    for (std::size_t i = 0; i < size; ++i) result[i] += part[i];
            else result = made.codes[b].exchange(parts);
            for (std::size_t i = 0; i < size; ++i) {
                const std::size_t at = begin + i;
                mean[at] = result[i];
                made.applied[at] += result[i];
                made.touched[at] += std::abs(result[i]) + std::abs(made.codes[b].ofSums[i]);
                for (int w = 0; w < d; ++w) {
                    made.given[at] += parts[std::size_t(w)][i];
                    made.touched[at] +=
                        std::abs(parts[std::size_t(w)][i]) + 2 * std::abs(made.codes[b].ofWorker[std::size_t(w)][i]);
                }
            }
        }
        model.load(made.weights);
        model.loadGradient(mean);
        optimizer->update(model.parameters(), step + 1, model.clipping(layout.optimizer.clip));
        made.weights = model.weights();
    }
    return made;
}

/// In the order of the block.
Numbers weightsOf(const RankOutcome& rank, const Layout& layout) {
    SerialModel model(layout);
    Numbers all;
    for (const Parameter& parameter : model.parameters()) {
        const auto& values = rank.parameters.at("0/" + parameter.name);
        all.insert(all.end(), values.begin(), values.end());
    }
    return all;
}

std::filesystem::path newest(const QTemporaryDir& folder) {
    const auto found = findCheckpoint(folder.path().toStdString());
    if (!found) throw std::runtime_error(found.error().text());
    return *found;
}

StateSource sourceOf(const std::filesystem::path& checkpoint) {
    DiskFileSystem files;
    const auto manifest = readManifest(checkpoint);
    if (!manifest) throw std::runtime_error(manifest.error().text());
    auto source = StateSource::ofCheckpoint(files, checkpoint, *manifest);
    if (!source) throw std::runtime_error(source.error().text());
    return std::move(*source);
}

/// All whole tensors, by "name kind".
std::map<std::string, Numbers> stateOf(const std::filesystem::path& checkpoint) {
    const StateSource source = sourceOf(checkpoint);
    std::map<std::string, Numbers> state;
    for (const StateSource::Whole& whole : source.wholes()) {
        const auto values = source.read(whole);
        if (!values) throw std::runtime_error(values.error().text());
        state[whole.name + " " + whole.kind] = *values;
    }
    return state;
}

RunOutcome train(const Layout& layout, const QTemporaryDir& folder, const std::filesystem::path& resume = {},
                 std::vector<std::string>* said = nullptr) {
    return runInProcess(planOf(layout), {}, [&](int rank, TrainerServices& services) {
        services.checkpoints = folder.path().toStdString();
        services.resume = resume;
        if (rank == 0 && said) services.inform = [said](const std::string& text) { said->push_back(text); };
    });
}

}  // namespace

class CodedExchangeTest : public QObject {
    Q_OBJECT

private:
    Layout layoutOf(const QString& model, const QString& format, int data, double bucket = 0.02) const {
        Layout layout;
        layout.model = {named(model), 3, 18, 3, 15, 256, 0.0};  // hardly anything is a whole number of blocks
        if (model.startsWith("llama")) layout.model.hidden = 24;
        layout.cluster.hosts = {{"localhost", data}};
        layout.parallel.data = data;
        layout.parallel.pipeline = 1;
        layout.parallel.bucket = bucket;
        layout.precision.exchange = named(format);
        layout.batch = {8, 1};
        layout.run = {6, seed_, 0, 1};
        return layout;
    }

    static void requireEqualReplicas(const RunOutcome& run) {
        QVERIFY2(run.error.empty(), run.error.c_str());
        try {
            QVERIFY(!wholeWeights(run).empty());
        } catch (const std::exception& error) {
            QFAIL(error.what());
        }
    }

    std::int64_t seed_ = 0;

private Q_SLOTS:
    void initTestCase() { seed_ = freshSeed(); }

    void codesAreWhatTheHeaderSays_data() {
        QTest::addColumn<QString>("format");
        for (const char* format : {"8-bit", "4-bit", "1-bit"}) QTest::newRow(format) << format;
    }
    void codesAreWhatTheHeaderSays() {
        QFETCH(QString, format);
        const ExchangeFormat kind = named(format);
        RandomStream random(seed_, "codes");
        for (int round = 0; round < 200; ++round) {
            const auto count = std::size_t(random.below(round % 2 == 0 ? 40 : 1500));
            const int sources = 1 + int(random.below(4));
            Numbers sum(count, 0.0f);
            std::vector<Numbers> made;
            for (int s = 0; s < sources; ++s) {
                Numbers gradient(count), residual(count);
                // From far below the smallest normal number to large, whole blocks of zeros, and halves of levels.
                const float size = std::ldexp(1.0f, int(random.below(280)) - 160);
                const bool coarse = random.below(3) == 0;
                for (std::size_t i = 0; i < count; ++i) {
                    gradient[i] = coarse ? size * float(int(random.below(15)) - 7) / 2 : size * random.normal();
                    residual[i] = random.below(2) == 0 ? 0 : size * random.normal() / 8;
                    if (i / 256 % 3 == 1) gradient[i] = residual[i] = 0;
                }
                Numbers a(count);
                for (std::size_t i = 0; i < count; ++i) a[i] = gradient[i] + residual[i];
                const Numbers wanted = afterCoding(codeBits(kind), a);
                Numbers codes(std::size_t(codeWords(kind, std::int64_t(count))));
                encode(kind, gradient, residual, codes);
                Numbers read(count);
                const std::span<const float> one = codes;
                decodeSum(kind, {&one, 1}, read);
                for (std::size_t i = 0; i < count; ++i) {
                    QCOMPARE(read[i], wanted[i]);
                    QCOMPARE(residual[i], a[i] - wanted[i]);
                    sum[i] += wanted[i];
                }
                made.push_back(std::move(codes));
            }
            const std::vector<std::span<const float>> all(made.begin(), made.end());
            Numbers read(count);
            decodeSum(kind, all, read);
            QVERIFY(read == sum);
        }
    }

    /// Numbers that are not finite reach everybody, and no residual.
    void nothingInfiniteIsKept() {
        RandomStream random(seed_, "infinite");
        for (const ExchangeFormat kind : {ExchangeFormat::Bits8, ExchangeFormat::Bits4, ExchangeFormat::Bits1}) {
            Numbers gradient(600), residual(600), codes(std::size_t(codeWords(kind, 600)));
            for (float& each : gradient) each = random.normal();
            for (float& each : residual) each = random.normal();
            const Numbers before = residual;
            gradient[10] = INFINITY;
            gradient[300] = NAN;
            gradient[301] = -INFINITY;
            encode(kind, gradient, residual, codes);
            Numbers read(600);
            const std::span<const float> one = codes;
            decodeSum(kind, {&one, 1}, read);
            for (std::size_t i = 0; i < 600; ++i) {
                QCOMPARE(std::isnan(read[i]), i < 512);
                if (i < 512) QCOMPARE(residual[i], before[i]);
                else QCOMPARE(residual[i], gradient[i] + before[i] - read[i]);
            }
            Numbers sums(600, 1.0f), again(std::size_t(codeWords(kind, 600)));
            encodeSum(kind, {&one, 1}, sums, again);
            for (std::size_t i = 0; i < 600; ++i) QVERIFY(std::isfinite(sums[i]) && (i >= 512 || sums[i] == 1));
        }
    }

    void ranksDoWhatOneProcessDoes_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("format");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("zero");
        QTest::addColumn<double>("bucket");
        QTest::addColumn<QString>("optimizer");
        const auto row = [](const char* model, const char* format, int d, int zero, double bucket,
                            const char* optimizer) {
            QTest::addRow("%s %s data %d zero %d bucket %g %s", model, format, d, zero, bucket, optimizer)
                << model << format << d << zero << bucket << optimizer;
        };
        for (const char* format : {"8-bit", "4-bit", "1-bit"})
            for (const int d : {2, 4})
                for (const int zero : {0, 1}) row("gpt", format, d, zero, 0.02, "adamw");
        row("llama", "8-bit", 2, 0, 25, "adamw");
        row("llama", "1-bit", 4, 0, 0.003, "sgd");
        row("mlp", "4-bit", 4, 1, 25, "sgd");
        row("mlp", "1-bit", 2, 0, 0.01, "adamw");
        row("cnn", "8-bit", 4, 0, 25, "sgd");
        row("cnn", "1-bit", 2, 1, 0.001, "adamw");
    }
    void ranksDoWhatOneProcessDoes() {
        QFETCH(QString, model);
        QFETCH(QString, format);
        QFETCH(int, data);
        QFETCH(int, zero);
        QFETCH(double, bucket);
        QFETCH(QString, optimizer);
        Layout layout = layoutOf(model, format, data, bucket);
        layout.parallel.zero = zero;
        layout.optimizer.kind = named(optimizer);
        if (optimizer == "sgd") layout.optimizer.learningRate = 0.02;
        if (zero == 1) layout.optimizer.clip = 0;  // the norm is summed in another order
        layout.checkpoint.every = layout.run.steps;
        layout.batch.micro = data == 2 ? 2 : 1;
        const QTemporaryDir folder;
        const RunOutcome run = train(layout, folder);
        requireEqualReplicas(run);
        const Reenacted wanted = reenact(layout);
        for (const RankOutcome& rank : run.ranks) QVERIFY(equalBits(weightsOf(rank, layout), wanted.weights));

        // What ranks kept, as a checkpoint has it.
        const StateSource source = sourceOf(newest(folder));
        SerialModel names(layout);
        for (int replica = 0; replica <= data; ++replica) {
            Numbers kept;
            const std::string kind = replica < data ? "residual " + std::to_string(replica) : "residual of sums";
            if (replica == data && zero == 1) {
                QVERIFY(!source.has(kind));
                continue;
            }
            for (const Parameter& parameter : names.parameters()) {
                Numbers values(parameter.value.size());
                const Status filled = source.fill(parameter.name, kind, parameter.slice, 0, values);
                QVERIFY2(filled, filled ? "" : filled.error().text().c_str());
                kept.insert(kept.end(), values.begin(), values.end());
            }
            Numbers residuals(kept.size());
            for (std::size_t b = 0; b < wanted.buckets.size(); ++b)
                std::ranges::copy(replica < data ? wanted.codes[b].ofWorker[std::size_t(replica)]
                                                 : wanted.codes[b].ofSums,
                                  residuals.begin() + wanted.buckets[b].begin);
            QVERIFY2(equalBits(kept, residuals), kind.c_str());
        }

        // Nothing else is lost. Each number that was added up is rounded a few times.
        for (std::size_t b = 0; b < wanted.buckets.size(); ++b)
            for (std::size_t i = 0; i < std::size_t(wanted.buckets[b].size); ++i) {
                const std::size_t at = std::size_t(wanted.buckets[b].begin) + i;
                double kept = wanted.codes[b].ofSums[i];
                for (const Numbers& residual : wanted.codes[b].ofWorker) kept += residual[i];
                const double off = std::abs(wanted.applied[at] + kept - wanted.given[at]);
                QVERIFY2(off <= 4 * data * 0x1p-24 * wanted.touched[at],
                         qPrintable(QString("element %1: %2 of %3").arg(at).arg(off).arg(wanted.touched[at])));
            }
    }

    /// Memory is the ledger's to the byte, and what is sent the simulator's.
    void memoryAndTrafficAreAsPlanned_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("format");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("expert");
        QTest::addColumn<int>("zero");
        QTest::addColumn<QString>("compute");
        const auto row = [](const char* model, const char* format, int d, int p, int e, int zero, const char* compute) {
            QTest::addRow("%s %s data %d pipeline %d expert %d zero %d %s", model, format, d, p, e, zero, compute)
                << model << format << d << p << e << zero << compute;
        };
        row("gpt", "8-bit", 3, 1, 1, 0, "fp32");
        row("gpt", "1-bit", 3, 2, 1, 0, "fp32");
        row("gpt", "4-bit", 2, 2, 1, 1, "bf16");
        row("gpt-moe", "8-bit", 4, 1, 2, 0, "fp32");
        row("gpt-moe", "1-bit", 4, 1, 2, 1, "fp16");
        row("gpt-moe", "4-bit", 2, 1, 2, 0, "fp32");
        row("mlp", "1-bit", 4, 1, 1, 0, "bf16");
    }
    void memoryAndTrafficAreAsPlanned() {
        QFETCH(QString, model);
        QFETCH(QString, format);
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, expert);
        QFETCH(int, zero);
        QFETCH(QString, compute);
        for (const int every : {0, 3}) {
            Layout layout = layoutOf(model, format, data);
            layout.model.layers = 4;
            layout.model.experts.count = 4;
            layout.cluster.hosts[0].devices = data * pipeline;
            layout.parallel.pipeline = pipeline;
            layout.parallel.expert = expert;
            layout.parallel.zero = zero;
            layout.precision.compute = named(compute);
            layout.batch = {12, 1};
            layout.run.steps = 3;
            layout.checkpoint.every = every;
            const Plan plan = planOf(layout);
            const QTemporaryDir folder;
            const RunOutcome run = train(layout, folder);
            requireEqualReplicas(run);
            const EventKind sends = zero == 0 ? EventKind::ReduceBuckets : EventKind::ScatterGradients;
            for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
                MemoryBytes peaks{};
                std::vector<std::int64_t> sent, planned;
                for (const Event& event : run.ranks[rank].events) {
                    if (const auto category = memoryCategory(event.kind, EventKind::CategoryPeak))
                        peaks[std::size_t(*category)] = std::max(peaks[std::size_t(*category)], event.bytes);
                    if (event.kind == sends && event.step == 1) sent.push_back(event.bytes);
                }
                for (const Event& event : plan.simulation.events)
                    if (event.kind == sends && event.rank == int(rank) && event.step == 0)
                        planned.push_back(event.bytes);
                QVERIFY(!sent.empty());
                QCOMPARE(sent, planned);
                for (const auto category : {MemoryCategory::Parameters, MemoryCategory::Gradients,
                                            MemoryCategory::Optimizer, MemoryCategory::Buffers}) {
                    if (category == MemoryCategory::Buffers && pipeline > 1) continue;  // messages may leave sooner
                    QCOMPARE(peaks[std::size_t(category)], plan.memory[rank].bytes[std::size_t(category)]);
                }
            }
        }
    }

    /// A run in two parts is the run in one, to the bit.
    void goesOnWhereItStood_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("format");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("expert");
        QTest::addColumn<int>("zero");
        QTest::addColumn<QString>("compute");
        QTest::newRow("8-bit") << "gpt"
                               << "8-bit" << 1 << 1 << 0 << "fp32";
        QTest::newRow("a tied embedding") << "gpt"
                                          << "1-bit" << 2 << 1 << 0 << "fp32";
        QTest::newRow("ZeRO 1") << "gpt"
                                << "4-bit" << 2 << 1 << 1 << "fp32";
        QTest::newRow("experts") << "gpt-moe"
                                 << "1-bit" << 1 << 2 << 0 << "fp32";
        QTest::newRow("experts, ZeRO 1, bf16") << "gpt-moe"
                                               << "1-bit" << 1 << 2 << 1 << "bf16";
        QTest::newRow("a loss scale") << "mlp"
                                      << "1-bit" << 1 << 1 << 0 << "fp16";
    }
    void goesOnWhereItStood() {
        QFETCH(QString, model);
        QFETCH(QString, format);
        QFETCH(int, pipeline);
        QFETCH(int, expert);
        QFETCH(int, zero);
        QFETCH(QString, compute);
        Layout layout = layoutOf(model, format, 4);
        layout.model.layers = 4;
        layout.model.experts.count = 4;
        layout.cluster.hosts[0].devices = 4 * pipeline;
        layout.parallel.pipeline = pipeline;
        layout.parallel.expert = expert;
        layout.parallel.zero = zero;
        layout.precision.compute = named(compute);
        if (compute == "fp16") {
            layout.precision.lossScale = LossScaling::Dynamic;
            layout.precision.scaleWindow = 2;
        }
        layout.checkpoint.every = 6;
        const QTemporaryDir whole, first, second;
        const RunOutcome once = train(layout, whole);
        requireEqualReplicas(once);
        layout.run.steps = 4;
        layout.checkpoint.every = 4;
        requireEqualReplicas(train(layout, first));
        layout.run.steps = 6;
        layout.checkpoint.every = 6;
        std::vector<std::string> said;
        const RunOutcome rest = train(layout, second, newest(first), &said);
        requireEqualReplicas(rest);
        QVERIFY(std::ranges::none_of(
            said, [](const std::string& text) { return text.find("begin at 0") != std::string::npos; }));
        const auto a = stateOf(newest(whole)), b = stateOf(newest(second));
        QCOMPARE(a.size(), b.size());
        for (const auto& [name, values] : a) QVERIFY2(equalBits(values, b.at(name)), name.c_str());
        QVERIFY(std::ranges::any_of(
            a, [](const auto& each) { return each.first.find("residual 3") != std::string::npos; }));
    }

    /// Other replicas begin anew, and people are told.
    void otherReplicasBeginAnew() {
        Layout layout = layoutOf("gpt", "1-bit", 4);
        layout.checkpoint.every = 3;
        layout.run.steps = 3;
        const QTemporaryDir first, second, third;
        requireEqualReplicas(train(layout, first));
        layout.cluster.hosts[0].devices = layout.parallel.data = 2;
        layout.run.steps = 6;
        std::vector<std::string> said;
        requireEqualReplicas(train(layout, second, newest(first), &said));
        QVERIFY(std::ranges::any_of(
            said, [](const std::string& text) { return text.find("begin at 0") != std::string::npos; }));
        layout.precision.exchange = ExchangeFormat::Full;
        layout.run.steps = 9;
        requireEqualReplicas(train(layout, third, newest(second), &said));
        for (const auto& [name, values] : stateOf(newest(third)))
            QVERIFY2(name.find("residual") == std::string::npos, name.c_str());
    }

    /// A skipped step leaves nothing behind that is not finite, and later steps update.
    void aSkippedStepLeavesResidualsFinite() {
        for (const char* format : {"8-bit", "1-bit"})
            for (const int zero : {0, 1}) {
                Layout layout = layoutOf("gpt", format, 2);
                layout.parallel.zero = zero;
                layout.precision.compute = NumberFormat::Fp16;
                layout.precision.lossScale = LossScaling::Dynamic;
                layout.precision.scale = 16777216;  // far too large at first
                layout.run.steps = 20;
                layout.checkpoint.every = 20;
                const QTemporaryDir folder;
                const RunOutcome run = train(layout, folder);
                requireEqualReplicas(run);
                const std::vector<double> scales = run.counter(EventKind::LossScale);
                QVERIFY(scales.back() < scales.front() / 2);
                QVERIFY(run.counter(EventKind::GradientNorm).size() > 5);
                QVERIFY(run.counter(EventKind::GradientNorm).size() < 20);
                for (const auto& [name, values] : stateOf(newest(folder)))
                    QVERIFY2(std::ranges::all_of(values, [](float each) { return std::isfinite(each); }), name.c_str());
            }
    }

    /// Residuals are in the units of the gradients, which the loss scale changes.
    void residualsFollowTheLossScale() {
        Layout layout = layoutOf("mlp", "1-bit", 2);
        layout.run.steps = 8;
        layout.checkpoint.every = 8;
        const QTemporaryDir plain, scaled;
        layout.precision.lossScale = LossScaling::Static;
        layout.precision.scale = 64;
        requireEqualReplicas(train(layout, plain));
        layout.precision.lossScale = LossScaling::Dynamic;  // doubles after each two steps
        layout.precision.scaleWindow = 2;
        const RunOutcome run = train(layout, scaled);
        requireEqualReplicas(run);
        QCOMPARE(run.counter(EventKind::LossScale).back(), 64.0 * 8);
        // Powers of two change no bit of fp32.
        const auto a = stateOf(newest(plain)), b = stateOf(newest(scaled));
        for (const auto& [name, values] : a) {
            const float factor = name.find("residual") == std::string::npos ? 1 : 16;
            Numbers wanted = values;
            for (float& each : wanted) each *= factor;
            QVERIFY2(equalBits(b.at(name), wanted), name.c_str());
        }
    }

    /// Signs alone lead astray, and what is kept of them leads back.
    void feedbackIsWhatLearns() {
        Layout layout = layoutOf("mlp", "1-bit", 2, 25);
        layout.optimizer.kind = OptimizerKind::Sgd;
        layout.optimizer.learningRate = 0.05;
        layout.optimizer.weightDecay = 0;
        layout.optimizer.warmup = 0;
        layout.run.steps = 60;
        const auto last = [](const std::vector<double>& losses) {
            double sum = 0;
            for (std::size_t i = losses.size() - 10; i < losses.size(); ++i) sum += losses[i] / 10;
            return sum;
        };
        const RunOutcome run = runInProcess(planOf(layout));
        QVERIFY2(run.error.empty(), run.error.c_str());
        const double with = last(run.counter(EventKind::Loss)), without = last(reenact(layout, false).losses);
        layout.precision.exchange = ExchangeFormat::Full;
        const double full = last(reenact(layout).losses), first = reenact(layout).losses.front();
        const QString all =
            QString("first %1, full %2, with %3, without %4").arg(first).arg(full).arg(with).arg(without);
        qInfo("%s", qPrintable(all));
        QVERIFY2(full < first - 1, qPrintable(all));
        QVERIFY2(with < full + 0.1 * (first - full), qPrintable(all));
        QVERIFY2(!(without < full + 0.5 * (first - full)), qPrintable(all));
    }
};

QTEST_GUILESS_MAIN(CodedExchangeTest)
#include "coded_exchange_test.moc"
