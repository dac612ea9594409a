// SPDX-License-Identifier: Apache-2.0
// Every lesson that comes with Shardlab, run for real: each figure it names is measured.
#include "engine/launch/job/job.h"
#include "engine/launch/lesson/lesson.h"
#include "tests/support/command.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <csignal>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace shardlab;
using namespace shardlab::test;

namespace {

/// Seconds that a paced step may take here: lessons give readers time to look, and nobody watches.
constexpr double longestStep = 0.1;

/// An experiment under way. Those of a lesson run side by side: most of what a paced one takes is waiting.
class UnderWay {
public:
    UnderWay(const LessonExperiment& experiment, const QString& file)
        : name_(experiment.name), options_{.layout = experiment.layout, .runFile = file.toStdString()} {
        options_.rankProgram = SHARDLAB_BIN_DIR "/shardlab-rank";
        if (auto& pace = options_.layout.cluster.pace) pace->stepSeconds = std::min(pace->stepSeconds / 4, longestStep);
        job_ = Job::start(options_, nobody_);
    }
    const Layout& layout() const { return options_.layout; }
    /// What it measured, after its end. Error: it failed.
    Result<MeasuredRun> measured() {
        if (!job_) return fail(job_.error());
        (*job_)->wait();
        auto measured = measureRun(options_.runFile);
        if (measured && measured->summary.end.outcome != "finished")
            return fail({"the experiment did not finish", name_, measured->summary.end.reason, {}});
        return measured;
    }

private:
    std::string name_;
    JobOptions options_;
    RunObserver nobody_;
    Result<std::unique_ptr<Job>> job_;
};

/// The command line at a terminal, as a person sits there.
struct Terminal {
    explicit Terminal(const QStringList& arguments) {
        std::vector<std::string> words{test::program().toStdString()};
        for (const QString& argument : arguments) words.push_back(argument.toStdString());
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        child = ::forkpty(&screen, nullptr, nullptr, nullptr);
        if (child == 0) {
            ::execv(argv.front(), argv.data());
            ::_exit(127);
        }
    }
    ~Terminal() {
        if (child > 0) {
            ::kill(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
        }
        ::close(screen);
    }
    /// False: it ended, or a minute passed, before it said so after what was typed last.
    bool waitFor(const QByteArray& words) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        while (!said.mid(from).contains(words))
            if (!readSome() || std::chrono::steady_clock::now() > until) return false;
        return true;
    }
    void type(const QByteArray& keys) {
        from = said.size();
        QCOMPARE(::write(screen, keys.constData(), static_cast<std::size_t>(keys.size())), keys.size());
    }
    int end() {
        while (readSome()) {}
        int status = -1;
        ::waitpid(std::exchange(child, 0), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    QByteArray said;

private:
    bool readSome() {
        char bytes[4096];
        pollfd ready{screen, POLLIN, 0};
        if (::poll(&ready, 1, 60000) <= 0) return false;
        const ssize_t count = ::read(screen, bytes, sizeof bytes);
        if (count <= 0) return false;
        said.append(bytes, count);
        return true;
    }
    int screen = -1;
    pid_t child = -1;
    qsizetype from = 0;
};

}  // namespace

class LessonsTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir folder_;

private Q_SLOTS:
    void everyFigureIsMeasured_data() {
        QTest::addColumn<QString>("name");
        const auto all = lessons();
        QVERIFY2(all, all ? "" : all.error().text().c_str());
        for (const Lesson& lesson : *all) QTest::newRow(lesson.name.c_str()) << QString::fromStdString(lesson.name);
    }

    void everyFigureIsMeasured() {
        QFETCH(QString, name);
        const auto lesson = findLesson(name.toStdString());
        std::vector<std::unique_ptr<UnderWay>> underWay;
        for (const LessonExperiment& experiment : lesson->experiments)
            underWay.push_back(std::make_unique<UnderWay>(
                experiment, folder_.filePath(name + "-" + QString::fromStdString(experiment.name) + ".shardlab")));
        std::vector<KnownExperiment> known;
        for (const auto& experiment : underWay) {
            auto planned = planRun(experiment->layout(), {});
            QVERIFY(planned);
            auto measured = experiment->measured();
            QVERIFY2(measured, measured ? "" : measured.error().text().c_str());
            known.push_back({std::move(*planned), std::move(*measured)});
        }
        for (const LessonQuestion& question : lesson->questions) {
            QVERIFY2(measuredAnswer(question, known), question.name.c_str());
            QVERIFY2(revealText(question, known).find("–") == std::string::npos, question.name.c_str());
        }
        for (const LessonPiece& piece : lesson->pieces) {
            const auto* place = std::get_if<LessonFigurePlace>(&piece);
            if (!place) continue;
            const std::string figure = figureText(*place->figure, place->origin, known[place->experiment]).english();
            const std::string what =
                lesson->experiments[place->experiment].name + "." + std::string(place->figure->name) + ": " + figure;
            QVERIFY2(!figure.starts_with("–"), what.c_str());
        }
    }

    void theCommandLineListsThem() {
        const test::Answer answer = test::run({"learn"});
        QCOMPARE(answer.status, 0);
        const auto all = lessons();
        for (const Lesson& lesson : *all) QVERIFY2(answer.out.contains(lesson.title.c_str()), answer.out.constData());
    }

    void theCommandLineRunsOneExperiment() {
        const test::Answer before = test::run({"learn", "bubble"});
        QCOMPARE(before.status, 0);
        // The words of the desktop and the handout, not the JSON of the file.
        QVERIFY2(before.out.contains("    like naive, but Schedule gpipe instead of naive\n"), before.out.constData());
        QVERIFY2(!before.out.contains("{\""), before.out.constData());
        const auto waiting = before.out.count("– (run it)");
        QVERIFY2(waiting >= 3, before.out.constData());
        const QString kept = folder_.filePath("kept");
        const test::Answer after = test::run({"learn", "bubble", "--run", "gpipe", "--output", kept});
        QVERIFY2(after.status == 0, after.error.constData());
        QVERIFY2(after.out.count("– (run it)") < waiting && after.out.count("– (run it)") > 0, after.out.constData());
        QCOMPARE(QDir(kept).entryList(QDir::Files), QStringList{"bubble-gpipe.shardlab"});
        const test::Answer info = test::run({"info", kept + "/bubble-gpipe.shardlab", "--json"});
        QCOMPARE(info.json()["outcome"].toString(), QStringLiteral("finished"));
    }

    /// At a terminal the reader is asked, and told how near the guess was.
    void aTerminalAsks() {
        Terminal terminal({"learn", "bubble", "--run", "gpipe"});
        QVERIFY2(terminal.waitFor("0.0 % to 100.0 %"), terminal.said.constData());
        terminal.type("much\n");
        QVERIFY2(terminal.waitFor("this is no guess"), terminal.said.constData());
        terminal.type("20\n");
        QVERIFY2(terminal.waitFor("You guessed 20.0 %, measured: "), terminal.said.constData());
        QCOMPARE(terminal.end(), 0);
        QVERIFY2(terminal.said.contains("points too low"), terminal.said.constData());
        QVERIFY2(terminal.said.count("measured: ") >= 2, terminal.said.constData());  // and in the lesson
        QVERIFY(!terminal.said.contains("Sixteen microbatches instead of four make the bubble …\r\n    1"));  // not run
    }

    void aTerminalIsLeftAlone() {
        Terminal unasked({"learn", "bubble", "--run", "gpipe", "--no-questions"});
        QCOMPARE(unasked.end(), 0);
        QVERIFY2(!unasked.said.contains("Enter to pass over"), unasked.said.constData());
        Terminal passed({"learn", "bubble", "--run", "gpipe"});
        QVERIFY2(passed.waitFor("Enter to pass over"), passed.said.constData());
        passed.type("\n");
        QCOMPARE(passed.end(), 0);
        QVERIFY2(!passed.said.contains("You guessed"), passed.said.constData());
        Terminal left({"learn", "bubble", "--run"});
        QVERIFY2(left.waitFor("Enter to pass over"), left.said.constData());
        left.type("\x03");  // Ctrl+C
        QCOMPARE(left.end(), 0);
        QVERIFY2(left.said.contains("nothing more is run"), left.said.constData());
    }

    void aHandoutIsWritten() {
        const QString page = folder_.filePath("handout.html"), paper = folder_.filePath("handout.pdf");
        const test::Answer written = test::run({"learn", "bubble", "--run", "gpipe", "--handout", page});
        QVERIFY2(written.status == 0 && written.out.contains("handout.html"), written.error.constData());
        QFile html(page);
        QVERIFY(html.open(QIODevice::ReadOnly));
        const QByteArray text = html.readAll();
        QVERIFY2(text.contains("The pipeline bubble</h1>") && text.contains("<img ") && !text.contains("{{"),
                 text.constData());
        QCOMPARE(test::run({"learn", "bubble", "--handout", folder_.filePath("handout.txt")}).status, 2);
        if (!QFile::exists(SHARDLAB_BIN_DIR "/shardlab-desktop")) QSKIP("the desktop, which prints, was not built");
        const test::Answer printed = test::run({"learn", "bubble", "--handout", paper});
        QVERIFY2(printed.status == 0, printed.error.constData());
        QFile pdf(paper);
        QVERIFY(pdf.open(QIODevice::ReadOnly) && pdf.readAll().startsWith("%PDF"));
    }

    void theCommandLineRefuses() {
        const test::Answer lesson = test::run({"learn", "buble"});
        QCOMPARE(lesson.status, 1);
        QVERIFY2(lesson.error.contains("did you mean bubble?"), lesson.error.constData());
        const test::Answer experiment = test::run({"learn", "bubble", "--run", "nothing"});
        QCOMPARE(experiment.status, 1);
        QVERIFY2(experiment.error.contains("Legal: naive, gpipe"), experiment.error.constData());
        QCOMPARE(test::run({"learn", "--run", "gpipe"}).status, 2);  // of which lesson?
    }
};

QTEST_GUILESS_MAIN(LessonsTest)
#include "lessons_test.moc"
