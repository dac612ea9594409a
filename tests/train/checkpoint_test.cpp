// SPDX-License-Identifier: Apache-2.0
// Checkpoints of real training: a run in two parts is the run in one, and any layout goes on from any other's.
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/checkpoint/state_source.h"
#include "engine/layout/data/text_generator.h"
#include "tests/support/faulty_files.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/train/checkpoint_shapes.h"
#include "tests/train/loss_curves.h"
#include "tests/train/run_in_process.h"
#include "tests/train/whole_state.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>
#include <array>
#include <cstring>
#include <fstream>

using namespace shardlab::test;

namespace {

bool equalBits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// Empty where all bits are equal.
QByteArray stateDifference(const State& a, const State& b) {
    if (a.size() != b.size()) return "there are not the same tensors";
    for (const auto& [name, values] : a)
        if (!b.contains(name) || !equalBits(values, b.at(name))) return QByteArray::fromStdString(name) + " differs";
    return {};
}

}  // namespace

class CheckpointTest : public QObject {
    Q_OBJECT

private:
    static std::string lastBatch(std::size_t turn) { return std::array{"carry", "pad", "drop"}[turn % 3]; }

    Layout layoutOf(const Shape& shape, int steps) const {
        Layout layout;
        layout.model.kind = ModelKind::Gpt;
        layout.model.layers = 4;
        layout.model.hidden = 16;
        layout.model.heads = 4;
        layout.model.sequence = 16;
        layout.data.kind = DataKind::Text;
        layout.data.path = texts_.filePath("text.txt").toStdString();
        layout.cluster.hosts = {{"localhost", shape.data * shape.pipeline}};
        layout.parallel.data = shape.data;
        layout.parallel.pipeline = shape.pipeline;
        layout.schedule.kind = shape.schedule;
        layout.schedule.chunks = shape.chunks;
        layout.schedule.stages = shape.stages;
        layout.data.lastBatch = named(lastBatch(static_cast<std::size_t>(seed_)));
        layout.batch = {12, 1};
        layout.run = {steps, seed_, 0, 1};
        if (shape.change) shape.change(layout);
        layout.cluster.hosts[0].devices *= layout.parallel.tensor;
        return layout;
    }

    /// Trains and keeps checkpoints in `folder`, going on from `resume` where that is given.
    static RunOutcome train(const Layout& layout, const std::filesystem::path& folder,
                            const std::filesystem::path& resume = {}, std::vector<Command> commands = {},
                            FileSystem* files = nullptr, std::vector<std::string>* warnings = nullptr) {
        return runInProcess(
            planOf(layout),
            [commands, at = std::size_t{0}]() mutable { return at < commands.size() ? commands[at++] : Command::None; },
            [&](int rank, TrainerServices& services) {
                services.checkpoints = folder;
                services.resume = resume;
                services.files = files;
                if (rank == 0 && warnings)
                    services.warn = [warnings](const std::string& text) { warnings->push_back(text); };
            });
    }

    static std::filesystem::path newest(const std::filesystem::path& folder) {
        const auto found = findCheckpoint(folder);
        if (!found) throw std::runtime_error(found.error().text());
        return *found;
    }

    static std::filesystem::path path(const QTemporaryDir& folder) { return folder.path().toStdString(); }

    QTemporaryDir texts_;
    std::int64_t seed_ = 0;

private Q_SLOTS:
    void initTestCase() {
        seed_ = freshSeed();
        std::ofstream(texts_.filePath("text.txt").toStdString()) << generateText(seed_, 3'000);  // an epoch ends within
    }

    void anyLayoutLoadsAnyOthers() {
        std::map<const Shape*, std::unique_ptr<QTemporaryDir>> trained;
        std::map<const Shape*, State> states;
        for (const Shape& shape : shapes()) {
            trained[&shape] = std::make_unique<QTemporaryDir>();
            Layout layout = layoutOf(shape, 3);
            layout.checkpoint.every = 3;
            const RunOutcome run = train(layout, path(*trained[&shape]));
            QVERIFY2(run.error.empty(), run.error.c_str());
            states[&shape] = gathered(newest(path(*trained[&shape])));
            QVERIFY2(states[&shape].size() > 3 * 40, shape.name);
        }
        int pairs = 0;
        for (const Shape& from : shapes())
            for (const Shape& to : shapes()) {
                if (&from == &to) continue;
                QTemporaryDir again;
                const RunOutcome run = train(layoutOf(to, 9), path(again), newest(path(*trained[&from])),
                                             {Command::Checkpoint, Command::Stop});
                QVERIFY2(run.error.empty(), run.error.c_str());
                QCOMPARE(readManifest(newest(path(again)))->step, std::int64_t{3});
                const QByteArray wrong = stateDifference(states[&from], gathered(newest(path(again))));
                QVERIFY2(wrong.isEmpty(),
                         qPrintable(QString("%1 from %2: %3").arg(to.name, from.name, QString(wrong))));
                ++pairs;
            }
        qInfo("%d ordered pairs of layouts", pairs);
        QVERIFY(pairs >= 20);
    }

    void tenAndTenStepsAreTwenty_data() {
        QTest::addColumn<int>("shape");
        for (std::size_t i = 0; i < shapes().size(); ++i) QTest::newRow(shapes()[i].name) << int(i);
    }
    void tenAndTenStepsAreTwenty() {
        QFETCH(int, shape);
        Layout layout = layoutOf(shapes()[static_cast<std::size_t>(shape)], 20);
        layout.data.lastBatch = named(lastBatch(static_cast<std::size_t>(seed_ + shape)));
        layout.optimizer.warmup = 15;  // the learning rate still rises after the break
        QTemporaryDir whole, parts;
        Layout once = layout;
        once.checkpoint.every = 20;
        const RunOutcome straight = train(once, path(whole));
        QVERIFY2(straight.error.empty(), straight.error.c_str());
        Layout half = layout;
        half.checkpoint.every = 10;
        std::vector<Command> stopAfterTen(10, Command::None);
        stopAfterTen.push_back(Command::Stop);
        const RunOutcome first = train(half, path(parts), {}, stopAfterTen);
        QCOMPARE(first.ranks[0].end, std::string("stopped"));
        const RunOutcome second = train(half, path(parts), newest(path(parts)));
        QVERIFY2(first.error.empty() && second.error.empty(), (first.error + second.error).c_str());
        for (const EventKind kind :
             {EventKind::Loss, EventKind::LearningRate, EventKind::GradientNorm, EventKind::LossScale}) {
            std::vector<double> joined = first.counter(kind);
            const std::vector<double> rest = second.counter(kind);
            joined.insert(joined.end(), rest.begin(), rest.end());
            if (kind == EventKind::Loss) QCOMPARE(joined.size(), std::size_t{20});
            QVERIFY(joined == straight.counter(kind));
        }
        const QByteArray wrong = stateDifference(gathered(newest(path(whole))), gathered(newest(path(parts))));
        QVERIFY2(wrong.isEmpty(), wrong.constData());
        const std::int64_t samples = readManifest(newest(path(parts)))->samples;
        QCOMPARE(samples, readManifest(newest(path(whole)))->samples);
        if (layout.data.lastBatch == LastBatch::Carry) QCOMPARE(samples, std::int64_t{20} * 12);
    }

    void anotherLayoutGoesOnWithTheSameLosses() {
        QTemporaryDir folder, rest;
        Layout layout = layoutOf(shapes()[0], 20);
        const RunOutcome straight = train(layout, {});
        layout.run.steps = 10;
        layout.checkpoint.every = 10;
        const RunOutcome first = train(layout, path(folder));
        QVERIFY2(straight.error.empty() && first.error.empty(), (straight.error + first.error).c_str());
        const std::vector<double> all = straight.counter(EventKind::Loss);
        for (const Shape& shape : shapes()) {
            const Layout other = layoutOf(shape, 20);
            const RunOutcome second = train(other, path(rest), newest(path(folder)));
            QVERIFY2(second.error.empty(), second.error.c_str());
            if (other.precision.compute != NumberFormat::Fp32) continue;  // goes on, with the losses of its own format
            const QString wrong = difference(second.counter(EventKind::Loss), {all.begin() + 10, all.end()}, 1e-5);
            QVERIFY2(wrong.isEmpty(), qPrintable(QString("%1: %2").arg(shape.name, wrong)));
        }
    }

    /// The sampler's position is counted in samples: another batch neither repeats nor skips any.
    void anotherBatchGoesOnWithTheNextSample() {
        QTemporaryDir folder, rest;
        Layout layout = layoutOf(shapes()[0], 5);
        layout.checkpoint.every = 5;
        QVERIFY(train(layout, path(folder)).error.empty());
        layout.run.steps = 6;
        layout.batch.global = 6;
        layout.checkpoint.every = 1;
        const RunOutcome second = train(layout, path(rest), newest(path(folder)));
        QVERIFY2(second.error.empty(), second.error.c_str());
        QCOMPARE(readManifest(newest(path(rest)))->samples, std::int64_t{5} * 12 + 6);
    }

    void theNewestStayAndAllIsOnTheTimeline() {
        QTemporaryDir folder;
        Layout layout = layoutOf(shapes()[3], 7);
        layout.checkpoint.every = 2;
        layout.checkpoint.keep = 2;
        const RunOutcome run = train(layout, path(folder));
        QVERIFY2(run.error.empty(), run.error.c_str());
        const auto places = listCheckpoints(path(folder));
        QCOMPARE(places.size(), std::size_t{2});
        QCOMPARE(places[0].step, std::int64_t{6});
        QCOMPARE(places[1].step, std::int64_t{7});  // the run's end
        QCOMPARE(run.count(EventKind::Snapshot), 4 * 4);
        std::int64_t copied = 0, written = 0;
        for (const RankOutcome& rank : run.ranks)
            for (const Event& event : rank.events) {
                if (event.kind == EventKind::Snapshot) copied += event.bytes;
                if (event.kind == EventKind::CheckpointWrite) written += event.bytes;
            }
        QCOMPARE(written, 4 * readManifest(places[1].path)->bytes());
        QVERIFY(copied > 0 && copied < written && written < copied + 4 * 40'000);  // the headers
    }

    void whatIsStagedStandsInTheLedger() {
        for (const Shape& shape : shapes()) {
            QTemporaryDir folder;
            Layout layout = layoutOf(shape, 3);
            layout.checkpoint.every = 1;
            const Plan with = planOf(layout);
            layout.checkpoint.every = 0;
            const Plan without = planOf(layout);
            const auto run = [&](const Plan& plan) {
                return runInProcess(plan, {},
                                    [&](int, TrainerServices& services) { services.checkpoints = path(folder); });
            };
            const RunOutcome taking = run(with), plain = run(without);
            QVERIFY2(taking.error.empty(), taking.error.c_str());
            QVERIFY2(plain.error.empty(), plain.error.c_str());
            for (std::size_t rank = 0; rank < taking.ranks.size(); ++rank) {
                // Before the first step nothing else lies in a buffer than what lies there without checkpoints.
                const auto before = [&](const RunOutcome& outcome) {
                    std::int64_t bytes = 0;
                    for (const Event& event : outcome.ranks[rank].events)
                        if (event.kind == memoryKind(MemoryCategory::Buffers) && event.step < 0) bytes = event.bytes;
                    return bytes;
                };
                const std::int64_t staged = before(taking) - before(plain);
                const auto buffers = static_cast<std::size_t>(MemoryCategory::Buffers);
                const std::int64_t predicted = with.memory[rank].bytes[buffers] - without.memory[rank].bytes[buffers];
                const bool writes =
                    layout.parallel.exchange != Exchange::Server || with.mesh.coordinate(int(rank), Axis::Data) == 0;
                QVERIFY2((staged > 0) == writes && staged == predicted,
                         qPrintable(QString("%1, rank %2: %3 used, %4 predicted")
                                        .arg(shape.name)
                                        .arg(rank)
                                        .arg(staged)
                                        .arg(predicted)));
            }
        }
    }

    void aPausedRunTakesOneToo() {
        QTemporaryDir folder;
        int asked = 0;
        bool taken = false;
        const RunOutcome run = runInProcess(
            planOf(layoutOf(shapes()[3], 50)),
            [&] {
                if (++asked == 1) return Command::Pause;
                if (asked == 3) return Command::Checkpoint;
                if (taken || listCheckpoints(path(folder)).empty()) return Command::None;
                taken = true;
                return Command::Stop;
            },
            [&](int, TrainerServices& services) { services.checkpoints = path(folder); });
        QVERIFY2(run.error.empty(), run.error.c_str());
        QCOMPARE(run.ranks[0].end, std::string("stopped"));
        QCOMPARE(listCheckpoints(path(folder)).size(), std::size_t{1});
    }

    /// What was asked for comes once the pipeline is empty. Its output projection is a weight of its own, which no
    /// checkpoint of another schedule has.
    void aScheduleWithoutAFlushTakesItsOwn() {
        QTemporaryDir folder, rest;
        Layout layout = layoutOf(shapes()[3], 2);
        layout.optimizer.clip = 0;
        layout.checkpoint.every = 2;
        QVERIFY(train(layout, path(folder)).error.empty());
        layout.schedule.kind = "pipedream";
        layout.checkpoint.every = 0;
        layout.run.steps = 5;
        std::vector<std::string> warnings;
        const RunOutcome run = train(layout, path(rest), {}, {Command::Checkpoint}, nullptr, &warnings);
        QVERIFY2(run.error.empty(), run.error.c_str());
        QCOMPARE(run.counter(EventKind::Loss).size(), std::size_t{5});
        QVERIFY2(warnings.empty(), warnings.empty() ? "" : warnings[0].c_str());
        QCOMPARE(listCheckpoints(path(rest)).size(), std::size_t{1});
        layout.run.steps = 7;
        const std::string resumed = train(layout, path(folder), newest(path(rest))).error;
        QVERIFY2(resumed.empty(), resumed.c_str());
        const std::string refused = train(layout, path(rest), newest(path(folder))).error;
        QVERIFY2(refused.find("of lm_head.weight") != std::string::npos, refused.c_str());
    }

    void aFullDiskIsToldOnceAndTrainingGoesOn_data() {
        QTest::addColumn<int>("call");
        QTest::addColumn<int>("at");
        for (const int at : {1, 2, 3, 5}) {
            QTest::addRow("write %d", at) << int(FileCall::Write) << at;
            QTest::addRow("sync %d", at) << int(FileCall::Sync) << at;
            QTest::addRow("open %d", at) << int(FileCall::Open) << at;
        }
        QTest::newRow("rename") << int(FileCall::Rename) << 1;
    }
    void aFullDiskIsToldOnceAndTrainingGoesOn() {
        QFETCH(int, call);
        QFETCH(int, at);
        QTemporaryDir folder;
        Layout layout = layoutOf(shapes()[3], 6);
        layout.checkpoint.every = 2;
        layout.checkpoint.keep = 9;
        FaultyFileSystem files({static_cast<FileCall>(call), at});
        std::vector<std::string> warnings;
        const RunOutcome run = train(layout, path(folder), {}, {}, &files, &warnings);
        QVERIFY2(run.error.empty(), run.error.c_str());
        QCOMPARE(files.struck(), 1);
        QCOMPARE(run.counter(EventKind::Loss).size(), std::size_t{6});
        QCOMPARE(warnings.size(), std::size_t{1});
        QVERIFY2(warnings[0].find("No space left") != std::string::npos, warnings[0].c_str());
        DiskFileSystem disk;
        const auto places = listCheckpoints(path(folder));
        QCOMPARE(places.size(), std::size_t{2});
        for (const CheckpointPlace& place : places) QVERIFY(verifyCheckpoint(disk, place.path));
        QCOMPARE(std::distance(std::filesystem::directory_iterator(path(folder)), {}), std::ptrdiff_t{2});
    }

    void whatDoesNotFitIsRefusedWithTheReason_data() {
        QTest::addColumn<QString>("assignment");
        QTest::addColumn<QString>("says");
        QTest::newRow("shape") << "hidden"
                               << "/model/hidden is 32 in the layout and 16 in the checkpoint";
        QTest::newRow("vocabulary") << "vocabulary"
                                    << "/model/vocabulary is 300 in the layout and 256";
        QTest::newRow("optimizer") << "sgd"
                                   << "/optimizer/kind";
        QTest::newRow("seed") << "seed"
                              << "/run/seed";
        QTest::newRow("steps") << "steps"
                               << "nothing left to train";
        QTest::newRow("missing shard") << "shard"
                                       << "the shard is missing";
        QTest::newRow("no checkpoint") << "folder"
                                       << "cannot read the checkpoint";
    }
    void whatDoesNotFitIsRefusedWithTheReason() {
        QFETCH(QString, assignment);
        QFETCH(QString, says);
        QTemporaryDir folder;
        Layout layout = layoutOf(shapes()[3], 1);
        layout.checkpoint.every = 1;
        QVERIFY(train(layout, path(folder)).error.empty());
        std::filesystem::path resume = newest(path(folder));
        layout.run.steps = 2;
        if (assignment == "hidden") layout.model.hidden = 32;
        if (assignment == "vocabulary") layout.model.vocabulary = 300;
        if (assignment == "sgd") layout.optimizer.kind = OptimizerKind::Sgd;
        if (assignment == "seed") ++layout.run.seed;
        if (assignment == "steps") layout.run.steps = 1;
        if (assignment == "shard") std::filesystem::remove(resume / "rank-00001.safetensors");
        if (assignment == "folder") resume /= "nothing";
        const RunOutcome run = train(layout, path(folder), resume);
        QVERIFY2(run.error.find(says.toStdString()) != std::string::npos, run.error.c_str());
    }
};

QTEST_GUILESS_MAIN(CheckpointTest)
#include "checkpoint_test.moc"
