// SPDX-License-Identifier: Apache-2.0
// Questions and steps of lessons: how they are read, what is said of damaged ones, how near a guess is to what was
// measured, and what of that a reader sees in the text, in a picture and on paper.
#include "engine/base/language.h"
#include "engine/launch/lesson/guess_picture.h"
#include "engine/launch/lesson/handout.h"
#include "engine/launch/lesson/lesson.h"
#include "engine/launch/lesson/lesson_text.h"
#include "engine/launch/lesson/markdown_html.h"
#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QRegularExpression>
#include <QTest>
#include <QXmlStreamReader>

#include <random>

using namespace shardlab::test;

namespace {

const std::string experiments = "\n```experiment one\n{\"parallel\": {\"data\": 1, \"pipeline\": 4}}\n```\n"
                                "```experiment two like one: the other\n{\"schedule\": {\"kind\": \"gpipe\"}}\n```\n";

std::string withQuestion(const std::string& body) {
    return "# T\n```question q: What?\n" + body + "```\n" + experiments;
}
std::string withStep(const std::string& head, const std::string& body) {
    return "# T\n```step " + head + "\n" + body + "```\n" + experiments;
}

Lesson parsed(const std::string& text) {
    auto lesson = parseLesson(text, "sample");
    if (!lesson) qFatal("%s", lesson.error().text().c_str());
    return std::move(*lesson);
}

MeasuredRun measured(double bubble, std::int64_t peak = 1000) {
    MeasuredRun run;
    run.summary.stepSeconds = 1;
    run.summary.bubble = bubble;
    run.summary.ranks.resize(1);
    run.summary.ranks.front().peak = peak;
    return run;
}

std::vector<KnownExperiment> known(std::optional<double> one, std::optional<double> two) {
    std::vector<KnownExperiment> all(2);
    if (one) all[0].measured = measured(*one);
    if (two) all[1].measured = measured(*two);
    return all;
}

const std::string slider =
    "figure: two.bubble\nslider: 10 % to 90 %\nshow: timeline\nreveal: It is {{two.bubble}},\n  truly.\n";
const std::string ranges =
    "figure: two.bubble / one.bubble\nchoice up to 0.5: half\nchoice up to 0.9: less\nchoice: more\n"
    "reveal: r\n";
const std::string least = "least: bubble of one, two\nreveal: r\n";

LessonReader whoGuessed(double guess) { return {.guesses = {{"q", guess}}, .passed = {}, .done = {}}; }

QString textOf(const std::string& text) { return QString::fromStdString(text); }

}  // namespace

class LessonQuestionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void questionsAreRead() {
        const Lesson lesson = parsed(withQuestion(slider));
        const LessonQuestion& question = lesson.questions.front();
        QCOMPARE(question.name, std::string("q"));
        QCOMPARE(question.text, std::string("What?"));
        QCOMPARE(question.show, std::string("timeline"));
        QVERIFY(question.kind == QuestionKind::Slider && !question.isRatio());
        QCOMPARE(question.from, 0.1);
        QCOMPARE(question.to, 0.9);
        QCOMPARE(question.experiments, std::vector<std::size_t>{1});
        QCOMPARE(revealText(question, known({}, 0.5)), std::string("It is 50.0 %, truly."));

        const LessonQuestion ratio = parsed(withQuestion(ranges)).questions.front();
        QVERIFY(ratio.isRatio());
        QCOMPARE(ratio.choices.size(), std::size_t{3});
        QCOMPARE(ratio.valueText(0.5), std::string("0.50 ×"));

        const LessonQuestion among = parsed(withQuestion(least)).questions.front();
        QCOMPARE(among.choices[1].text, std::string("two (the other)"));
    }

    void theAnswerIsWhatRunsMeasured() {
        const LessonQuestion question = parsed(withQuestion(slider)).questions.front();
        QVERIFY(!measuredAnswer(question, known(0.3, {})));
        QCOMPARE(measuredAnswer(question, known({}, 0.3)), std::optional(0.3));
        const LessonQuestion ratio = parsed(withQuestion(ranges)).questions.front();
        QVERIFY(!measuredAnswer(ratio, known({}, 0.3)));
        QVERIFY(!measuredAnswer(ratio, known(0, 0.3)));  // divided by nothing
        QCOMPARE(unmeasured(ratio, known({}, 0.3)), std::vector<std::size_t>{0});
        QCOMPARE(rightChoice(ratio, *measuredAnswer(ratio, known(0.4, 0.1))), std::size_t{0});
        QCOMPARE(rightChoice(ratio, *measuredAnswer(ratio, known(0.4, 0.3))), std::size_t{1});
        QCOMPARE(rightChoice(ratio, *measuredAnswer(ratio, known(0.1, 0.3))), std::size_t{2});
        const LessonQuestion among = parsed(withQuestion(least)).questions.front();
        QCOMPARE(measuredAnswer(among, known(0.4, 0.3)), std::optional(1.0));
        QCOMPARE(verdict(among, 0, 1).english(), std::string("You guessed: one. The run says: two (the other)."));
        QCOMPARE(verdict(among, 1, 1).english(), std::string("You guessed right: two (the other)."));
        QCOMPARE(verdict(question, 0.3, 0.429).english(),
                 std::string("You guessed 30.0 %, measured: 42.9 %. That is 12.9 points too low."));
        QCOMPARE(verdict(question, 0.5, 0.49).english(),
                 std::string("You guessed 50.0 %, measured: 49.0 %. That is near enough."));
        QCOMPARE(verdict(ratio, 2, 0.25).english(),
                 std::string("You guessed: more. The run says: half. Measured: 0.25 ×."));
    }

    void guessesAreReadAsTheyAreTyped() {
        const LessonQuestion question = parsed(withQuestion(slider)).questions.front();
        for (const char* typed : {"30 %", "30%", " 30 ", "30.0 %"}) QCOMPARE(readGuess(question, typed).value(), 0.3);
        for (const char* typed : {"", "5 %", "95", "much", "30 ms", "-30", "nan", "1e1"}) {
            const auto guess = readGuess(question, typed);
            QVERIFY2(!guess && guess.error().legal == "10.0 % to 90.0 %", typed);
        }
        const LessonQuestion ratio = parsed(withQuestion(ranges)).questions.front();
        QCOMPARE(readGuess(ratio, "3").value(), 2.0);
        for (const char* typed : {"0", "4", "half", "1.5", "", "99999999999999999999"})
            QCOMPARE(readGuess(ratio, typed).error().legal, std::string("1 to 3"));
        QCOMPARE(readGuess(parsed(withQuestion(least)).questions.front(), "3").error().legal, std::string("1 or 2"));
        const auto bytes = parsed(withQuestion("figure: one.peak_memory\nslider: 1 KiB to 2 MiB\nreveal: r\n"));
        QCOMPARE(readGuess(bytes.questions.front(), "1 MiB").value(), 1048576.0);
        const auto seconds = parsed(withQuestion("figure: one.step_time\nslider: 0 s to 5 ms\nreveal: r\n"));
        QCOMPARE(readGuess(seconds.questions.front(), "20 µs").value(), 20e-6);
    }

    /// Whatever is guessed and measured: the verdict says on which side the guess lies, and the picture shows both.
    void anyGuessIsToldAndDrawn() {
        std::mt19937_64 random(freshSeed());
        std::uniform_real_distribution<double> share(0.1, 0.9);
        const Lesson lesson = parsed(withQuestion(slider));
        const LessonQuestion& question = lesson.questions.front();
        for (int draw = 0; draw < 200; ++draw) {
            const double guess = share(random), answer = share(random);
            const QString said = textOf(verdict(question, guess, answer).english());
            QVERIFY2(said.contains(guess < answer ? "too low" : "too high") || said.contains("near enough"),
                     qPrintable(said));
            QVERIFY(said.contains("near enough") == (std::abs(guess - answer) <= 0.03 * 0.8));
            const auto picture = guessPicture(lesson, question, known({}, answer), whoGuessed(guess), {});
            QVERIFY(picture);
            QXmlStreamReader xml(textOf(picture->svg));
            double bar = -1, line = -1, value = -1;
            while (!xml.atEnd()) {
                xml.readNext();
                if (!xml.isStartElement()) continue;
                if (xml.name() == QLatin1String("rect"))
                    bar = xml.attributes().value("x").toDouble() + xml.attributes().value("width").toDouble();
                if (xml.name() == QLatin1String("line")) line = xml.attributes().value("x1").toDouble();
                if (xml.name() == QLatin1String("text") && xml.attributes().value("text-anchor") == u"start" &&
                    value < 0)
                    value = xml.attributes().value("x").toDouble();
            }
            QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
            QVERIFY2(bar >= 0 && line >= 0, picture->svg.c_str());
            if (std::abs(guess - answer) > 0.01) QCOMPARE(line < bar, guess < answer);
            // The line of the guess once crossed the value.
            const QString written = textOf(question.valueText(answer));
            QVERIFY2(value >= 0 && (line < value - 2 || line > value + 7 * static_cast<double>(written.size())),
                     picture->svg.c_str());
            QVERIFY(picture->words.find(question.guessText(guess)) != std::string::npos);
        }
        QVERIFY(!guessPicture(lesson, question, known(0.3, {}), whoGuessed(0.3), {}));  // of another experiment alone
        const Lesson among = parsed(withQuestion(least));
        const auto picture = guessPicture(among, among.questions.front(), known(0.3, 0.2), whoGuessed(0), {});
        QVERIFY(picture && textOf(picture->svg).count("your guess") == 1);
        // Behind the longest bar the words once stood on its value.
        const QRegularExpression bar(QStringLiteral("<rect x=\"(\\d+)\"[^>]* width=\"([\\d.]+)\" height=\"14\""));
        const QRegularExpressionMatch longest = bar.match(textOf(picture->svg));
        constexpr int letter = 8, valueLetters = 7, wordLetters = 10;
        QVERIFY(longest.captured(1).toDouble() + longest.captured(2).toDouble() +
                    (valueLetters + wordLetters) * letter <
                picture->width);
    }

    /// Beside the answer to one question, the picture once showed those that others still asked for.
    void aPictureKeepsBackWhatOthersAsk() {
        const Lesson lesson =
            parsed(withQuestion(slider) + "```question r: And the other?\nfigure: one.bubble\nslider: 10 % to 90 %\n"
                                          "reveal: r\n```\n");
        LessonReader reader = whoGuessed(0.3);
        const auto words = [&] {
            return textOf(guessPicture(lesson, lesson.questions.front(), known(0.123, 0.456), reader, {})->words);
        };
        QVERIFY2(words().contains("45.6 %") && !words().contains("12.3 %"), qPrintable(words()));
        reader.passed.insert("r");
        QVERIFY2(words().contains("45.6 %") && words().contains("12.3 %"), qPrintable(words()));
    }

    void whatIsAskedIsHiddenUntilItIsGuessed() {
        const Lesson lesson =
            parsed(withQuestion(slider) + "Text {{two.bubble}} {{two.bubble.theory}} {{one.bubble}}.\n");
        std::vector<KnownExperiment> all = known(0.2, 0.4);
        for (std::size_t index = 0; index < 2; ++index)
            all[index].planned = *planRun(lesson.experiments[index].layout, {});
        const auto shown = [&](const LessonReader* reader) {
            return textOf(lessonText(
                lesson, all, [](const LessonBlock&) { return std::string(); }, reader));
        };
        QVERIFY(shown(nullptr).contains("Text 40.0 % "));
        LessonReader reader;
        QVERIFY2(shown(&reader).contains("Text ? ? 20.0 %."), qPrintable(shown(&reader)));
        reader.guesses["q"] = 0.3;
        QVERIFY2(shown(&reader).contains("Text 40.0 % (guessed 30.0 %) "), qPrintable(shown(&reader)));
        QVERIFY(!shown(&reader).contains("?"));
        const LessonReader passed = allPassed(lesson, {});
        QVERIFY(shown(&passed).contains("Text 40.0 % ") && !shown(&passed).contains("guessed"));
    }

    void stepsAreDoneWhenTheLayoutShowsIt() {
        const Lesson lesson = parsed(withStep("s in two: Set [micro](show:/batch/micro).",
                                              "when: /batch/micro = 1\nwhen: /schedule/kind != 1f1b\nthen: t\n"));
        const LessonStep& step = lesson.steps.front();
        const auto all = known({}, {});
        Layout layout = lesson.experiments[1].layout;
        QVERIFY(!isDone(step, layout, {}, all));
        layout.batch.micro = 1;
        QVERIFY(isDone(step, layout, {}, all));
        layout.schedule.kind = "1f1b";
        QVERIFY(!isDone(step, layout, {}, all));
        layout = lesson.experiments[0].layout;  // of the other experiment
        layout.schedule.kind = "gpipe";
        layout.batch.micro = 1;
        QVERIFY(!isDone(step, layout, {}, all));

        const Lesson refused = parsed(withStep("s: Ask for three.", "when: fault /parallel/pipeline\nwhen: ran one\n"));
        layout.parallel.pipeline = 3;
        layout.model.layers = 8;
        const auto faults = check(layout, scheduleMethods());
        QVERIFY(std::ranges::find(faults, std::string("/parallel/pipeline"), &Fault::pointer) != faults.end());
        QVERIFY(!isDone(refused.steps.front(), layout, faults, known({}, 0.1)));
        QVERIFY(!isDone(refused.steps.front(), layout, {}, known(0.1, {})));
        QVERIFY(isDone(refused.steps.front(), layout, faults, known(0.1, {})));
    }

    void numbersAreCompared_data() {
        QTest::addColumn<QString>("condition");
        QTest::addColumn<bool>("holds");
        QTest::newRow("=") << "/batch/micro = 2" << true;
        QTest::newRow("= no") << "/batch/micro = 3" << false;
        QTest::newRow("<") << "/batch/micro < 3" << true;
        QTest::newRow("<=") << "/batch/micro <= 1" << false;
        QTest::newRow(">") << "/batch/micro > 2" << false;
        QTest::newRow(">=") << "/batch/micro >= 2" << true;
        QTest::newRow("!=") << "/batch/micro != 2" << false;
        QTest::newRow("word") << "/schedule/kind = gpipe" << true;
        QTest::newRow("quoted") << "/schedule/kind = \"gpipe\"" << true;
        QTest::newRow("no number") << "/schedule/kind > 3" << false;
        QTest::newRow("list") << "/schedule/stages = [1, 2, 3]" << false;
        QTest::newRow("true") << "/parallel/sequence = true" << false;
        QTest::newRow("absent") << "/cluster/pace/step_seconds = 1" << false;
    }
    void numbersAreCompared() {
        QFETCH(QString, condition);
        QFETCH(bool, holds);
        LessonStep step;
        const auto read = readCondition(condition.toStdString());
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        step.conditions.push_back(*read);
        Layout layout;
        layout.batch.micro = 2;
        layout.schedule.kind = "gpipe";
        layout.cluster.pace.reset();
        QCOMPARE(isDone(step, layout, {}, {}), holds);
    }

    void damagedOnesAreRefusedByLine_data() {
        QTest::addColumn<QString>("lesson");
        QTest::addColumn<int>("line");
        QTest::addColumn<QString>("says");
        const auto add = [](const char* name, const std::string& lesson, int line, const char* says) {
            QTest::newRow(name) << textOf(lesson) << line << QString::fromUtf8(says);
        };
        const std::string reveal = "reveal: r\n";
        add("no name", "# T\n```question : What?\n" + slider + "```\n" + experiments, 2, "no name");
        add("odd name", "# T\n```question A b: What?\n" + slider + "```\n" + experiments, 2, "no name");
        add("no text", "# T\n```question q:\n" + slider + "```\n" + experiments, 2, "no text");
        add("open", "# T\n```question q: What?\n" + slider, 2, "no end");
        add("twice", withQuestion(slider) + "```question q: Again?\n" + slider + "```\n", 16, "one name");
        add("nothing", withQuestion(reveal), 2, "is to be guessed");
        add("two things", withQuestion(slider + "least: bubble of one, two\n"), 2, "is to be guessed");
        add("no reveal", withQuestion(least.substr(0, least.find('\n') + 1)), 2, "no reveal");
        add("unknown key", withQuestion("figre: one.bubble\n"), 3, "did you mean figure?");
        add("no colon", withQuestion("figure one.bubble\n"), 3, "says nothing");
        add("key twice", withQuestion(slider + reveal), 8, "twice");
        add("of none", withQuestion("figure: three.bubble\nslider: 0 % to 1 %\n" + reveal), 3, "of no experiment");
        add("no figure", withQuestion("figure: one.buble\nslider: 0 % to 1 %\n" + reveal), 3, "did you mean bubble?");
        add("empty figure", withQuestion("figure:\nslider: 0 % to 1 %\n" + reveal), 3, "no figure");
        add("predicted", withQuestion("figure: one.bubble.predicted\nslider: 0 % to 1 %\n" + reveal), 3,
            "what is measured");
        add("not measured", withQuestion("figure: one.parameters\nslider: 0 to 1\n" + reveal), 3, "no run measures");
        add("two figures", withQuestion("figure: one.bubble / two.step_time\nslider: 0 to 1\n" + reveal), 3,
            "of one kind");
        add("no range", withQuestion("figure: one.bubble\nslider: 50 %\n" + reveal), 4, "no range");
        add("no unit", withQuestion("figure: one.bubble\nslider: 0 to 1\n" + reveal), 4, "0 to 30 %");
        add("backwards", withQuestion("figure: one.bubble\nslider: 9 % to 1 %\n" + reveal), 4, "the smaller first");
        add("one choice", withQuestion("figure: one.bubble\nchoice: all\n" + reveal), 2, "do not cover");
        add("bounded", withQuestion("figure: one.bubble\nchoice up to 1 %: a\nchoice up to 2 %: b\n" + reveal), 2,
            "do not cover");
        add("bounds fall", withQuestion("figure: one.bubble\nchoice up to 2 %: a\nchoice up to 1 %: b\n" + reveal), 5,
            "covers nothing");
        add("no bound", withQuestion("figure: one.bubble\nchoice up to much: a\nchoice: b\n" + reveal), 4, "no bound");
        add("silent choice", withQuestion("figure: one.bubble\nchoice up to 1 %:\nchoice: b\n" + reveal), 4,
            "says nothing");
        add("one to choose", withQuestion("least: bubble of one\n" + reveal), 3, "nothing to choose from");
        add("chosen twice", withQuestion("most: bubble of one, one\n" + reveal), 3, "stands twice");
        add("choose none", withQuestion("most: bubble of one, three\n" + reveal), 3, "of no experiment");
        add("odd view", withQuestion(least + "show: Time line\n"), 5, "no view");
        add("reveal of none", withQuestion("least: bubble of one, two\nreveal: {{three.bubble}}\n"), 4,
            "of no experiment");
        add("open reveal", withQuestion("least: bubble of one, two\nreveal: {{one.bubble\n"), 4, "no end");
        add("step without when", withStep("s: Do it.", "then: t\n"), 2, "nothing tells");
        add("step in none", withStep("s in three: Do it.", "when: ran one\n"), 2, "in no experiment");
        add("step head", withStep("s on one: Do it.", "when: ran one\n"), 2, "no name or no text");
        add("ran none", withStep("s: Do it.", "when: ran three\n"), 3, "waits for no experiment");
        add("no field", withStep("s: Do it.", "when: /batch/mikro = 1\n"), 3, "did you mean /batch/micro?");
        add("no condition", withStep("s: Do it.", "when: /batch/micro is 1\n"), 3, "no condition");
        add("no value", withStep("s: Do it.", "when: /batch/micro =\n"), 3, "no condition");
    }
    void damagedOnesAreRefusedByLine() {
        QFETCH(QString, lesson);
        QFETCH(int, line);
        QFETCH(QString, says);
        const auto read = parseLesson(lesson.toStdString(), "sample");
        QVERIFY2(!read, "it was read");
        const QString error = textOf(read.error().text());
        QVERIFY2(error.contains(QStringLiteral("(sample, line %1)").arg(line)), qPrintable(error));
        QVERIFY2(error.contains(says), qPrintable(error));
    }

    void aTextIsCutIntoIdeas() {
        const auto cut =
            ideas("# Title\n\nFirst,\nin two lines.\n\n    a = b\n\nSecond.\n\n- x\n- y\n\n| a |\n|---|\n| b |\n"
                  "\n## Next\n\n| c |\n|---|\n| d |\n\n```\none\n\ntwo\n```\n");
        const std::vector<std::string> expected{"# Title\n\nFirst,\nin two lines.\n\n    a = b\n",
                                                "Second.\n\n- x\n- y\n", "| a |\n|---|\n| b |\n",
                                                "## Next\n\n| c |\n|---|\n| d |\n\n```\none\n\ntwo\n```\n"};
        QCOMPARE(cut, expected);
        QVERIFY(ideas(" \n\n").empty());
        // A screen once began with "and each rank has a summand": the sentence goes on behind its formula.
        for (const std::string text :
             {"The sum over\n\n    a + b\n\nranks is c.\n", "也就是，\n\n    a + b\n\n其中 a 是 b。\n",
              "Both are sent,\n\n```\na\n```\n\nA and B.\n"})
            QCOMPARE(ideas(text), std::vector<std::string>{text});
        QCOMPARE(ideas("It is\n\n    a\n\nSo b is.\n").size(), std::size_t{2});
    }

    void linksOfTheDesktopAreTextElsewhere() {
        const std::string text = "Set [micro](show:/batch/micro), see [x](a.md) and [the timeline](show:timeline).";
        QCOMPARE(withoutShowLinks(text), std::string("Set micro, see [x](a.md) and the timeline."));
        QCOMPARE(showLinks(text), (std::vector<std::string>{"/batch/micro", "timeline"}));
        QCOMPARE(withoutShowLinks("](show:a [b](show:c"), std::string("](show:a [b](show:c"));
    }

    void markdownBecomesHtml() {
        QCOMPARE(htmlOf("# A `b` *c*\n"), std::string("<h1>A <code>b</code> <i>c</i></h1>\n"));
        QCOMPARE(inlineHtml("**a < b** & 2 * 3 * 4 `x*y` [w](https://a.b) [t](show:t)"),
                 std::string("<b>a &lt; b</b> &amp; 2 * 3 * 4 <code>x*y</code> <a href=\"https://a.b\">w</a> t"));
        QCOMPARE(htmlOf("| a | b |\n|---|---|\n| 1 | |\n"),
                 std::string("<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td></td></tr>\n</table>\n"));
        const QString html = textOf(htmlOf("one\ntwo\n\n    x < y\n\n1. p\n   q\n2. r\n"));
        QCOMPARE(html, QString("<p>one\ntwo</p>\n<pre>x &lt; y\n</pre>\n<ol>\n<li>p\nq</li>\n<li>r</li>\n</ol>\n"));
    }

    void aHandoutHasRoomOrTheMeasuredFigures() {
        const Lesson lesson = parsed(withQuestion(slider));
        const QString blank = textOf(handout(lesson, known({}, {}), {}));
        QVERIFY(blank.contains("Between 10.0 % and 90.0 %: ____") && blank.contains("Measured: ____"));
        QVERIFY(!blank.contains("<img"));
        LessonReader reader;
        reader.guesses["q"] = 0.3;
        const QString filled = textOf(handout(lesson, known({}, 0.5), reader));
        QVERIFY2(filled.contains("You guessed 30.0 %, measured: 50.0 %.") && filled.contains("It is 50.0 %, truly.") &&
                     filled.contains("<img src=\"data:image/svg+xml"),
                 qPrintable(filled));
    }

    /// Raw JSON once stood there.
    void aHandoutTellsItsExperimentsInWords() {
        const QString page = textOf(handout(parsed(withQuestion(slider)), known({}, {}), {}));
        QVERIFY2(page.contains("gpt of 4 layers, 128 wide; 4 ranks") &&
                     page.contains("like one, but Schedule gpipe instead of 1f1b"),
                 qPrintable(page));
        QVERIFY(!page.contains("gpipe\"") && !page.contains("&quot;"));
    }

    /// What a handout says beside its lesson, which here has no letter, once was English in every language.
    void aHandoutSpeaksTheLanguageOfLessons() {
        const std::string before(language());
        chooseLanguage("zh_CN");
        std::string lesson = withQuestion(slider) + "\n```step s in two: 1\nwhen: ran one\n```\n";
        const QString page = textOf(handout(parsed(lesson), known({}, {}), {}));
        chooseLanguage(before);
        QVERIFY2(page.contains("lang=\"zh-CN\""), qPrintable(page.left(200)));
        for (const char* english :
             {"Experiment", "Guess.", "Between", "Measured", "In Design", "not run", "but ", "Figures"})
            QVERIFY2(!page.contains(english), english);
        for (const char* chinese : {"实验 one", "猜一猜", "在 10.0 % 与 90.0 % 之间：____", "实测：____", "未运行"})
            QVERIFY2(page.contains(chinese), chinese);
    }
};

QTEST_GUILESS_MAIN(LessonQuestionTest)
#include "lesson_question_test.moc"
