// SPDX-License-Identifier: Apache-2.0
// Faults on purpose (run.faults), brought about in real ranks: each happens to the rank and before the step that the
// layout says, once, and the run makes of it what it makes of any other fault.
#include "engine/layout/injected_fault.h"
#include "engine/layout/layout_file.h"
#include "tests/support/command.h"
#include "tests/support/places.h"
#include "tests/support/processes.h"
#include "tests/support/watched_job.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <map>

using namespace shardlab;
using namespace shardlab::test;

namespace {

// A checkpoint is begun once the one before it is whole: in the steps from twice `every` on there is one.
constexpr int steps = 14;

/// Where a rank is slowed: what took it half a second on a busy machine takes half a minute, and is no hang.
const QByteArray unhurried = R"("deadline": 600)";

Layout layoutOf(int ranks, const QByteArray& parallel, const QByteArray& run, int checkpointEvery = 3) {
    const QByteArray text =
        R"({"name": "faults", "model": {"kind": "gpt", "layers": 2, "hidden": 16, "heads": 2, "sequence": 8, "dropout": 0.1},
 "cluster": {"hosts": [{"name": "localhost", "devices": )" +
        QByteArray::number(ranks) + R"(}]}, "parallel": )" + parallel + R"(,
 "batch": {"global": 8, "micro": 1}, "optimizer": {"learning_rate": 0.003, "warmup": 0},
 "data": {"validation": 0}, "checkpoint": {"every": )" +
        QByteArray::number(checkpointEvery) + R"(},
 "run": {"steps": 14, "seed": 5)" +
        run + "}}";
    const auto parsed = parseLayout(text.toStdString());
    if (!parsed || !parsed->faults.empty())
        qFatal("%s", parsed ? toText(parsed->faults).c_str() : parsed.error().text().c_str());
    return parsed->layout;
}

struct Finished {
    std::vector<Event> events;
    std::vector<LogLine> log;
    RunEnd end;

    std::vector<Event> of(EventKind kind) const {
        std::vector<Event> found;
        for (const Event& event : events)
            if (event.kind == kind) found.push_back(event);
        return found;
    }
    /// By step, as they were told last.
    std::map<int, double> losses() const {
        std::map<int, double> losses;
        for (const Event& event : of(EventKind::Loss)) losses[event.step] = event.value;
        return losses;
    }
    /// Nanoseconds that a rank computed.
    std::int64_t computing(int rank) const {
        std::int64_t sum = 0;
        for (const Event& event : events)
            if (event.rank == rank && (event.kind == EventKind::Forward || event.kind == EventKind::Backward))
                sum += event.end - event.begin;
        return sum;
    }
};

}  // namespace

class InjectedFaultTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir folder_;
    int runs_ = 0;

    Finished run(const Layout& layout) {
        Witness witness;
        JobOptions options;
        options.layout = layout;
        options.runFile = folder_.filePath(QString("%1.shardlab").arg(++runs_)).toStdString();
        options.rankProgram = SHARDLAB_BIN_DIR "/shardlab-rank";
        auto started = Job::start(options, witness);
        if (!started) qFatal("%s", started.error().text().c_str());
        (*started)->wait();
        return {witness.events(), witness.log(), witness.ends().front()};
    }

    /// Each of these, in this order, and nothing else on purpose.
    static void requireFaults(const Finished& run, const std::vector<InjectedFault>& expected) {
        const std::vector<Event> seen = run.of(EventKind::InjectedFault);
        QCOMPARE(seen.size(), expected.size());
        for (std::size_t i = 0; i < seen.size(); ++i) {
            QCOMPARE(static_cast<int>(seen[i].rank), expected[i].rank);
            QCOMPARE(seen[i].step, expected[i].after);
            QCOMPARE(seen[i].bytes, static_cast<std::int64_t>(expected[i].kind));
            QCOMPARE(seen[i].value, expected[i].factor);
            const std::string said = "on purpose, as /run/faults says: " + toText(expected[i]);
            QVERIFY2(
                std::ranges::any_of(
                    run.log, [&](const LogLine& line) { return line.rank == expected[i].rank && line.text == said; }),
                said.c_str());
        }
    }

private Q_SLOTS:
    void killedRanksAreRestarted() {
        const QByteArray parallel = R"({"data": 2, "pipeline": 2})";
        const Finished calm = run(layoutOf(4, parallel, ""));
        QCOMPARE(calm.end.outcome, std::string("finished"));
        const Finished killed =
            run(layoutOf(4, parallel, R"(, "faults": ["kill 3 after 10", "kill 1 after 7"], "max_restarts": 2)"));
        QVERIFY2(killed.end.outcome == "finished", killed.end.reason.c_str());
        requireFaults(killed, {{InjectedFaultKind::Kill, 1, 7}, {InjectedFaultKind::Kill, 3, 10}});
        const std::vector<Event> restarts = killed.of(EventKind::Restart);
        QCOMPARE(restarts.size(), 2u);
        QVERIFY(restarts[0].step <= 7 && restarts[1].step <= 10 && restarts[1].step >= restarts[0].step);
        QCOMPARE(killed.losses(), calm.losses());
        QCOMPARE(killed.losses().size(), static_cast<std::size_t>(steps));
    }

    void withoutRestartsItIsTheEnd() {
        const Finished killed = run(layoutOf(2, R"({"data": 1, "pipeline": 2})", R"(, "faults": ["kill 0 after 4"])"));
        QCOMPARE(killed.end.outcome, std::string("failed"));
        QVERIFY2(killed.end.reason.find("rank 0 was killed by SIGKILL") != std::string::npos,
                 killed.end.reason.c_str());
        requireFaults(killed, {{InjectedFaultKind::Kill, 0, 4}});
        const std::vector<Event> done = killed.of(EventKind::Step);
        QCOMPARE(std::ranges::count(done, 0, [](const Event& step) { return static_cast<int>(step.rank); }), 4);
    }

    void aRankThatStandsStillIsFound() {
        const Finished hung = run(layoutOf(2, R"({"data": 2, "pipeline": 1})",
                                           R"(, "faults": ["hang 1 after 7"], "deadline": 6, "max_restarts": 1)"));
        QVERIFY2(hung.end.outcome == "finished", hung.end.reason.c_str());
        requireFaults(hung, {{InjectedFaultKind::Hang, 1, 7}});
        QCOMPARE(hung.of(EventKind::Fault).size(), 1u);
        QCOMPARE(static_cast<int>(hung.of(EventKind::Fault).front().rank), 1);
        QCOMPARE(hung.losses().size(), static_cast<std::size_t>(steps));
    }

    /// Ranks are numbered as in the run file, whichever take part; what would befall one that is absent does not
    /// happen.
    void elasticRunsGoOnWithout() {
        const Layout layout = layoutOf(4, R"({"data": 4, "pipeline": 1})",
                                       R"(, "faults": ["kill 3 after 7", "kill 3 after 10", "slow 0 after 8 by 1.5"],
 "min_data": 2, "max_restarts": 1)");
        const Finished run = this->run(layout);
        QVERIFY2(run.end.outcome == "finished", run.end.reason.c_str());
        const std::vector<Event> restarts = run.of(EventKind::Restart);
        QCOMPARE(restarts.size(), 1u);
        QCOMPARE(restarts.front().bytes, 2);  // of 8 samples 3 replicas have no whole part
        const std::vector<Event> seen = run.of(EventKind::InjectedFault);
        QCOMPARE(seen.size(), 2u);
        QCOMPARE(static_cast<int>(seen[0].rank), 3);
        QCOMPARE(static_cast<int>(seen[1].rank), 0);
        QCOMPARE(seen[1].value, 1.5);
        QCOMPARE(run.losses().size(), static_cast<std::size_t>(steps));
    }

    /// So much slower that no busy machine makes up for it; and a restart does not mend it.
    void slowRanksComputeLonger() {
        const Finished slow =
            run(layoutOf(2, R"({"data": 2, "pipeline": 1})",
                         R"(, "faults": ["slow 1 after 0 by 60", "kill 0 after 7"], "max_restarts": 1, )" + unhurried));
        QVERIFY2(slow.end.outcome == "finished", slow.end.reason.c_str());
        const std::vector<Event> seen = slow.of(EventKind::InjectedFault);
        QCOMPARE(std::ranges::count(seen, static_cast<std::int64_t>(InjectedFaultKind::Slow), &Event::bytes), 2);
        QVERIFY2(slow.computing(1) > 6 * slow.computing(0),
                 qPrintable(QString("%1 and %2 ns").arg(slow.computing(1)).arg(slow.computing(0))));
    }

    /// A server that waits for nobody takes more from who is quicker.
    void asynchronousWorkersDoNotWaitForASlowOne() {
        const Finished slow = run(layoutOf(3, R"({"data": 3, "pipeline": 1, "exchange": "async-server"})",
                                           R"(, "faults": ["slow 2 after 0 by 60"], )" + unhurried, 0));
        QVERIFY2(slow.end.outcome == "finished", slow.end.reason.c_str());
        std::map<int, int> pushed;
        for (const Event& event : slow.of(EventKind::PushGradients))
            if (event.rank != 0) ++pushed[event.rank];
        QVERIFY2(pushed[1] > 2 * pushed[2], qPrintable(QString("%1 and %2 updates").arg(pushed[1]).arg(pushed[2])));
    }

    /// Asked for by a person, here and from another program: it happens at once, to a run that stands still as well.
    void oneCanBeAskedFor_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<bool>("commandLine");
        QTest::newRow("kill") << "kill" << false;
        QTest::newRow("hang") << "hang" << false;
        QTest::newRow("kill, from another program") << "kill" << true;
    }
    void oneCanBeAskedFor() {
        QFETCH(QString, kind);
        QFETCH(bool, commandLine);
        const FaultRequest request{kind == "kill" ? InjectedFaultKind::Kill : InjectedFaultKind::Hang, 1};
        Witness witness;
        JobOptions options;
        options.layout = layoutOf(2, R"({"data": 2, "pipeline": 1})", R"(, "max_restarts": 1, "deadline": 6)");
        options.runFile = folder_.filePath(QString("asked-%1.shardlab").arg(++runs_)).toStdString();
        options.rankProgram = SHARDLAB_BIN_DIR "/shardlab-rank";
        auto started = Job::start(options, witness);
        QVERIFY(started);
        Job& job = **started;
        job.send(Command::Pause);
        for (int i = 0; i < 7; ++i) job.send(Command::StepOnce);
        const auto count = [&](EventKind sought) {
            const auto events = witness.events();
            return std::ranges::count(events, sought, &Event::kind);
        };
        QVERIFY(QTest::qWaitFor([&] { return count(EventKind::Loss) == 7 && job.state() == RunState::Paused; }));
        if (commandLine) {
            const QString file = QString::fromStdString(options.runFile.string());
            // What somebody else put there is not obeyed, and the log says so.
            const auto commands = count(EventKind::Command);
            const std::filesystem::path place = runRequestFile(options.runFile);
            QVERIFY(replaceFile(folder_.filePath("planted").toStdString(), "kill 0\n"));
            std::filesystem::create_symlink(folder_.filePath("planted").toStdString(), place);
            const auto refused = [](const LogLine& line) {
                return line.text.find("is ignored (") != std::string::npos &&
                       line.text.find("it is a symbolic link") != std::string::npos;
            };
            QTRY_VERIFY(!std::filesystem::is_symlink(place) && std::ranges::any_of(witness.log(), refused));
            QCOMPARE(count(EventKind::Command), commands);
            const test::Answer nobody = test::run({"fault", file, "kill", "2"});
            QVERIFY2(nobody.status == 1 && nobody.error.contains("the run has 2 ranks"), nobody.error);
            const test::Answer answer = test::run({"fault", file, kind, "1"});
            QVERIFY2(answer.status == 0 && answer.out.contains("asked for: kill 1"), answer.out + answer.error);
        } else {
            job.inject(request);
        }
        // Nobody is expected to act while a run is paused, so that a rank that hangs is found when it goes on.
        if (kind == "hang") {
            QTRY_COMPARE(stateOf(witness.ranks().at(1).pid).state, 'T');
            job.send(Command::Resume);
        }
        QVERIFY(QTest::qWaitFor([&] { return count(EventKind::Restart) == 1; }));
        job.send(Command::Resume);
        job.wait();
        QVERIFY2(witness.ends().front().outcome == "finished", witness.ends().front().reason.c_str());
        bool asked = false, struck = false;
        for (const Event& event : witness.events()) {
            const bool itself = event.rank == 1 && event.bytes == static_cast<std::int64_t>(request.kind);
            asked = asked || (itself && event.kind == EventKind::Command &&
                              event.value == static_cast<double>(Command::InjectFault));
            struck = struck || (itself && event.kind == EventKind::InjectedFault);
        }
        QVERIFY(asked && struck);
        if (commandLine) {
            const test::Answer late =
                test::run({"fault", QString::fromStdString(options.runFile.string()), "kill", "1"});
            QVERIFY2(late.status == 1 && late.error.contains("it has ended: finished"), late.error);
        }
    }

    void theCommandLineTakesThem() {
        const test::Answer answer =
            test::run({"plan", "default", "--set", R"(/run/faults=["kill 9 after 3", "kil 1 after 2"])"});
        QVERIFY(answer.status != 0);
        QVERIFY2(answer.error.contains("/run/faults/0: there is no rank 9"), answer.error);
        QVERIFY2(answer.error.contains("did you mean kill?"), answer.error);
    }
};

QTEST_GUILESS_MAIN(InjectedFaultTest)
#include "injected_fault_test.moc"
