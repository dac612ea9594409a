// SPDX-License-Identifier: Apache-2.0
// Adafactor and SM3 over several steps, against their papers' formulas in double precision and against PyTorch.
#include "engine/train/optim/optimizer.h"
#include "kernels/threads.h"
#include "tests/support/named.h"
#include "tests/kernels/factored_reference.h"
#include "tests/kernels/random_inputs.h"
#include "tests/support/wings.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <cstring>

using namespace shardlab::test;
using reference::toDouble;
using reference::Values;

namespace {

/// A matrix that decays and a vector that does not, of odd sizes.
struct Weights {
    explicit Weights(RandomInputs& in)
        : rows(in.whole(1, 90)), columns(in.whole(1, 120)), length(in.whole(1, 100)), parameters(2) {
        values[0] = in.floats(std::size_t(rows) * columns);
        values[1] = in.floats(std::size_t(length));
        for (int i : {0, 1}) {
            gradients[i].resize(values[i].size());
            parameters[i].shape = i == 0 ? std::vector{rows, columns} : std::vector{length};
            parameters[i].slice.whole = parameters[i].shape;
            parameters[i].value = ArraySpan(values[i]);
            parameters[i].gradient = ArraySpan(gradients[i]);
            parameters[i].decays = i == 0;
        }
    }
    void newGradients(RandomInputs& in, float spread = 1) {
        for (auto& gradient : gradients) std::ranges::copy(in.floats(gradient.size(), spread), gradient.begin());
    }
    int rows, columns, length;
    std::vector<float> values[2];
    std::vector<float> gradients[2];
    std::vector<Parameter> parameters;
};

std::int64_t optimizerBytes(const Arena& arena) {
    return arena.used()[static_cast<std::size_t>(MemoryCategory::Optimizer)];
}

OptimizerSpec specOf(const char* kind) {
    OptimizerSpec spec;
    spec.kind = named(kind);
    spec.warmup = 0;
    spec.learningRate = 0.05;
    spec.weightDecay = 0.3;
    return spec;
}

template <class T>
void write(const QString& path, const std::vector<T>& values) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write %s", qPrintable(path));
    file.write(reinterpret_cast<const char*>(values.data()), qint64(values.size() * sizeof(T)));
}

std::vector<double> readDoubles(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read %s", qPrintable(path));
    const QByteArray bytes = file.readAll();
    std::vector<double> values(std::size_t(bytes.size()) / sizeof(double));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
    return values;
}

/// PyTorch takes the rate relative to the weights' size: that is taken out, and what is left is U ÷ max(1, RMS(U)).
constexpr const char* torchScript = R"(
import sys, torch
folder, rows, columns, length, steps = sys.argv[1], *map(int, sys.argv[2:])
elements = rows * columns + length
gradients = torch.frombuffer(bytearray(open(folder + "/gradients.bin", "rb").read()), dtype=torch.float32).double()
weights = [torch.full((rows, columns), 2.0, dtype=torch.float64), torch.full((length,), 2.0, dtype=torch.float64)]
optimizer = torch.optim.Adafactor(weights, lr=1e-2, weight_decay=0.0)
updates = []
for step in range(1, steps + 1):
    now = gradients[(step - 1) * elements : step * elements]
    weights[0].grad = now[: rows * columns].reshape(rows, columns).clone()
    weights[1].grad = now[rows * columns :].clone()
    before = [weight.clone() for weight in weights]
    optimizer.step()
    for old, new in zip(before, weights):
        rate = max(1e-3, (old.norm(2) / old.numel() ** 0.5).item()) * min(1e-2, 1 / step ** 0.5)
        updates.append(((old - new) / rate).flatten())
open(folder + "/updates.bin", "wb").write(torch.cat(updates).numpy().tobytes())
)";

}  // namespace

class FactoredOptimizersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { setKernelThreads(1); }

    void adafactor() {
        RandomInputs in;
        Weights weights(in);
        OptimizerSpec spec = specOf("adafactor");
        spec.adafactor.decayRate = 0.7;
        spec.adafactor.clipThreshold = 0.9;
        Arena arena;
        const auto optimizer = makeOptimizer({spec}, weights.parameters, arena);
        // One number a row, a column, an element of the vector; and two each for the norms.
        QCOMPARE(optimizerBytes(arena), std::int64_t(4 * (weights.rows + weights.columns + weights.length + 2 * 2)));
        reference::Adafactor wanted[2] = {{weights.rows, weights.columns, false, toDouble(weights.values[0])},
                                          {1, weights.length, true, toDouble(weights.values[1])}};
        bool clipped = false;
        for (int step = 1; step <= 8; ++step) {
            weights.newGradients(in, step % 3 == 0 ? 5 : 1);
            const float factor = step % 2 ? 1.0f : 0.5f;
            optimizer->update(weights.parameters, step, factor);
            for (int i : {0, 1}) {
                Values g = toDouble(weights.gradients[i]);
                for (double& value : g) value *= double(factor);
                wanted[i].update(g, 1 - std::pow(step, -0.7), 0.05, i == 0 ? 0.3 : 0, 0.9);
                clipped = clipped || wanted[i].clipped > 1.05;
                const double off = reference::mismatch(weights.values[i], wanted[i].w);
                QVERIFY2(off < 2e-6 * step, qPrintable(QStringLiteral("%1, %2").arg(off).arg(in.seed())));
            }
        }
        QVERIFY2(clipped, qPrintable(in.seed()));
    }

    void sm3_data() {
        QTest::addColumn<double>("momentum");
        QTest::newRow("plain") << 0.0;
        QTest::newRow("with momentum") << 0.9;
    }
    void sm3() {
        QFETCH(double, momentum);
        RandomInputs in;
        Weights weights(in);
        OptimizerSpec spec = specOf("sm3");
        spec.momentum = momentum;
        Arena arena;
        const auto optimizer = makeOptimizer({spec}, weights.parameters, arena);
        const std::size_t elements = weights.values[0].size() + weights.values[1].size();
        QCOMPARE(optimizerBytes(arena), std::int64_t(4 * (weights.rows + weights.columns + weights.length)) +
                                            (momentum == 0 ? 0 : std::int64_t(4 * elements)));
        reference::Sm3 wanted[2] = {{weights.rows, weights.columns, false, toDouble(weights.values[0])},
                                    {1, weights.length, true, toDouble(weights.values[1])}};
        for (int step = 1; step <= 8; ++step) {
            weights.newGradients(in);
            if (step < 3) weights.gradients[0][0] = 0;
            optimizer->update(weights.parameters, step, 0.5f);
            for (int i : {0, 1}) {
                Values g = toDouble(weights.gradients[i]);
                for (double& value : g) value *= 0.5;
                wanted[i].update(g, 0.05, i == 0 ? 0.3 : 0, momentum);
                const double off = reference::mismatch(weights.values[i], wanted[i].w);
                QVERIFY2(off < 2e-6 * step, qPrintable(QStringLiteral("%1, %2").arg(off).arg(in.seed())));
            }
        }
    }

    /// Gradients of nothing move nothing, and leave no 0/0.
    void withoutGradientsNothingMoves() {
        for (const char* kind : {"adafactor", "sm3"}) {
            RandomInputs in;
            Weights weights(in);
            OptimizerSpec spec = specOf(kind);
            spec.weightDecay = 0;
            Arena arena;
            const auto optimizer = makeOptimizer({spec}, weights.parameters, arena);
            const std::vector<float> before = weights.values[0];
            for (int step = 1; step <= 3; ++step) optimizer->update(weights.parameters, step, 1);
            QVERIFY(weights.values[0] == before);
        }
    }

    void adafactorUpdatesAsPyTorchDoes() {
        const QString python = qEnvironmentVariable("SHARDLAB_TORCH_PYTHON", QStringLiteral("python3"));
        if (QProcess::execute(python, {"-c", "import torch; torch.optim.Adafactor"}))
            QSKIP("no torch.optim.Adafactor for python3 (or SHARDLAB_TORCH_PYTHON): the comparison is left out");
        RandomInputs in;
        Weights weights(in);
        constexpr int steps = 6;
        std::vector<std::vector<float>> gradients[2];
        std::vector<float> all;
        for (int step = 0; step < steps; ++step) {
            weights.newGradients(in, step % 2 ? 3 : 1);
            for (int i : {0, 1}) {
                gradients[i].push_back(weights.gradients[i]);
                all.insert(all.end(), weights.gradients[i].begin(), weights.gradients[i].end());
            }
        }
        QTemporaryDir folder;
        write(folder.filePath("gradients.bin"), all);
        QProcess peer;
        peer.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        peer.start(python, {"-c", torchScript, folder.path(), QString::number(weights.rows),
                            QString::number(weights.columns), QString::number(weights.length), QString::number(steps)});
        QVERIFY(peer.waitForFinished(patience));
        QCOMPARE(peer.exitCode(), 0);
        const std::vector<double> updates = readDoubles(folder.filePath("updates.bin"));
        QCOMPARE(updates.size(), all.size());

        OptimizerSpec spec = specOf("adafactor");
        spec.learningRate = 1;
        spec.weightDecay = 0;
        Arena arena;
        const auto optimizer = makeOptimizer({spec}, weights.parameters, arena);
        auto at = updates.begin();
        for (int step = 1; step <= steps; ++step) {
            for (int i : {0, 1}) {
                std::ranges::copy(gradients[i][std::size_t(step) - 1], weights.gradients[i].begin());
                std::ranges::fill(weights.values[i], 0.0f);
            }
            optimizer->update(weights.parameters, step, 1);
            for (int i : {0, 1}) {
                Values wanted(at, at + std::ptrdiff_t(weights.values[i].size()));
                at += std::ptrdiff_t(wanted.size());
                for (double& value : wanted) value = -value;
                const double off = reference::mismatch(weights.values[i], wanted);
                QVERIFY2(off < 1e-5,
                         qPrintable(QStringLiteral("step %1: off by %2, %3").arg(step).arg(off).arg(in.seed())));
            }
        }
    }
};

QTEST_GUILESS_MAIN(FactoredOptimizersTest)
#include "factored_optimizers_test.moc"
