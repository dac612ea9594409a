// SPDX-License-Identifier: Apache-2.0
// Optimizers against their textbook formulas in double precision, over several steps.
#include "engine/train/model/models.h"
#include "engine/train/optim/gradient_norm.h"
#include "engine/train/optim/learning_rate.h"
#include "engine/train/optim/optimizers.h"
#include "tests/kernels/random_inputs.h"
#include "tests/kernels/reference.h"
#include "tests/support/named.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <map>
#include <set>
#include <span>

using namespace shardlab::test;
using reference::toDouble;
using reference::Values;

namespace {

/// Two parameters of odd sizes, of which only the first decays.
struct Pair {
    explicit Pair(RandomInputs& in)
        : values{in.floats(std::size_t(in.whole(1, 100))), in.floats(std::size_t(in.whole(1, 100)))},
          gradients{values[0], values[1]}, parameters(2) {
        for (int i : {0, 1}) {
            parameters[i].value = ArraySpan(values[i]);
            parameters[i].gradient = ArraySpan(gradients[i]);
            parameters[i].decays = i == 0;
        }
    }
    void newGradients(RandomInputs& in) {
        for (auto& gradient : gradients) std::ranges::copy(in.floats(gradient.size()), gradient.begin());
    }
    std::vector<float> values[2];
    std::vector<float> gradients[2];
    std::vector<Parameter> parameters;
};

std::int64_t optimizerBytes(const Arena& arena) {
    return arena.used()[static_cast<std::size_t>(MemoryCategory::Optimizer)];
}

}  // namespace

class OptimizerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void adamW() {
        RandomInputs in;
        Pair pair(in);
        OptimizerSpec spec;
        spec.warmup = 0;
        spec.kind = OptimizerKind::AdamW;
        spec.learningRate = 0.05;
        spec.weightDecay = 0.3;
        spec.adamw.betas = {0.8, 0.95};
        Arena arena;
        const auto optimizer = makeOptimizer({spec}, pair.parameters, arena);
        QCOMPARE(optimizerBytes(arena), std::int64_t(8 * (pair.values[0].size() + pair.values[1].size())));
        Values w[2], m[2], v[2];
        for (int i : {0, 1}) {
            w[i] = toDouble(pair.values[i]);
            m[i] = v[i] = Values(w[i].size());
        }
        for (int step = 1; step <= 8; ++step) {
            pair.newGradients(in);
            const float factor = step % 2 ? 1.0f : 0.5f;
            optimizer->update(pair.parameters, step, factor);
            for (int i : {0, 1}) {
                for (std::size_t j = 0; j < w[i].size(); ++j) {
                    const double g = double(pair.gradients[i][j]) * factor;
                    m[i][j] = 0.8 * m[i][j] + 0.2 * g;
                    v[i][j] = 0.95 * v[i][j] + 0.05 * g * g;
                    const double meanHat = m[i][j] / (1 - std::pow(0.8, step));
                    const double squareHat = v[i][j] / (1 - std::pow(0.95, step));
                    w[i][j] -= 0.05 * (meanHat / (std::sqrt(squareHat) + 1e-8) + (i == 0 ? 0.3 * w[i][j] : 0));
                }
                const double off = reference::mismatch(pair.values[i], w[i]);
                QVERIFY2(off < 1e-6 * step, qPrintable(QStringLiteral("%1, %2").arg(off).arg(in.seed())));
            }
        }
    }

    void sgd_data() {
        QTest::addColumn<double>("momentum");
        QTest::newRow("plain") << 0.0;
        QTest::newRow("with momentum") << 0.9;
    }
    void sgd() {
        QFETCH(double, momentum);
        RandomInputs in;
        Pair pair(in);
        OptimizerSpec spec;
        spec.warmup = 0;
        spec.kind = OptimizerKind::Sgd;
        spec.learningRate = 0.1;
        spec.weightDecay = 0.2;
        spec.momentum = momentum;
        Arena arena;
        const auto optimizer = makeOptimizer({spec}, pair.parameters, arena);
        const std::size_t elements = pair.values[0].size() + pair.values[1].size();
        QCOMPARE(optimizerBytes(arena), momentum == 0 ? 0 : std::int64_t(4 * elements));
        Values w[2], u[2];
        for (int i : {0, 1}) {
            w[i] = toDouble(pair.values[i]);
            u[i] = Values(w[i].size());
        }
        for (int step = 1; step <= 8; ++step) {
            pair.newGradients(in);
            optimizer->update(pair.parameters, step, 0.5f);
            for (int i : {0, 1}) {
                for (std::size_t j = 0; j < w[i].size(); ++j) {
                    u[i][j] = momentum * u[i][j] + 0.5 * pair.gradients[i][j] + (i == 0 ? 0.2 * w[i][j] : 0);
                    w[i][j] -= 0.1 * u[i][j];
                }
                const double off = reference::mismatch(pair.values[i], w[i]);
                QVERIFY2(off < 1e-6 * step, qPrintable(QStringLiteral("%1, %2").arg(off).arg(in.seed())));
            }
        }
    }

    /// By hand: r 1, m 0.2, four updates of warm-up, twelve in all.
    void learningRatesFallByTheirFormula() {
        OptimizerSpec spec;
        spec.learningRate = 1;
        spec.warmup = 4;
        spec.minimum = 0.2;
        const auto rates = [&](const char* schedule) {
            spec.schedule = named(schedule);
            std::vector<double> all;
            for (const int update : {1, 2, 4, 5, 8, 10, 12, 13}) all.push_back(learningRate(spec, update, 12));
            return all;
        };
        const double eighth = 0.2 + 0.4 * (1 + 0.92387953251128674), sixEighths = 0.2 + 0.4 * (1 - 0.70710678118654752);
        const std::map<const char*, std::vector<double>> wanted{
            {"constant", {0.25, 0.5, 1, 1, 1, 1, 1, 1}},
            {"linear", {0.25, 0.5, 1, 0.9, 0.6, 0.4, 0.2, 0.2}},
            {"cosine", {0.25, 0.5, 1, eighth, 0.6, sixEighths, 0.2, 0.2}},
        };
        for (const auto& [schedule, values] : wanted) {
            const std::vector<double> got = rates(schedule);
            for (std::size_t i = 0; i < got.size(); ++i)
                QVERIFY2(std::abs(got[i] - values[i]) < 1e-12,
                         qPrintable(QString("%1 %2: %3").arg(schedule).arg(i).arg(got[i])));
        }
        spec.schedule = RateSchedule::Cosine;
        spec.warmup = 0;
        QCOMPARE(learningRate(spec, 12, 12), 0.2);
        spec.warmup = 100;  // the run ends before
        QCOMPARE(learningRate(spec, 12, 12), 0.12);
    }

    /// Each optimizer takes the rate of its update: gradient descent's steps are that long.
    void updatesFollowTheSchedule() {
        RandomInputs in;
        for (const char* schedule : {"constant", "linear", "cosine"}) {
            Pair pair(in);
            OptimizerSpec spec;
            spec.kind = OptimizerKind::Sgd;
            spec.learningRate = 0.3;
            spec.minimum = 0.05;
            spec.warmup = 2;
            spec.schedule = named(schedule);
            spec.weightDecay = 0;
            Arena arena;
            const auto optimizer = makeOptimizer({spec, 6}, pair.parameters, arena);
            for (int update = 1; update <= 6; ++update) {
                pair.newGradients(in);
                Values wanted = toDouble(pair.values[0]);
                for (std::size_t j = 0; j < wanted.size(); ++j)
                    wanted[j] -= learningRate(spec, update, 6) * pair.gradients[0][j];
                optimizer->update(pair.parameters, update, 1);
                QVERIFY(reference::mismatch(pair.values[0], wanted) < 1e-6);
            }
        }
    }

    void gradientNormCountsATiedWeightOnce() {
        RandomInputs in;
        Pair pair(in);
        const auto device = makeCpuDevice();
        double squares[2]{};
        for (int i : {0, 1}) squares[i] = reference::dot(toDouble(pair.gradients[i]), pair.gradients[i]);
        const double both = squares[0] + squares[1];
        QVERIFY(std::abs(squaredGradientNorm(pair.parameters, *device) - both) < 1e-12 * both);
        pair.parameters[1].tied = true;
        QVERIFY(std::abs(squaredGradientNorm(pair.parameters, *device) - both) < 1e-12 * both);
        pair.parameters[1].owner = false;
        QVERIFY(std::abs(squaredGradientNorm(pair.parameters, *device) - squares[0]) < 1e-12 * both);
    }

    void clipping() {
        QCOMPARE(clipScale(25, 10), 1.0f);  // norm 5
        QCOMPARE(clipScale(25, 2), 0.4f);
        QCOMPARE(clipScale(25, 0), 1.0f);
        QCOMPARE(clipScale(0, 1), 1.0f);
    }
};

QTEST_GUILESS_MAIN(OptimizerTest)
#include "optimizer_test.moc"
