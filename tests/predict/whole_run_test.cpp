// SPDX-License-Identifier: Apache-2.0
// Runs whose devices fail: the formula against runs that are drawn at random, the best interval against all others, and
// both against what was published of long runs.
#include "engine/predict/plan/whole_run.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <cmath>
#include <random>
#include <vector>

using namespace shardlab::test;

namespace {

constexpr double hour = 3600;

/// Seconds that `segments` pieces of work take, each with its checkpoint, where failures come as they may; and how many
/// of them passed until training went on after failures.
struct DrawnRun {
    double seconds = 0, restarting = 0;
};
DrawnRun drawnRun(const Failures& failures, double interval, int segments, std::mt19937_64& random) {
    std::exponential_distribution<double> until(1 / failures.meanSeconds);
    DrawnRun run;
    for (int done = 0; done < segments;) {
        const double segment = interval + failures.checkpointSeconds, failure = until(random);
        if (failure >= segment) {  // the next failure does not know how long ago the last one was
            run.seconds += segment;
            ++done;
            continue;
        }
        run.seconds += failure;
        for (bool again = true; again;) {
            const double next = until(random), passed = std::min(next, failures.restartSeconds);
            again = next < failures.restartSeconds;
            run.seconds += passed;
            run.restarting += passed;
        }
    }
    return run;
}

Plan planOf(int devices) {
    Layout layout;
    layout.cluster.hosts = {{"a", devices}};
    layout.cluster.pace = PaceSpec{"h100-sxm", 1};
    layout.parallel.data = devices;
    layout.parallel.pipeline = 1;
    layout.batch = {.global = devices, .micro = 1};
    auto plan = makePlan(layout);
    if (!plan) qFatal("%s", toText(plan.error().front()).c_str());
    return std::move(*plan);
}

}  // namespace

class WholeRunTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The mean of many drawn runs is the formula's, within five of its own deviations.
    void goodputIsThatOfDrawnRuns() {
        std::mt19937_64 random(freshSeed());
        std::uniform_real_distribution<double> of(0, 1);
        for (int drawn = 0; drawn < 6; ++drawn) {
            const Failures failures{1000 * (0.5 + of(random)), 5 + 60 * of(random), 200 * of(random)};
            const double interval = bestInterval(failures) * (0.3 + 3 * of(random));
            constexpr int runs = 300, segments = 40;
            double sum = 0, squares = 0, restarting = 0;
            for (int i = 0; i < runs; ++i) {
                const DrawnRun run = drawnRun(failures, interval, segments, random);
                sum += run.seconds;
                squares += run.seconds * run.seconds;
                restarting += run.restarting;
            }
            const double mean = sum / runs, deviation = std::sqrt((squares / runs - mean * mean) / runs);
            const double formula = segments * interval / timeShares(failures, interval).work;
            QVERIFY2(std::abs(mean - formula) < 5 * deviation,
                     qPrintable(QStringLiteral("%1 drawn, %2 by the formula").arg(mean).arg(formula)));
            QVERIFY(std::abs(restarting / sum - timeShares(failures, interval).restart) < 0.02);
        }
    }

    void sharesAreTheWholeTime() {
        std::mt19937_64 random(freshSeed());
        std::uniform_real_distribution<double> exponent(-3, 3);
        for (int i = 0; i < 1000; ++i) {
            const Failures failures{1000, std::pow(10, exponent(random)), std::pow(10, exponent(random))};
            const TimeShares shares = timeShares(failures, std::pow(10, exponent(random)));
            QVERIFY(std::abs(shares.work + shares.saving + shares.again + shares.restart - 1) < 1e-12);
            for (const double share : {shares.work, shares.saving, shares.again, shares.restart})
                QVERIFY(share > -1e-12 && share < 1);
        }
        const TimeShares safe = timeShares({0, 10, 100}, 90);
        QCOMPARE(safe.work, 0.9);
        QCOMPARE(safe.again + safe.restart, 0.0);
    }

    /// No interval leaves more than the best; Daly's estimate comes near, and Young's where a checkpoint is short.
    void theBestIntervalIsTheBest() {
        std::mt19937_64 random(freshSeed());
        std::uniform_real_distribution<double> exponent(-4, 0.5), factor(0.1, 5);
        for (int i = 0; i < 200; ++i) {
            const Failures failures{1e4, 1e4 * std::pow(10, exponent(random)), 100};
            const double best = bestInterval(failures), share = timeShares(failures, best).work;
            QVERIFY(best > 0 && best < failures.meanSeconds);
            for (int other = 0; other < 20; ++other)
                QVERIFY(timeShares(failures, best * factor(random)).work <= share * (1 + 1e-12));
            // The condition of the best interval, which no other fulfils.
            const double x = best / failures.meanSeconds, d = failures.checkpointSeconds / failures.meanSeconds;
            QVERIFY(std::abs(std::log1p(-x) + x + d) < 1e-9 * (1 + d) / (1 - x));
            if (d < 0.5) QVERIFY(std::abs(dalyInterval(failures) / best - 1) < 0.03);
            if (d < 1e-3) QVERIFY(std::abs(youngInterval(failures) / best - 1) < 0.03);
        }
        QCOMPARE(dalyInterval({100, 300, 0}), 100.0);
    }

    /// Llama 3 405B (arXiv 2407.21783, section 3.3.4): 419 unexpected interruptions in 54 days on 16384 GPUs, more than
    /// 90 % of the time effective; storage takes 2 TB/s (3.3.1), so that bf16 weights and fp32 master weights and
    /// moments of 405 G parameters, 14 bytes each, are saved in 3 s. It does not state how long a restart takes;
    /// MegaScale (arXiv 2402.15627, section 6.3) states less than 10 min to notice and diagnose, on about as many GPUs.
    void llama3Trains() {
        constexpr double gpus = 16384, days = 54, interruptions = 419;
        const double checkpoint = 405e9 * 14 / 2e12;
        WholeRunQuestion question{.tokens = 1,
                                  .price = 0,
                                  .failureHours = days * 24 * gpus / interruptions,
                                  .checkpointSeconds = checkpoint,
                                  .restartSeconds = 600,
                                  .interval = 0};
        const Failures failures{question.failureHours * hour / gpus, checkpoint, 600};
        QVERIFY(std::abs(failures.meanSeconds / hour - 3.09) < 0.01);
        const TimeShares shares = timeShares(failures, bestInterval(failures));
        QVERIFY2(shares.work > 0.90 && shares.work < 0.95, qPrintable(QString::number(shares.work)));
        // As many interruptions as were counted come in the time that they were counted in.
        QVERIFY(std::abs(days * 24 * hour / failures.meanSeconds - interruptions) < 1e-6);
    }

    /// MegaScale: more than 100 restarts in several weeks on more than 10 000 GPUs, of which more than 90 % trained;
    /// what a failure threw away was caught up within 15 min.
    void megaScaleTrains() {
        for (const double weeks : {3, 4, 6})
            for (const double checkpoint : {5, 30}) {
                const Failures failures{weeks * 7 * 24 * hour / 100, checkpoint, 600};
                const double interval = bestInterval(failures);
                const TimeShares shares = timeShares(failures, interval);
                QVERIFY2(shares.work > 0.90, qPrintable(QString::number(shares.work)));
                QVERIFY(interval / 2 < 15 * 60);
            }
    }

    void daysAndCostFollowFromTheStep() {
        const Plan plan = planOf(8);
        const double tokens = 1e9, perStep = static_cast<double>(tokensPerStep(plan.layout));
        const WholeRun run = wholeRun(plan, {.tokens = tokens, .price = 2});
        QCOMPARE(run.steps, std::llround(std::ceil(tokens / perStep)));
        QCOMPARE(run.seconds, static_cast<double>(run.steps) * plan.stepSeconds);
        QCOMPARE(run.deviceHours, 8 * run.seconds / hour);
        QCOMPARE(*run.cost, 2 * run.deviceHours);
        QCOMPARE(run.expectedFailures, 0.0);

        const WholeRun failing =
            wholeRun(plan, {.tokens = tokens, .failureHours = 100, .checkpointSeconds = 10, .restartSeconds = 60});
        QCOMPARE(failing.failures.meanSeconds, 100 * hour / 8);
        QCOMPARE(failing.interval, bestInterval(failing.failures));
        QVERIFY(std::abs(failing.seconds * failing.shares.work / run.seconds - 1) < 1e-12);
        QVERIFY(std::abs(failing.expectedFailures * failing.failures.meanSeconds / failing.seconds - 1) < 1e-12);

        const WholeRun never =
            wholeRun(plan, {.tokens = tokens, .failureHours = 1e-3, .checkpointSeconds = 1, .restartSeconds = 1e6});
        QVERIFY(!never.ends());
        QCOMPARE(daysText(never.seconds), std::string("for ever"));
    }

    void questionsWithoutAnAnswerSaySo() {
        QCOMPARE(faultOf({.tokens = 1e12}), std::string());
        QCOMPARE(faultOf({.tokens = 1e12, .failureHours = 5e4, .checkpointSeconds = 3}), std::string());
        QVERIFY(faultOf({.tokens = 0}).find("tokens") != std::string::npos);
        QVERIFY(faultOf({.tokens = 1e19}).find("tokens") != std::string::npos);
        QVERIFY(faultOf({.tokens = 1, .price = -1}).find("price") != std::string::npos);
        QVERIFY(faultOf({.tokens = 1, .failureHours = NAN}).find("hours") != std::string::npos);
        QVERIFY(faultOf({.tokens = 1, .failureHours = 5e4}).find("checkpoint") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(WholeRunTest)
#include "whole_run_test.moc"
