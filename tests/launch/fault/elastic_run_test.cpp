// SPDX-License-Identifier: Apache-2.0
// Elastic runs: 8 → 6 → 8 ranks, asked for or because ranks die, in one run file, with the losses of one rank to which
// nothing happened; what was done with fewer ranks stands in the lanes of those that did it. Real ranks.
#include "engine/trace/analysis/run_comparison.h"
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/trace/run_file/run_file.h"
#include "tests/support/command.h"
#include "tests/support/patience.h"
#include "tests/support/places.h"
#include "tests/support/processes.h"
#include "tests/support/watched_job.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <csignal>
#include <set>
#include <tuple>

using namespace shardlab;
using namespace shardlab::test;

namespace {

constexpr int steps = 12, batch = 24;

/// `parallel` with 8 ranks; of a batch of 24, 8, 6, 4, 3, 2 and 1 replicas are admissible.
Layout layoutOf(const QByteArray& parallel, int minData, int maxRestarts = 0, int devices = 8) {
    const QByteArray text =
        R"({"name": "elastic", "model": {"kind": "gpt", "layers": 2, "hidden": 16, "heads": 2, "sequence": 8, "dropout": 0.1},
 "cluster": {"hosts": [{"name": "localhost", "devices": )" +
        QByteArray::number(devices) + R"(}]},
 "parallel": )" +
        parallel + R"(, "batch": {"global": 24, "micro": 1}, "checkpoint": {"every": 2},
 "optimizer": {"learning_rate": 0.003, "warmup": 0},
 "run": {"steps": 12, "seed": 5, "validate_every": 4, "min_data": )" +
        QByteArray::number(minData) + R"(, "max_restarts": )" + QByteArray::number(maxRestarts) + "}}";
    const auto parsed = parseLayout(text.toStdString());
    if (!parsed || !parsed->faults.empty())
        qFatal("%s", parsed ? toText(parsed->faults).c_str() : parsed.error().text().c_str());
    return parsed->layout;
}

/// A job whose steps the test counts: it is paused from its start.
struct Elastic {
    Witness witness;
    JobOptions options;
    std::unique_ptr<Job> job;
    int asked = 0;  ///< steps

    Elastic(const Layout& layout, const std::filesystem::path& file) {
        options.layout = layout;
        options.runFile = file;
        options.rankProgram = SHARDLAB_BIN_DIR "/shardlab-rank";
        auto started = Job::start(options, witness);
        if (!started) qFatal("%s", started.error().text().c_str());
        job = std::move(*started);
        job->send(Command::Pause);
    }
    static bool patient(const auto& seen) { return QTest::qWaitFor(seen); }
    int restarts() const {
        const auto events = witness.events();
        return static_cast<int>(std::ranges::count(events, EventKind::Restart, &Event::kind));
    }
    bool paused() const {
        return patient([&] { return job->state() == RunState::Paused || job->state() == RunState::Ended; }) &&
               job->state() == RunState::Paused;
    }
    /// So many steps more, and it pauses again.
    bool step(int count) {
        if (!paused()) return false;
        const int from = stepsEnded();
        for (int i = 0; i < count; ++i) job->send(Command::StepOnce);
        return patient([&] { return stepsEnded() == from + count; }) &&
               patient([&] { return job->state() == RunState::Paused; });
    }
    /// Losses told since the last restart, which come once a step.
    int stepsEnded() const {
        int told = 0;
        for (const Event& event : witness.events()) {
            if (event.kind == EventKind::Restart) told = 0;
            if (event.kind == EventKind::Loss) ++told;
        }
        return told;
    }
    bool resized(int data, int number) {
        job->resize(data);
        return patient([&] { return restarts() == number; }) && paused();
    }
    /// Once the checkpoint of a step is whole; the run stands still meanwhile.
    bool killed(int rank, int number, int checkpoint) {
        return struck(witness.ranks().at(rank).pid, SIGKILL, number, checkpoint);
    }
    bool struck(int process, int signal, int number, int checkpoint) {
        if (!taken(checkpoint)) return false;
        ::kill(process, signal);
        return patient([&] { return restarts() == number; }) && paused();
    }
    /// The checkpoint of that step is whole, and the newest.
    bool taken(int checkpoint) const {
        return patient([&] {
            const auto places =
                listCheckpoints(std::filesystem::path(options.runFile).replace_extension(".checkpoints"));
            return !places.empty() && places.back().step == checkpoint;
        });
    }
    std::string finish() {
        job->send(Command::Resume);
        job->wait();
        return witness.ends().front().outcome + " " + witness.ends().front().reason;
    }
    bool told(LogLevel level, const std::string& part) const {
        const auto log = witness.log();
        return std::ranges::any_of(
            log, [&](const LogLine& line) { return line.level == level && line.text.find(part) != std::string::npos; });
    }
};

}  // namespace

class ElasticRunTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir folder_;

    std::filesystem::path path(const char* name) const { return folder_.filePath(name).toStdString(); }
    QString text(const char* name) const { return folder_.filePath(name); }
    QJsonObject figures(const char* name) { return test::run({"info", "--json", text(name)}).json(); }

    /// One rank to which nothing happens.
    const QJsonObject& alone() {
        static QJsonObject known;
        if (known.isEmpty()) {
            Elastic run(layoutOf(R"({"data": 1, "pipeline": 1})", 0, 0, 1), path("alone.shardlab"));
            if (run.finish() != "finished ") qFatal("the reference did not finish");
            known = figures("alone.shardlab");
        }
        return known;
    }
    void requireAlike(const QJsonArray& ours, const QJsonArray& theirs) {
        QCOMPARE(ours.size(), theirs.size());
        for (qsizetype i = 0; i < ours.size(); ++i) {
            const double a = ours[i].toDouble(), b = theirs[i].toDouble();
            QVERIFY2(std::abs(a - b) <= 1e-4 * std::abs(b),
                     qPrintable(QString("%1: %2 and %3").arg(i).arg(a, 0, 'g', 9).arg(b, 0, 'g', 9)));
        }
    }
    /// Every step is there once and complete, with the losses of one rank; `ranks` of each start after the first.
    void requireWhole(const char* name, const std::vector<int>& ranks) {
        const QJsonObject run = figures(name);
        QCOMPARE(run["outcome"].toString(), QString("finished"));
        QCOMPARE(run["steps"].toInt(), steps);
        requireAlike(run["losses"].toArray(), alone()["losses"].toArray());
        requireAlike(run["validation_losses"].toArray(), alone()["validation_losses"].toArray());
        QCOMPARE(run["validation_steps"], alone()["validation_steps"]);
        std::vector<int> sizes;
        for (const QJsonValue& restart : run["restarts"].toArray())
            sizes.push_back(restart.toObject()["ranks"].toInt());
        QCOMPARE(sizes, ranks);
        for (const QJsonValue& rank : run["ranks"].toArray())
            QCOMPARE(rank.toObject()["end"].toString(), QString("finished"));
        const Answer asked = test::run({"query", text(name), "SELECT count(*) AS n FROM steps WHERE seconds > 0"});
        QVERIFY2(asked.out.contains("12"), asked.out + asked.error);
        // The sampler's place: no sample comes twice, and none is left out.
        for (const CheckpointPlace& place :
             listCheckpoints(std::filesystem::path(path(name)).replace_extension(".checkpoints"))) {
            const auto manifest = readManifest(place.path);
            QVERIFY(manifest);
            QCOMPARE(manifest->samples, manifest->step * batch);
        }
    }

private Q_SLOTS:
    void eightSixEight_data() {
        QTest::addColumn<QByteArray>("parallel");
        QTest::addColumn<int>("fewer");
        QTest::newRow("data 8") << QByteArray(R"({"data": 8, "pipeline": 1})") << 6;
        for (int zero = 1; zero <= 3; ++zero)
            QTest::addRow("ZeRO %d", zero)
                << R"({"data": 8, "pipeline": 1, "zero": )" + QByteArray::number(zero) + "}" << 6;
        QTest::newRow("data 4 × pipeline 2") << QByteArray(R"({"data": 4, "pipeline": 2})") << 3;
        QTest::newRow("data 4 × tensor 2, ZeRO 1")
            << QByteArray(R"({"data": 4, "pipeline": 1, "tensor": 2, "zero": 1})") << 3;
        QTest::newRow("a server") << QByteArray(R"({"data": 8, "pipeline": 1, "exchange": "server"})") << 6;
    }
    void eightSixEight() {
        QFETCH(QByteArray, parallel);
        QFETCH(int, fewer);
        const Layout layout = layoutOf(parallel, 2);
        Elastic run(layout, path("asked.shardlab"));
        QVERIFY(run.step(3));
        QVERIFY(run.resized(fewer, 1));
        QVERIFY(run.step(4));
        QVERIFY(run.resized(layout.parallel.data, 2));
        QVERIFY(run.step(1));
        QCOMPARE(run.finish(), std::string("finished "));
        requireWhole("asked.shardlab", {6, 8});

        const auto reader = RunReader::open(path("asked.shardlab"));
        QVERIFY(reader);
        QCOMPARE((*reader)->restarts()[0].step, 3);
        QCOMPARE((*reader)->restarts()[1].step, 7);
        // Lanes keep their place in the mesh, and those of absent replicas are empty.
        const Mesh mesh(layout);
        std::set<std::tuple<int, int, ActionId>> seen;  // with ZeRO 3 a forward is in pieces
        QVERIFY((*reader)->readEvents([&](std::span<const Event> events) {
            for (const Event& event : events) {
                if (event.kind != EventKind::Forward || event.step < 0) continue;
                seen.insert({event.rank, event.step, event.action});
                const bool small = event.step >= 3 && event.step < 7;
                if (small && mesh.coordinate(event.rank, Axis::Data) >= fewer) return false;
                if (actionFromId(event.action).stage != mesh.coordinate(event.rank, Axis::Pipeline)) return false;
            }
            return true;
        }));
        QCOMPARE(seen.size(),
                 static_cast<std::size_t>(steps * batch * layout.parallel.pipeline * layout.parallel.tensor));
        int small = 0;
        QVERIFY((*reader)->readFigures([&](const StepFigures& step) {
            if (step.times.step < 0) return true;
            if (step.times.active == 6) ++small;
            return step.times.complete && step.times.seconds > 0 &&
                   step.times.active == (step.times.step >= 3 && step.times.step < 7 ? 6 : 8);
        }));
        QCOMPARE(small, 4);
    }

    void whatElseReadsIt() {
        Elastic run(layoutOf(R"({"data": 4, "pipeline": 2})", 2), path("read.shardlab"));
        QVERIFY(run.step(2));
        QVERIFY(run.resized(3, 1));
        QVERIFY(run.step(3));
        QVERIFY(run.resized(4, 2));
        QCOMPARE(run.finish(), std::string("finished "));
        const QString file = text("read.shardlab");
        const Answer info = test::run({"info", file});
        QVERIFY2(info.out.contains("from step 2 with 6 ranks (asked for)") &&
                     info.out.contains("from step 5 with 8 ranks (asked for)"),
                 info.out);
        // Actions of fewer replicas are others than those predicted: these steps are not held against them.
        const auto reader = RunReader::open(path("read.shardlab"));
        QVERIFY(reader);
        const auto compared = compareWithPrediction(**reader);
        QVERIFY2(compared, compared ? "" : compared.error().text().c_str());
        QVERIFY(std::ranges::find(compared->notes,
                                  "3 steps that the run did with fewer ranks than its layout's are left out") !=
                compared->notes.end());
        for (const RunComparison::Difference& difference : compared->largest)
            QVERIFY(actionFromId(difference.action).microbatch < 6);
        for (const Sentence& note : compared->notes)
            QVERIFY2(note.english().find("F6") == std::string::npos && note.english().find("F7") == std::string::npos,
                     note.english().c_str());
        const Answer exported = test::run({"export", file, "--format", "chrome", "--out", text("read.json")});
        QVERIFY2(exported.status == 0, exported.error);
        const Answer commands =
            test::run({"query", file, "SELECT count(*) AS n FROM events WHERE kind = 'command' AND bytes IN (3, 4)"});
        QVERIFY2(commands.out.contains("2"), commands.out + commands.error);
    }

    /// Each death takes a device away, until more are asked for.
    void deadRanksAreDoneWithout() {
        Elastic run(layoutOf(R"({"data": 8, "pipeline": 1})", 3, 3), path("killed.shardlab"));
        QVERIFY(run.step(3));
        QVERIFY(run.killed(5, 1, 2));  // 8 → 6, from step 2
        QVERIFY(run.step(3));
        QVERIFY(run.killed(0, 2, 4));  // one of seven devices is spare: 6, from step 4
        QVERIFY(run.step(1));
        QVERIFY(run.killed(2, 3, 4));  // 6 → 4, from step 4
        QVERIFY(run.resized(8, 4));
        QCOMPARE(run.finish(), std::string("finished "));
        requireWhole("killed.shardlab", {6, 6, 4, 8});
        QVERIFY(run.told(LogLevel::Warning, "restart 1 of 3: on from step 2 with 6 replicas (6 ranks) instead of 8, "));
        QVERIFY(run.told(LogLevel::Info, "resized: on from step 4 with 8 replicas (8 ranks) instead of 4, "));
        const auto reader = RunReader::open(path("killed.shardlab"));
        QVERIFY(reader);
        std::vector<int> from;
        for (const Event& restart : (*reader)->restarts()) from.push_back(restart.step);
        QCOMPARE(from, (std::vector<int>{2, 4, 4, 4}));
    }

    /// No rank is lost: all replicas go on.
    void anEndedMpirunCostsNoReplica() {
        Elastic run(layoutOf(R"({"data": 4, "pipeline": 1})", 1, 2, 4), path("ended.shardlab"));
        QVERIFY(run.step(3));
        int restarts = 0;
        for (const int signal : {SIGTERM, SIGKILL}) {
            QVERIFY(run.struck(stateOf(run.witness.ranks().at(0).pid).parent, signal, ++restarts, 2));
            QVERIFY(run.step(1));
        }
        QCOMPARE(run.finish(), std::string("finished "));
        requireWhole("ended.shardlab", {4, 4});
        QVERIFY(
            run.told(LogLevel::Error,
                     "mpirun was ended by a signal from outside (SIGTERM, SIGINT or SIGHUP); rank 0 was at step 2"));
        QVERIFY(run.told(LogLevel::Error, "mpirun was killed by SIGKILL; rank 0 was at step 2"));
    }

    /// The newest was whole, and its disk has lost a byte of it: on from the one before, and the run says why.
    void aBrokenCheckpointIsPassedOver() {
        Elastic run(layoutOf(R"({"data": 4, "pipeline": 1})", 1, 1, 4), path("broken.shardlab"));
        QVERIFY(run.step(5));
        QVERIFY(run.taken(4));
        const auto newest = listCheckpoints(path("broken.checkpoints")).back().path / "rank-00001.safetensors";
        std::filesystem::resize_file(newest, std::filesystem::file_size(newest) - 1);
        QVERIFY(run.struck(stateOf(run.witness.ranks().at(0).pid).parent, SIGTERM, 1, 4));
        QVERIFY(run.told(LogLevel::Warning, "passed over: the checkpoint is damaged (" + newest.string() + ")"));
        QVERIFY(run.told(LogLevel::Warning, "restart 1 of 1: on from step 2 with 4 replicas (4 ranks), "));
        QCOMPARE(run.finish(), std::string("finished "));
        requireAlike(figures("broken.shardlab")["losses"].toArray(), alone()["losses"].toArray());
    }

    /// With none to spare the device of a host that is there is tried again.
    void atItsFewestItStartsAsItWas() {
        Elastic run(layoutOf(R"({"data": 2, "pipeline": 1})", 1, 5, 2), path("fewest.shardlab"));
        QVERIFY(run.step(3));
        QVERIFY(run.killed(1, 1, 2));
        QVERIFY(run.step(2));
        QVERIFY(run.killed(0, 2, 4));
        QCOMPARE(run.finish(), std::string("finished "));
        requireAlike(figures("fewest.shardlab")["losses"].toArray(), alone()["losses"].toArray());
        std::vector<int> sizes;
        const QJsonObject known = figures("fewest.shardlab");
        for (const QJsonValue& restart : known["restarts"].toArray())
            sizes.push_back(restart.toObject()["ranks"].toInt());
        QCOMPARE(sizes, (std::vector<int>{1, 1}));
        QVERIFY(known["ranks"].toArray()[1].toObject()["end"].toString().startsWith("absent from step "));
    }

    void beforeItsFirstStep() {
        Elastic run(layoutOf(R"({"data": 4, "pipeline": 1})", 1, 0, 4), path("first.shardlab"));
        QVERIFY(run.paused());
        QVERIFY(run.resized(2, 1));
        QVERIFY(run.step(1));
        QVERIFY(run.resized(4, 2));
        QCOMPARE(run.finish(), std::string("finished "));
        requireWhole("first.shardlab", {2, 4});
    }

    void whatCannotBeIsRefused() {
        Elastic run(layoutOf(R"({"data": 8, "pipeline": 1})", 3), path("refused.shardlab"));
        QVERIFY(run.step(1));
        const std::pair<int, const char*> asked[] = {
            {5, "whole microbatches"}, {9, "3 to 8"}, {2, "3 to 8"}, {-1, "3 to 8"}};
        for (const auto& [data, why] : asked) {
            run.job->resize(data);
            QVERIFY(Elastic::patient([&, data = data, why = why] {
                return run.told(LogLevel::Error, "the run cannot be resized (" + std::to_string(data) + " replicas)") &&
                       run.told(LogLevel::Error, why);
            }));
            const Answer answer = test::run({"resize", text("refused.shardlab"), "--", QString::number(data)});
            QCOMPARE(answer.status, 1);
            QVERIFY2(answer.error.contains("8, 6, 4 or 3"), answer.error);
        }
        run.job->resize(8);
        QVERIFY(
            Elastic::patient([&] { return run.told(LogLevel::Info, "asked for 8 replicas (8 ranks), which it has"); }));
        writeFile(text("refused.shardlab.request"), "resize six\n");
        QVERIFY(Elastic::patient([&] { return run.told(LogLevel::Error, "it is no request"); }));
        QCOMPARE(run.restarts(), 0);

        // Another program asks.
        const Answer answer = test::run({"resize", text("refused.shardlab"), "4"});
        QVERIFY2(answer.status == 0 && answer.out.contains("asked for 4 replicas (4 ranks)"),
                 answer.out + answer.error);
        QVERIFY(Elastic::patient([&] { return run.restarts() == 1; }));
        QVERIFY(run.paused());
        QCOMPARE(run.finish(), std::string("finished "));
        const Answer late = test::run({"resize", text("refused.shardlab"), "8"});
        QVERIFY2(late.status == 1 && late.error.contains("it has ended: finished"), late.error);
        QCOMPARE(figures("refused.shardlab")["steps"].toInt(), steps);

        static_cast<void>(alone());
        const Answer fixed = test::run({"resize", text("alone.shardlab"), "1"});
        QVERIFY2(fixed.status == 1 && fixed.error.contains("/run/min_data"), fixed.error);
    }

    void stopEndsAResize() {
        Elastic run(layoutOf(R"({"data": 4, "pipeline": 1})", 1, 0, 4), path("stopped.shardlab"));
        QVERIFY(run.step(1));
        run.job->resize(2);
        run.job->send(Command::Stop);
        run.job->wait();
        QCOMPARE(run.witness.ends().front().outcome, std::string("stopped"));
        QCOMPARE(figures("stopped.shardlab")["steps"].toInt(), 1);
    }
};

QTEST_GUILESS_MAIN(ElasticRunTest)
#include "elastic_run_test.moc"
