// SPDX-License-Identifier: Apache-2.0
// What-ifs of lessons: what is read of them, that formulas are computed as they are read, and that every position of
// every lesson's sliders has an answer.
#include "engine/launch/lesson/handout.h"
#include "engine/launch/lesson/lesson.h"
#include "engine/launch/lesson/what_if_picture.h"
#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

using namespace shardlab::test;

namespace {

const std::string head = "# T\n```experiment a\n{\"model\": {\"layers\": 8}, \"parallel\": {\"data\": 1, \"pipeline\": "
                         "4},\n \"cluster\": {\"pace\": {\"device\": \"h100-sxm\"}}, \"schedule\": {\"kind\": "
                         "\"gpipe\"},\n \"batch\": {\"global\": 8, \"micro\": 2}}\n```\n";

Result<Lesson> lessonWith(const std::string& body, const std::string& of = " in a") {
    return parseLesson(head + "```what-if w" + of + ": What if?\n" + body + "```\n", "sample");
}

/// A random formula, and what it comes to with every symbol 1; `depth` bounds its brackets.
struct RandomFormula {
    std::mt19937_64& random;

    int pick(int most) { return std::uniform_int_distribution(0, most)(random); }

    std::pair<std::string, double> atom(int depth) {
        const int kind = pick(depth > 0 ? 5 : 1);
        if (kind == 0) return {"p", 1};
        if (kind == 1) {
            const int number = 1 + pick(8);
            return {std::to_string(number), number};
        }
        const auto [inner, value] = sum(depth - 1);
        if (kind == 2) return {"(" + inner + ")", value};
        if (kind == 3) return {"⌈" + inner + "⌉", std::ceil(value)};
        if (kind == 4) return {"⌊" + inner + "⌋", std::floor(value)};
        const auto [other, second] = sum(depth - 1);
        return {"min(" + inner + ", " + other + ")", std::min(value, second)};
    }

    std::pair<std::string, double> term(int depth) {
        auto [text, value] = atom(depth);
        for (int more = pick(2); more > 0; --more) {
            const auto [next, factor] = atom(depth);
            text += " · " + next;
            value *= factor;
        }
        if (pick(2) == 0) {
            const auto [below, divisor] = atom(depth);
            if (divisor != 0) return {text + " / " + below, value / divisor};
        }
        return {text, value};
    }

    std::pair<std::string, double> sum(int depth) {
        auto [text, value] = term(depth);
        for (int more = pick(2); more > 0; --more) {
            const bool minus = pick(1) == 0;
            const auto [next, summand] = term(depth);
            text += (minus ? " − " : " + ") + next;
            value += minus ? -summand : summand;
        }
        return {text, value};
    }
};

PlannedRun plannedOf(const Lesson& lesson) { return *planRun(lesson.experiments.front().layout, {}); }

template <class Visit>
void everyPosition(const LessonWhatIf& whatIf, const Visit& visit) {
    WhatIfPosition at(whatIf.sliders.size(), 0);
    while (true) {
        visit(at);
        std::size_t index = 0;
        while (index < at.size() && ++at[index] == whatIf.sliders[index].values.size()) at[index++] = 0;
        if (index == at.size()) return;
    }
}

}  // namespace

class WhatIfTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aWhatIfIsRead() {
        const auto lesson = lessonWith("layout: {\"batch\":\n  {\"global\": 16}}\n"
                                       "slider: /batch/global 8 to 32 by 8\n"
                                       "slider: /parallel/zero\n"
                                       "draw: timeline\nfigure: bubble\nformula: bubble = (p−1)/(m+p−1)\n"
                                       "say: {{microbatches}} of them, {{bubble.theory}}.\n");
        QVERIFY2(lesson, lesson ? "" : lesson.error().text().c_str());
        const LessonWhatIf& whatIf = lesson->whatIfs.front();
        QCOMPARE(whatIf.sliders.size(), std::size_t{2});
        QCOMPARE(whatIf.sliders[0].values, (std::vector<std::string>{"8", "16", "24", "32"}));
        QCOMPARE(whatIf.start(), (WhatIfPosition{1, 0}));  // of the layout itself
        QCOMPARE(whatIf.sliders[1].values.front(), std::string("0"));
        QCOMPARE(whatIf.layout.name, lesson->experiments[0].layout.name);
        WhatIfPlanner planner(whatIf);
        const WhatIfAnswer answer = planner.answer({3, 0});
        QVERIFY(answer.planned);
        const std::string text = whatIfText(whatIf, answer);
        QCOMPARE(text, std::string("    bubble = (p−1)/(m+p−1) = (4−1)/(16+4−1) = 15.8 %\n\n"
                                   "16 of them, 15.8 %.\n"));
        QCOMPARE(positionWords(whatIf, {3, 0}).english(), std::string("Global batch 32 samples, ZeRO 0"));
    }

    void damagedOnesAreRefused_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("what");
        const QString slider = QStringLiteral("slider: /batch/global 8, 16\n"),
                      draw = QStringLiteral("draw: timeline\n");
        QTest::newRow("no slider") << draw << "line 7"
                                   << "one slider or two";
        QTest::newRow("three sliders") << slider + slider + slider + draw << "line 7"
                                       << "one slider or two";
        QTest::newRow("no field") << "slider: /batch/globl 8, 16\n" + draw << "line 8"
                                  << "no such field";
        QTest::newRow("one place") << "slider: /batch/global 8\n" + draw << "line 8"
                                   << "no places";
        QTest::newRow("backwards") << "slider: /batch/global 8 to 2\n" + draw << "line 8"
                                   << "no places";
        QTest::newRow("too many") << "slider: /batch/global 1 to 99\n" + draw << "line 8"
                                  << "no places";
        QTest::newRow("unbounded") << "slider: /batch/global\n" + draw << "line 8"
                                   << "no places";
        QTest::newRow("no such value") << "slider: /batch/global 8, many\n" + draw << "line 8"
                                       << "cannot have";
        QTest::newRow("without the start") << "slider: /batch/global 16, 32\n" + draw << "line 8"
                                           << "starts from";
        QTest::newRow("the start twice") << "slider: /batch/global 8, 8\n" + draw << "line 8"
                                         << "starts from";
        QTest::newRow("draws nothing") << slider << "line 7"
                                       << "draws nothing";
        QTest::newRow("draws anything") << slider + "draw: picture\n"
                                        << "line 9"
                                        << "draws nothing";
        QTest::newRow("curve of nothing") << slider + "draw: curve\n"
                                          << "line 7"
                                          << "no figure";
        QTest::newRow("no figure") << slider + draw + "figure: bubbl\n"
                                   << "line 10"
                                   << "did you mean bubble?";
        QTest::newRow("measured") << slider + draw + "figure: last_loss\n"
                                  << "line 10"
                                  << "no plan tells";
        QTest::newRow("figure of an experiment") << slider + draw + "say: {{a.bubble}}\n"
                                                 << "line 10"
                                                 << "no such figure";
        QTest::newRow("formula") << slider + draw + "formula: bubble\n"
                                 << "line 10"
                                 << "no formula";
        QTest::newRow("illegal start") << "layout: {\"parallel\": {\"pipeline\": 3}}\n" + slider + draw << "line 8"
                                       << "/parallel/pipeline";
        QTest::newRow("no devices") << "layout: {\"cluster\": {\"pace\": null}}\n" + slider + draw << "line 7"
                                    << "models no devices";
        QTest::newRow("unknown line") << slider + draw + "shows: timeline\n"
                                      << "line 10"
                                      << "says nothing";
    }

    void damagedOnesAreRefused() {
        QFETCH(QString, body);
        QFETCH(QString, line);
        QFETCH(QString, what);
        const auto lesson = lessonWith(body.toStdString());
        QVERIFY(!lesson);
        const QString error = QString::fromStdString(lesson.error().text());
        QVERIFY2(error.contains(QStringLiteral("sample, ") + line), qPrintable(error));
        QVERIFY2(error.contains(what), qPrintable(error));
        const auto other = lessonWith("slider: /batch/global 8, 16\ndraw: timeline\n", " in b");
        QVERIFY(!other && other.error().text().find("no experiment") != std::string::npos);
    }

    void formulasAreComputedAsTheyAreRead() {
        const auto lesson = lessonWith("slider: /batch/global 8, 16\ndraw: timeline\n");
        QVERIFY2(lesson, lesson ? "" : lesson.error().text().c_str());
        const PlannedRun run = plannedOf(*lesson);  // p = 4, m = 4, L = 8
        for (const auto& [text, value] : {std::pair<std::string, double>{"x = (p−1)/(m+p−1)", 3.0 / 7},
                                          {"x = 2(m-1)/m · 4p", 24},
                                          {"x = 2 × m² + 1", 33},
                                          {"x = ⌈m/3⌉ + ⌊m/3⌋", 3},
                                          {"x = min(m, L) + max(m, L)", 12},
                                          {"x = L / p", 2},
                                          {"x = 1 + m/8", 1.5},
                                          {"x = 1 − 1 − 1", -1},
                                          {"x = (1 + m)/5 + 1", 2},
                                          {"x = ⌈1.25·L/4⌉", 3}}) {
            const auto formula = LessonFormula::of(text);
            QVERIFY2(formula, text.c_str());
            QVERIFY2(std::abs(formula->value(run) - value) < 1e-12,
                     (text + ": " + std::to_string(formula->value(run))).c_str());
        }
        QCOMPARE(LessonFormula::of("x = 2(m−1)/m · 4p")->withNumbers(run), std::string("2(4−1)/4 · 4·4"));
        // Set as mathematics each of these reads as something else than what its signs mean.
        for (const std::string text : {"x = 1/m·p", "x = m+p/2", "x = m/p+1", "x = 1/2p", "x = 1/m/p"})
            QVERIFY2(!LessonFormula::of(text), text.c_str());
        for (const std::string text : {"x", "x =", "x = ", " = 1", "x = (m", "x = m)", "x = q", "x = m +", "x = min(m)",
                                       "x = ·m", "x = ⌈m", "x = m n 1 /"})
            QVERIFY2(!LessonFormula::of(text), text.c_str());
        QVERIFY(!LessonFormula::of("x = " + std::string(300, '(')));
    }

    void randomFormulasComeToWhatTheyWereMadeOf() {
        std::mt19937_64 random(freshSeed());
        const auto lesson = lessonWith("layout: {\"parallel\": {\"pipeline\": 1}}\nslider: /batch/global 8, 16\n"
                                       "draw: timeline\n");
        QVERIFY2(lesson, lesson ? "" : lesson.error().text().c_str());
        const PlannedRun run = *planRun(lesson->whatIfs.front().layout, {});  // p = 1
        int read = 0;
        for (int number = 0; number < 300; ++number) {
            const auto [text, value] = RandomFormula{random}.sum(2);
            if (text.size() > 190) continue;
            const auto formula = LessonFormula::of("x = " + text);
            QVERIFY2(formula, (text + ": " + (formula ? "" : formula.error().text())).c_str());
            const double computed = formula->value(run);
            QVERIFY2(computed == value || std::abs(computed - value) < 1e-9 * (1 + std::abs(value)) ||
                         (!std::isfinite(computed) && !std::isfinite(value)),
                     (text + ": " + std::to_string(computed) + ", not " + std::to_string(value)).c_str());
            ++read;
        }
        QVERIFY(read > 30);
    }

    /// Each position of each lesson has a picture and numbers, or says which legal one is nearest.
    void everyPositionOfEveryLessonAnswers() {
        const auto all = lessons();
        QVERIFY2(all, all ? "" : all.error().text().c_str());
        int whatIfs = 0, legal = 0, illegal = 0;
        for (const Lesson& lesson : *all)
            for (const LessonWhatIf& whatIf : lesson.whatIfs) {
                ++whatIfs;
                const std::string of = lesson.name + " " + whatIf.name + " ";
                WhatIfPlanner planner(whatIf);
                QVERIFY2(planner.answer(whatIf.start()).faults.empty(), of.c_str());
                everyPosition(whatIf, [&](const WhatIfPosition& at) {
                    const WhatIfAnswer answer = planner.answer(at);
                    const std::string where = of + positionWords(whatIf, at).english();
                    if (!answer.faults.empty()) {
                        ++illegal;
                        QVERIFY2(check(layoutAt(whatIf, answer.nearest), scheduleMethods()).empty(), where.c_str());
                        QVERIFY2(refusalWords(whatIf, answer).english().find("Nearest legal: ") != std::string::npos,
                                 where.c_str());
                        return;
                    }
                    ++legal;
                    QCOMPARE(answer.nearest, at);
                    const LessonPicture picture = whatIfPicture(whatIf, answer, {});
                    QVERIFY2(picture.svg.ends_with("</svg>\n") && picture.height > 40, where.c_str());
                    QVERIFY2(picture.svg.find("nan") == std::string::npos && picture.svg.size() < 400'000,
                             where.c_str());
                    QVERIFY2(whatIfTable(whatIf, answer).size() >= 2, where.c_str());
                    QVERIFY2(whatIfText(whatIf, answer).find("{{") == std::string::npos, where.c_str());
                });
                // Something changes with each slider, or nobody would have to move it.
                for (std::size_t index = 0; index < whatIf.sliders.size(); ++index) {
                    WhatIfPosition at = whatIf.start();
                    const std::string first = whatIfText(whatIf, planner.answer(at));
                    bool other = false;
                    for (at[index] = 0; at[index] < whatIf.sliders[index].values.size(); ++at[index])
                        if (const WhatIfAnswer answer = planner.answer(at); answer.faults.empty())
                            other |= whatIfText(whatIf, answer) != first;
                    QVERIFY2(other, (of + sliderLabel(whatIf.sliders[index]).english()).c_str());
                }
            }
        QVERIFY(whatIfs >= 9);
        QVERIFY(legal > 250 && illegal > 20);
    }

    /// The picture says what the planner says.
    void picturesAgreeWithThePlan() {
        const auto all = lessons();
        QVERIFY2(all, all ? "" : all.error().text().c_str());
        for (const Lesson& lesson : *all)
            for (const LessonWhatIf& whatIf : lesson.whatIfs) {
                WhatIfPlanner planner(whatIf);
                everyPosition(whatIf, [&](const WhatIfPosition& at) {
                    const WhatIfAnswer answer = planner.answer(at);
                    if (!answer.planned) return;
                    const Plan& plan = answer.planned->plan;
                    const std::string where = lesson.name + " " + positionWords(whatIf, at).english();
                    if (whatIf.drawing == WhatIfDrawing::Timeline) {
                        double idle = 0, ranks = 0;
                        for (const WhatIfRow& row : answer.rows) {
                            const auto count = static_cast<double>(row.ranks.size());
                            idle += count * row.idleSeconds / (row.idleSeconds + row.busySeconds);
                            ranks += count;
                        }
                        QVERIFY2(std::abs(idle / ranks - plan.bubble) < 1e-6,
                                 (where + ": " + std::to_string(idle / ranks) + ", plan " + std::to_string(plan.bubble))
                                     .c_str());
                    }
                    for (const WhatIfRow& row : answer.rows)
                        if (whatIf.drawing == WhatIfDrawing::Memory) {
                            const auto& rank = plan.memory[static_cast<std::size_t>(row.ranks.front())];
                            QVERIFY2(total(row.memory) == rank.peak, where.c_str());
                        }
                    if (answer.fall) QVERIFY(std::abs(answer.fall->stepSeconds - plan.stepSeconds) < 1e-12);
                    if (whatIf.formula && whatIf.figure && whatIf.figure->theory)
                        QVERIFY2(std::abs(whatIf.formula->value(*answer.planned) - plan.bubbleTheory) < 1e-9,
                                 (where + ": " + std::to_string(plan.bubbleTheory)).c_str());
                    if (whatIf.drawing == WhatIfDrawing::Curve)
                        QCOMPARE(*answer.curve[at.front()], *whatIf.figure->predicted(*answer.planned));
                });
            }
    }

    /// The nearest legal position is found among all of them.
    void theNearestLegalPositionIsNearest() {
        const auto lesson = lessonWith("slider: /batch/global 1 to 16\nslider: /parallel/pipeline 1 to 8\n"
                                       "draw: timeline\n");
        QVERIFY2(lesson, lesson ? "" : lesson.error().text().c_str());
        const LessonWhatIf& whatIf = lesson->whatIfs.front();
        const auto distance = [](const WhatIfPosition& a, const WhatIfPosition& b) {
            int steps = 0;
            for (std::size_t i = 0; i < a.size(); ++i)
                steps += std::abs(static_cast<int>(a[i]) - static_cast<int>(b[i]));
            return steps;
        };
        std::vector<WhatIfPosition> legal;
        everyPosition(whatIf, [&](const WhatIfPosition& at) {
            if (check(layoutAt(whatIf, at), scheduleMethods()).empty()) legal.push_back(at);
        });
        QVERIFY(legal.size() > 8);
        std::mt19937_64 random(freshSeed());
        for (int number = 0; number < 20; ++number) {
            const WhatIfPosition at{random() % 16, random() % 8};
            const auto nearest = std::ranges::min(legal, {}, [&](const auto& one) { return distance(one, at); });
            const WhatIfPosition found = nearestLegal(whatIf, at);
            QCOMPARE(distance(found, at), distance(nearest, at));
            QVERIFY(std::ranges::find(legal, found) != legal.end());
        }
    }

    /// On paper a what-if stands where its sliders start, as a drawing with its numbers.
    void aHandoutHasItsPicture() {
        const auto lesson = findLesson("bubble");
        QVERIFY(lesson);
        const std::vector<KnownExperiment> known(lesson->experiments.size());
        const std::string page = handout(*lesson, known, {});
        for (const std::string part : {"What if?", "data:image/svg+xml", "Global batch 8 samples, Pipeline 4 ranks",
                                       "bubble = (p−1)/(m+p−1) = (4−1)/(4+4−1) = 42.9 %", "<td>"})
            QVERIFY2(page.find(part) != std::string::npos, part.c_str());
    }
};

QTEST_GUILESS_MAIN(WhatIfTest)
#include "what_if_test.moc"
