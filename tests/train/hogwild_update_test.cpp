// SPDX-License-Identifier: Apache-2.0
// The update without a lock by itself: against the device's SGD, with collisions that are forced, without any, and on a
// sparse problem whose solution is known.
#include "engine/train/parallel/hogwild.h"
#include "tests/support/seed.h"
#include "tests/train/rank_threads.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <bit>
#include <cmath>
#include <random>
#include <thread>

using namespace shardlab::test;

namespace {

using Numbers = std::vector<float>;

bool sameBits(const Numbers& a, const Numbers& b) {
    return std::ranges::equal(
        a, b, {}, [](float x) { return std::bit_cast<std::uint32_t>(x); },
        [](float x) { return std::bit_cast<std::uint32_t>(x); });
}

/// Rows of a linear system with a solution, and each row's few elements.
struct Sparse {
    struct Row {
        std::vector<std::size_t> at;
        Numbers factors;
        float wanted = 0;
    };
    std::vector<Row> rows;
    Numbers solution;
};

Sparse randomSystem(std::size_t rows, std::size_t unknowns, std::size_t each, std::mt19937& random) {
    std::normal_distribution<float> normal;
    std::uniform_int_distribution<std::size_t> place(0, unknowns - 1);
    Sparse system;
    for (std::size_t i = 0; i < unknowns; ++i) system.solution.push_back(normal(random));
    for (std::size_t r = 0; r < rows; ++r) {
        Sparse::Row row;
        row.at.push_back(r % unknowns);  // so that none is left out
        while (row.at.size() < each)
            if (const std::size_t next = place(random); std::ranges::find(row.at, next) == row.at.end())
                row.at.push_back(next);
        float squares = 0;
        for (std::size_t k = 0; k < each; ++k) {
            row.factors.push_back(normal(random));
            squares += row.factors.back() * row.factors.back();
        }
        for (std::size_t k = 0; k < each; ++k) {
            row.factors[k] /= std::sqrt(squares);
            row.wanted += row.factors[k] * system.solution[row.at[k]];
        }
        system.rows.push_back(std::move(row));
    }
    return system;
}

double distance(const Numbers& a, const Numbers& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
    return std::sqrt(sum);
}

}  // namespace

class HogwildUpdateTest : public QObject {
    Q_OBJECT

private:
    Numbers numbers(std::size_t count, double sparsity = 0) {
        std::uniform_real_distribution<float> size(0.5f, 1), share(0, 1);
        Numbers made;
        for (std::size_t i = 0; i < count; ++i) {
            const float value = size(random_) * (share(random_) < 0.5f ? -1 : 1);
            made.push_back(share(random_) < sparsity ? 0 : value);
        }
        return made;
    }
    static SgdUpdate rate(float learningRate, float scale = 1) {
        SgdUpdate update;
        update.learningRate = learningRate;
        update.gradientScale = scale;
        return update;
    }

    const unsigned seed_ = freshSeed();
    std::mt19937 random_{seed_};
    const std::unique_ptr<Device> device_ = makeCpuDevice();

private Q_SLOTS:
    void aloneItIsPlainGradientDescentToTheBit() {
        for (const std::size_t count :
             {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65}, std::size_t{10000} + seed_ % 100})
            for (const double sparsity : {0.0, 0.5, 0.995}) {
                Numbers shared = numbers(count), plain = shared;
                std::int64_t touched = 0;
                for (int update = 1; update <= 5; ++update) {
                    const Numbers gradient = numbers(count, sparsity);
                    const SgdUpdate change = rate(0.1f / float(update), update % 2 == 0 ? 0.37f : 1.0f);
                    device_->sgd(std::int64_t(count), change, gradient.data(), plain.data(), nullptr, nullptr);
                    const LockFreeUpdate done = updateWithoutLock(shared, gradient, change, *device_);
                    touched = std::ranges::count_if(gradient, [](float g) { return g != 0; });
                    QCOMPARE(done.written, touched);
                    QCOMPARE(done.overwritten, 0);
                }
                QVERIFY2(sameBits(shared, plain), qPrintable(QString("seed %1, %2 elements").arg(seed_).arg(count)));
            }
    }

    /// Between the loads and the stores of one stretch another worker makes a whole update: just what it did to the
    /// elements of this stretch that both touch is lost, and counted.
    void whatIsOverwrittenIsCounted() {
        const std::size_t count = 7 * hogwildStretch + 13;
        for (const double sparsity : {0.0, 0.5, 0.9}) {
            const Numbers start = numbers(count), first = numbers(count, sparsity), second = numbers(count, sparsity);
            const std::size_t meeting = hogwildStretch * (seed_ % 8);  // the last stretch is a short one
            Numbers shared = start;
            LockFreeUpdate late;
            bool met = false;
            const LockFreeUpdate done = updateWithoutLock(shared, first, rate(0.1f), *device_, [&](std::size_t at) {
                if (at != meeting) return;
                met = true;
                std::jthread([&] { late = updateWithoutLock(shared, second, rate(0.1f), *device_); }).join();
            });
            Numbers wanted = start;
            std::int64_t lost = 0;
            const auto apply = [&](const Numbers& gradient, std::size_t from, std::size_t to) {
                device_->sgd(std::int64_t(to - from), rate(0.1f), gradient.data() + from, wanted.data() + from, nullptr,
                             nullptr);
            };
            const std::size_t end = std::min(count, meeting + hogwildStretch);
            const bool touches = std::any_of(first.begin() + std::ptrdiff_t(meeting),
                                             first.begin() + std::ptrdiff_t(end), [](float g) { return g != 0; });
            QCOMPARE(met, touches);
            if (!met) continue;
            apply(first, 0, meeting);
            apply(second, 0, meeting);
            apply(second, end, count);
            apply(first, end, count);
            for (std::size_t i = meeting; i < end; ++i) {
                if (first[i] != 0 && second[i] != 0) ++lost;
                const Numbers& wins = first[i] != 0 ? first : second;
                if (wins[i] != 0) apply(wins, i, i + 1);
            }
            QCOMPARE(done.overwritten, lost);
            QVERIFY(lost > 0 || sparsity > 0);
            QCOMPARE(late.overwritten, 0);
            QVERIFY2(sameBits(shared, wanted), qPrintable(QString("seed %1").arg(seed_)));
        }
    }

    /// Neighbours in one cache line, each element with one owner: nothing is lost, however they interleave.
    void disjointElementsLoseNothing() {
        constexpr int workers = 4, updates = 200;
        const std::size_t count = 1000 + seed_ % 64;
        Numbers shared = numbers(count), wanted = shared;
        std::vector<std::vector<Numbers>> gradients(workers);
        for (int worker = 0; worker < workers; ++worker)
            for (int update = 0; update < updates; ++update) {
                Numbers gradient = numbers(count);
                for (std::size_t i = 0; i < count; ++i)
                    if (int(i % workers) != worker) gradient[i] = 0;
                device_->sgd(std::int64_t(count), rate(0.01f), gradient.data(), wanted.data(), nullptr, nullptr);
                gradients[std::size_t(worker)].push_back(std::move(gradient));
            }
        std::atomic<std::int64_t> overwritten = 0, written = 0;
        const std::string error = runRanks(workers, [&](int worker, Communicator& world) {
            const auto device = makeCpuDevice();
            world.barrier();
            LockFreeUpdate sum;
            for (const Numbers& gradient : gradients[std::size_t(worker)])
                sum += updateWithoutLock(shared, gradient, rate(0.01f), *device);
            overwritten += sum.overwritten;
            written += sum.written;
        });
        QVERIFY2(error.empty(), error.c_str());
        QCOMPARE(overwritten.load(), 0);
        QCOMPARE(written.load(), std::int64_t(count) * updates);
        QVERIFY2(sameBits(shared, wanted), qPrintable(QString("seed %1").arg(seed_)));
    }

    /// ½(a·w − b)² for rows a of five elements: all workers write the same weights, and end at the solution that all
    /// rows have.
    void convergesOnASparseProblem_data() {
        QTest::addColumn<int>("workers");
        for (const int workers : {1, 2, 4, 8}) QTest::addRow("%d workers", workers) << workers;
    }
    void convergesOnASparseProblem() {
        QFETCH(int, workers);
        const Sparse system = randomSystem(2000, 400, 5, random_);
        Numbers shared(system.solution.size(), 0);
        const double began = distance(shared, system.solution);
        LockFreeUpdate all;
        std::mutex mutex;
        int epochs = 0;
        for (; epochs < 300 && distance(shared, system.solution) > 1e-3 * began; epochs += 10) {
            const auto order = random_();
            const std::string error = runRanks(workers, [&](int worker, Communicator& world) {
                const auto device = makeCpuDevice();
                std::mt19937 random(order + unsigned(worker));
                std::uniform_int_distribution<std::size_t> draw(0, system.rows.size() - 1);
                Numbers copy(shared.size()), gradient(shared.size(), 0);
                LockFreeUpdate sum;
                world.barrier();
                for (std::size_t step = 0; step < 10 * system.rows.size() / std::size_t(workers); ++step) {
                    const Sparse::Row& row = system.rows[draw(random)];
                    readWithoutLock(shared, copy);
                    float off = -row.wanted;
                    for (std::size_t k = 0; k < row.at.size(); ++k) off += row.factors[k] * copy[row.at[k]];
                    for (std::size_t k = 0; k < row.at.size(); ++k) gradient[row.at[k]] = off * row.factors[k];
                    sum += updateWithoutLock(shared, gradient, rate(0.5f), *device);
                    for (const std::size_t at : row.at) gradient[at] = 0;
                }
                const std::lock_guard lock(mutex);
                all += sum;
            });
            QVERIFY2(error.empty(), error.c_str());
        }
        const double ended = distance(shared, system.solution);
        qInfo("%d workers: %d epochs, %lld of %lld elements overwritten", workers, epochs,
              static_cast<long long>(all.overwritten), static_cast<long long>(all.written));
        QVERIFY2(ended <= 1e-3 * began, qPrintable(QString("seed %1: %2 of %3 left").arg(seed_).arg(ended).arg(began)));
        if (workers == 1) QCOMPARE(all.overwritten, 0);
    }
};

QTEST_GUILESS_MAIN(HogwildUpdateTest)
#include "hogwild_update_test.moc"
