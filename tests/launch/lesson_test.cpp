// SPDX-License-Identifier: Apache-2.0
// Lessons: what is read of their Markdown, what is said of a damaged one, and where figures come from.
#include "engine/base/scratch_folder.h"
#include "engine/base/units.h"
#include "engine/launch/job/run_header.h"
#include "engine/launch/lesson/lesson.h"
#include "engine/launch/lesson/lesson_pace.h"
#include "engine/launch/lesson/lesson_text.h"
#include "engine/layout/check/check.h"
#include "engine/layout/fields.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/schedule/registry.h"
#include "engine/trace/run_file/run_file.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

using namespace shardlab::test;

namespace {

const std::string sample = "# A title\n"
                           "\n"
                           "The bubble of {{ two.bubble }} is near {{two.bubble.theory}}.\n"
                           "```experiment one: the reference\n"
                           "{\"model\": {\"layers\": 8}, \"parallel\": {\"data\": 1, \"pipeline\": 4},\n"
                           " \"cluster\": {\"pace\": {\"step_seconds\": 0.5}}}\n"
                           "```\n"
                           "```experiment two like one\n"
                           "{\"schedule\": {\"kind\": \"gpipe\"}, \"cluster\": {\"pace\": null}}\n"
                           "```\n"
                           "```python\n"
                           "{{this.stays}}\n"
                           "```\n"
                           "| a | {{one.peak_memory}} | {{one.peak_memory.predicted}} |\n";

std::string text(const Result<Lesson>& lesson) { return lesson ? std::string("no error") : lesson.error().text(); }

std::vector<KnownExperiment> planned(const Lesson& lesson) {
    std::vector<KnownExperiment> known;
    for (const LessonExperiment& experiment : lesson.experiments)
        known.push_back({*planRun(experiment.layout, {}), {}});
    return known;
}

/// Two steps after the warm-up, of 100 ms each, in which only rank 0 computes; the last one overflows.
std::filesystem::path record(const Plan& plan, const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / "run.shardlab";
    auto writer = RunWriter::create(file, headerOf(plan));
    std::vector<Event> events;
    constexpr std::int64_t step = 100'000'000;
    for (int number = 0; number < 4; ++number) {
        const std::int64_t begin = number * step;
        for (std::int16_t rank = 0; rank < 4; ++rank) {
            if (rank == 0) {
                events.push_back({.begin = begin,
                                  .end = begin + step / 2,
                                  .step = number,
                                  .rank = rank,
                                  .kind = EventKind::Forward});
                events.push_back({.begin = begin + step / 2,
                                  .end = begin + step,
                                  .step = number,
                                  .rank = rank,
                                  .kind = EventKind::Backward});
            }
            events.push_back({.begin = begin,
                              .end = begin,
                              .bytes = 1000 + rank,
                              .step = number,
                              .rank = rank,
                              .lane = Lane::Host,
                              .kind = EventKind::MemoryPeak});
            events.push_back({.begin = begin,
                              .end = begin + step,
                              .step = number,
                              .rank = rank,
                              .lane = Lane::Host,
                              .kind = EventKind::Step});
        }
        events.push_back({.begin = begin + step,
                          .end = begin + step,
                          .value = 5.0 - number,
                          .step = number,
                          .rank = 3,
                          .lane = Lane::Host,
                          .kind = EventKind::Loss});
        events.push_back({.begin = begin + step,
                          .end = begin + step,
                          .value = 1024.0 / (number + 1),
                          .step = number,
                          .rank = 0,
                          .lane = Lane::Host,
                          .kind = EventKind::LossScale});
    }
    events.push_back(
        {.begin = 4 * step, .end = 4 * step, .step = 3, .rank = 1, .lane = Lane::Host, .kind = EventKind::Overflow});
    // A first step that is slow, as connections are made in it, and 8 and 4 ms in those that count.
    for (const auto& [number, milliseconds] : {std::pair{0, 90}, {2, 8}, {3, 4}})
        events.push_back({.begin = number * step,
                          .end = number * step + milliseconds * 1'000'000,
                          .step = number,
                          .rank = 2,
                          .lane = Lane::Comm,
                          .kind = EventKind::ReduceGradients});
    std::ranges::stable_sort(events, {}, &Event::begin);
    if (!(*writer)->append(events) || !(*writer)->finish({"finished", {}})) return {};
    return file;
}

}  // namespace

class LessonTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void readsTitleExperimentsAndFigures() {
        const auto lesson = parseLesson(sample, "sample");
        QVERIFY2(lesson, text(lesson).c_str());
        QCOMPARE(lesson->title, std::string("A title"));
        QCOMPARE(lesson->experiments.size(), std::size_t{2});
        const LessonExperiment &one = lesson->experiments[0], &two = lesson->experiments[1];
        QCOMPARE(one.title, std::string("the reference"));
        QCOMPARE(one.layout.cluster.pace->stepSeconds, 0.5);
        QCOMPARE(one.layout.cluster.hosts.front().devices, 4);
        QCOMPARE(two.like, std::string("one"));
        QCOMPARE(two.layout.schedule.kind, std::string("gpipe"));
        QCOMPARE(two.layout.model.layers, 8);  // of the one it is like
        QVERIFY(!two.layout.cluster.pace);     // null takes away
        QCOMPARE(two.layout.name, std::string("sample two"));
    }

    void predictedFiguresAreThereAtOnce() {
        const auto lesson = parseLesson(sample, "sample");
        const auto known = planned(*lesson);
        const std::string page = lessonText(
            *lesson, known, [](const LessonBlock& block) { return "<" + std::to_string(block.index) + ">\n"; });
        const Plan& two = known[1].planned->plan;
        QVERIFY2(page.find("The bubble of – (run it) is near " + formatPercent(two.bubbleTheory) + ".") !=
                     std::string::npos,
                 page.c_str());
        QVERIFY(page.find("<0>\n<1>\n") != std::string::npos);
        QVERIFY(page.find("```python\n{{this.stays}}\n```\n") != std::string::npos);
        std::int64_t peak = 0;
        for (const RankMemory& rank : known[0].planned->plan.memory) peak = std::max(peak, rank.peak);
        QVERIFY(page.find("| a | – (run it) | " + formatBytes(peak) + " |") != std::string::npos);
    }

    void measuredFiguresComeFromTheRunFile() {
        auto lesson = parseLesson(sample, "sample");
        auto known = planned(*lesson);
        const auto folder = ScratchFolder::make("test");
        const auto file = record(known[1].planned->plan, folder->path());
        QVERIFY(!file.empty());
        auto measured = measureRun(file);
        QVERIFY2(measured, measured ? "" : measured.error().text().c_str());
        known[1].measured = std::move(*measured);
        const auto told = [&](std::string_view figure) {
            return figureText(*findLessonFigure(figure), FigureOrigin::Measured, known[1]).english();
        };
        QCOMPARE(told("bubble"), std::string("75.0 %"));
        QCOMPARE(told("step_time"), std::string("100 ms"));
        QCOMPARE(told("peak_memory"), formatBytes(1003));
        QCOMPARE(told("first_loss"), std::string("5.0000"));
        QCOMPARE(told("last_loss"), std::string("2.0000"));
        QCOMPARE(told("skipped_steps"), std::string("1"));
        QCOMPARE(told("first_scale"), std::string("1024"));
        QCOMPARE(told("last_scale"), std::string("256"));
        QCOMPARE(told("exposed_communication"), formatSeconds(0.0015));  // mean of 8 and 4 ms, on one of four ranks
        QCOMPARE(told("recompute_time"), formatSeconds(0));
        QCOMPARE(told("hidden_communication"), std::string("–"));  // it ran, and nothing tells
        const std::string page = lessonText(*lesson, known, [](const LessonBlock&) { return std::string(); });
        QVERIFY(page.find("The bubble of 75.0 % is near") != std::string::npos);
    }

    /// Four replicas on two nodes: round the ring each rank sends 2(n−1)/n of its gradients, and two of four links
    /// join nodes; with a server its own rank sends the weights n−1 times, and one of three workers is beside it.
    void trafficIsToldByRankAndNode() {
        const auto lesson = parseLesson("# Links\n"
                                        "```experiment ring\n"
                                        "{\"cluster\": {\"hosts\": [{\"name\": \"localhost\", \"devices\": 2},\n"
                                        "                       {\"name\": \"127.0.0.1\", \"devices\": 2}]},\n"
                                        " \"parallel\": {\"data\": 4, \"pipeline\": 1, \"all_reduce\": \"ring\"}}\n"
                                        "```\n"
                                        "```experiment server like ring\n"
                                        "{\"parallel\": {\"exchange\": \"server\", \"all_reduce\": \"backend\"}}\n"
                                        "```\n",
                                        "links");
        QVERIFY2(lesson, text(lesson).c_str());
        const auto known = planned(*lesson);
        const auto told = [&](std::string_view figure, std::size_t experiment) {
            return *figureValue(*findLessonFigure(figure), FigureOrigin::Predicted, known[experiment]);
        };
        const auto isNearly = [](double value, double wanted) { return std::abs(value / wanted - 1) < 1e-3; };
        const double gradients = 4 * told("parameters", 0);
        QVERIFY(isNearly(told("most_sent", 0), 1.5 * gradients));
        QVERIFY(isNearly(told("traffic", 0), 6 * gradients));
        QVERIFY(isNearly(told("traffic_between_nodes", 0), 3 * gradients));
        QCOMPARE(told("hops", 0), 4 * 6.0);
        QVERIFY(isNearly(told("most_sent", 1), 3 * gradients));
        QVERIFY(isNearly(told("traffic", 1), 6 * gradients));
        QVERIFY(isNearly(told("traffic_between_nodes", 1), 4 * gradients));
        QCOMPARE(told("hops", 1), 0.0);
    }

    /// A lesson's experiment on two hosts was said to be the one on a single host, "run again".
    void hostsAreADifferenceWhereThereAreSeveral() {
        const auto lesson = parseLesson("# Hosts\n"
                                        "```experiment one\n{\"parallel\": {\"data\": 4, \"pipeline\": 1}}\n```\n"
                                        "```experiment two like one\n"
                                        "{\"cluster\": {\"hosts\": [{\"name\": \"localhost\", \"devices\": 2},\n"
                                        "                       {\"name\": \"127.0.0.1\", \"devices\": 2}]}}\n"
                                        "```\n"
                                        "```experiment fewer like one\n{\"parallel\": {\"data\": 2}}\n```\n",
                                        "hosts");
        QVERIFY2(lesson, text(lesson).c_str());
        const auto words = [&](std::size_t index) {
            return differenceWords(*lesson, lesson->experiments[index]).english();
        };
        QCOMPARE(words(1), std::string("like one, but Hosts localhost × 2, 127.0.0.1 × 2 instead of localhost × 4"));
        QCOMPARE(words(2), std::string("like one, but Data 2 replicas instead of 4"));
    }

    void figuresSayWhatTheyAre() {
        std::set<std::string_view> names;
        for (const LessonFigure& figure : lessonFigures()) {
            QVERIFY(names.insert(figure.name).second);
            QVERIFY(!figure.meaning.empty());
            QVERIFY(figure.has(figure.plain()));
        }
        QCOMPARE(findLessonFigure("bubble")->text(0.4286), std::string("42.9 %"));
        QCOMPARE(findLessonFigure("messages")->text(48), std::string("48"));
    }

    void damagedLessonsAreRefusedByLine_data() {
        QTest::addColumn<QString>("lesson");
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("what");
        const QString block = QStringLiteral("# T\n```experiment a\n{}\n```\n");
        QTest::newRow("empty") << QString() << "line 1"
                               << "no title";
        QTest::newRow("no title") << "Text\n"
                                  << "line 1"
                                  << "no title";
        QTest::newRow("empty title") << "# \n"
                                     << "line 1"
                                     << "no title";
        QTest::newRow("no name") << "# T\n```experiment\n{}\n```\n"
                                 << "line 2"
                                 << "no name";
        QTest::newRow("odd name") << "# T\n```experiment A.b\n{}\n```\n"
                                  << "line 2"
                                  << "no name";
        QTest::newRow("twice") << block + "\n```experiment a\n{}\n```\n"
                               << "line 6"
                               << "one name";
        QTest::newRow("like none") << block + "```experiment b like c\n{}\n```\n"
                                   << "line 5"
                                   << "no such experiment";
        QTest::newRow("like one below") << "# T\n```experiment a like b\n{}\n```\n```experiment b\n{}\n```\n"
                                        << "line 2"
                                        << "no such experiment";
        QTest::newRow("open block") << "# T\n\n```experiment a\n{}\n"
                                    << "line 3"
                                    << "no end";
        QTest::newRow("open fence") << "# T\n\n```text\n{}\n"
                                    << "line 3"
                                    << "no end";
        QTest::newRow("no json") << "# T\n```experiment a\n{\n \"model\": ]\n}\n```\n"
                                 << "line 4, column 11"
                                 << "no JSON";
        QTest::newRow("no object") << "# T\n```experiment a\n3\n```\n"
                                   << "line 2"
                                   << "no JSON object";
        QTest::newRow("unknown field") << "# T\n```experiment a\n{\"modle\": {}}\n```\n"
                                       << "line 2"
                                       << "): /modle";
        QTest::newRow("key twice") << "# T\n```experiment a\n{\"model\": {}, \"model\": {}}\n```\n"
                                   << "line 2"
                                   << "stands twice";
        QTest::newRow("illegal") << "# T\n\n```experiment a\n{\"parallel\": {\"pipeline\": 3}}\n```\n"
                                 << "line 3"
                                 << "): /parallel/pipeline";
        QTest::newRow("figure of none") << block + "\n{{b.bubble}}\n"
                                        << "line 6"
                                        << "of no experiment";
        QTest::newRow("no figure") << block + "{{a.buble}}\n"
                                   << "line 5"
                                   << "did you mean bubble?";
        QTest::newRow("no dot") << block + "{{bubble}}\n"
                                << "line 5"
                                << "no figure";
        QTest::newRow("no such form") << block + "{{a.first_loss.predicted}}\n"
                                      << "line 5"
                                      << "no such form";
        QTest::newRow("unknown form") << block + "{{a.bubble.guessed}}\n"
                                      << "line 5"
                                      << "predicted or theory";
        QTest::newRow("open figure") << block + "text {{a.bubble\n}}\n"
                                     << "line 5"
                                     << "no end";
    }

    void damagedLessonsAreRefusedByLine() {
        QFETCH(QString, lesson);
        QFETCH(QString, line);
        QFETCH(QString, what);
        const auto parsed = parseLesson(lesson.toStdString(), "sample");
        QVERIFY(!parsed);
        const QString error = QString::fromStdString(parsed.error().text());
        QVERIFY2(error.contains("sample, " + line) && !error.contains("sample, " + line + "0"), qPrintable(error));
        QVERIFY2(error.contains(what), qPrintable(error));
    }

    void experimentsShareOnePace() {
        auto lesson = findLesson("bubble");
        QVERIFY(lesson && lesson->experiments.size() == 3);
        const auto steps = [&] {
            std::vector<double> seconds;
            for (const KnownExperiment& known : planned(*lesson))
                seconds.push_back(known.planned->plan.simulation.stepSeconds);
            return seconds;
        };
        const auto before = planned(*lesson);
        QVERIFY(std::ranges::max(steps()) - std::ranges::min(steps()) < 1e-9);  // as written each step lasts as long
        const auto page = [&] {
            return lessonText(*lesson, planned(*lesson), [](const LessonBlock&) { return std::string("\n"); });
        };
        QCOMPARE(page().find("slowed by one factor"), std::string::npos);
        paceTogether(*lesson);
        const auto after = planned(*lesson);
        const double factor = after.front().planned->plan.costs.stretch;
        for (std::size_t i = 0; i < after.size(); ++i) {
            QVERIFY(std::abs(after[i].planned->plan.costs.stretch / factor - 1) < 1e-9);
            QCOMPARE(after[i].planned->plan.stepSeconds, before[i].planned->plan.stepSeconds);
        }
        QVERIFY(steps()[0] > 2 * steps()[1]);  // naive is seen to take twice as long as GPipe
        const std::string remark = "slowed by one factor, " + formatCount(factor) + " ×";
        QVERIFY2(page().find(remark) != std::string::npos, page().c_str());
        QCOMPARE(page().find(remark), page().rfind(remark));  // once
    }

    void shippedLessonsAreWhole() {
        auto all = lessons();
        QVERIFY2(all, all ? "" : all.error().text().c_str());
        QVERIFY(all->size() >= 6);
        std::set<std::string> names;
        for (Lesson& lesson : *all) {
            paceTogether(lesson);
            double whole = 0;
            QVERIFY2(names.insert(lesson.name).second, lesson.name.c_str());
            QVERIFY2(lesson.experiments.size() >= 2, lesson.name.c_str());
            std::size_t figures = 0;
            for (const LessonPiece& piece : lesson.pieces) figures += std::holds_alternative<LessonFigurePlace>(piece);
            QVERIFY2(figures >= lesson.experiments.size(), lesson.name.c_str());
            // Every lesson has something to guess, and what is asked comes before what tells it.
            QVERIFY2(!lesson.questions.empty(), lesson.name.c_str());
            std::vector<bool> asked(lesson.questions.size()), ran(lesson.experiments.size());
            for (const LessonPiece& piece : lesson.pieces) {
                if (const auto* question = std::get_if<LessonQuestionPlace>(&piece)) asked[question->question] = true;
                const auto* experiment = std::get_if<LessonExperimentPlace>(&piece);
                if (experiment) ran[experiment->experiment] = true;
                for (std::size_t index = 0; experiment && index < asked.size(); ++index) {
                    const auto& of = lesson.questions[index].experiments;
                    const bool told = std::ranges::all_of(of, [&](std::size_t one) { return ran[one]; });
                    QVERIFY2(asked[index] || !told, (lesson.name + " " + lesson.questions[index].name).c_str());
                }
            }
            for (const LessonExperiment& experiment : lesson.experiments) {
                QVERIFY2(rankCount(experiment.layout) <= 8, experiment.layout.name.c_str());
                const double seconds =
                    experiment.layout.run.steps * planRun(experiment.layout, {})->plan.simulation.stepSeconds;
                QVERIFY2(seconds <= 25, experiment.layout.name.c_str());
                whole += seconds;
            }
            QVERIFY2(whole <= 75, lesson.name.c_str());  // a lesson is read in minutes
        }
        QVERIFY(findLesson("bubble"));
        QVERIFY(findLesson("buble").error().legal.english().find("did you mean bubble?") != std::string::npos);
    }

    /// There is something to try in each, which its experiment's own layout does not show already.
    void everyLessonHasStepsToTake() {
        const auto all = lessons();
        QVERIFY2(all, all ? "" : all.error().text().c_str());
        for (const Lesson& lesson : *all) {
            QVERIFY2(!lesson.steps.empty(), lesson.name.c_str());
            for (const LessonStep& step : lesson.steps) {
                if (!step.in) continue;
                const Layout& layout = lesson.experiments[*step.in].layout;
                QVERIFY2(!isDone(step, layout, check(layout, scheduleMethods()), {}),
                         (lesson.name + " " + step.name).c_str());
            }
        }
    }

    /// Who sets the fields that a step names has done it: the fault that it speaks of is there.
    void stepsLeadToWhatTheySay() {
        const auto all = lessons();
        QVERIFY2(all, all ? "" : all.error().text().c_str());
        int led = 0;
        for (const Lesson& lesson : *all)
            for (const LessonStep& step : lesson.steps) {
                if (!step.in) continue;
                Layout layout = lesson.experiments[*step.in].layout;
                bool set = false, other = false;
                for (const StepCondition& condition : step.conditions) {
                    const auto* field = std::get_if<FieldCondition>(&condition);
                    other |= std::holds_alternative<RanCondition>(condition) || (field && field->comparison != "=");
                    if (!field) continue;
                    const auto changed = setField(layout, field->pointer + "=" + field->value);
                    QVERIFY2(changed, field->pointer.c_str());
                    layout = changed->layout;
                    set = true;
                }
                if (!set || other) continue;
                QVERIFY2(isDone(step, layout, check(layout, scheduleMethods()), {}),
                         (lesson.name + " " + step.name).c_str());
                ++led;
            }
        QVERIFY(led > 40);
    }

    /// Only the text and what is revealed have figures: elsewhere their braces would be read as they stand.
    void figuresStandWhereTheyAreFilledIn() {
        const auto all = lessons();
        for (const Lesson& lesson : *all) {
            std::vector<std::string> plain;
            for (const LessonExperiment& each : lesson.experiments) plain.push_back(each.title);
            for (const LessonStep& each : lesson.steps) plain.insert(plain.end(), {each.text, each.then});
            for (const LessonQuestion& each : lesson.questions) {
                plain.push_back(each.text);
                for (const QuestionChoice& choice : each.choices) plain.push_back(choice.text);
            }
            for (const std::string& said : plain) QVERIFY2(said.find("{{") == std::string::npos, said.c_str());
        }
    }

    /// A link to a field bears the name that Design shows beside it.
    void linksBearTheNamesOfFields() {
        static const QRegularExpression link(R"(\[([^\]]+)\]\(show:(/[^)]+)\))");
        int links = 0;
        for (const QFileInfo& page : QDir(SHARDLAB_SOURCE_DIR "/resources/lessons").entryInfoList({"*.md"})) {
            QFile file(page.filePath());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QString content = QString::fromUtf8(file.readAll());
            for (auto each = link.globalMatch(content); each.hasNext(); ++links) {
                const QRegularExpressionMatch match = each.next();
                const Field* field = findField(match.captured(2).toStdString());
                QVERIFY2(field != nullptr, qPrintable(page.fileName() + ": " + match.captured(0)));
                QCOMPARE(page.fileName() + " " + match.captured(1),
                         page.fileName() + " " +
                             QString::fromUtf8(field->label.data(), qsizetype(field->label.size())));
            }
        }
        QVERIFY(links > 40);
    }
};

QTEST_GUILESS_MAIN(LessonTest)
#include "lesson_test.moc"
