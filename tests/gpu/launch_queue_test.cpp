// SPDX-License-Identifier: Apache-2.0
// What goes to the GPU as a graph does the same as kernel by kernel, whatever changes from one time to the next.
#include "kernels/cuda/grid.cuh"
#include "kernels/cuda/launch.cuh"
#include "tests/support/seed.h"

#include <QtTest>

#include <algorithm>
#include <random>
#include <thread>

using namespace shardlab::kernels::cuda;

namespace {

constexpr int count = 64;

__global__ void addKernel(float value, float* to) { to[threadIdx.x] += value; }
__global__ void multiplyKernel(float factor, const float* from, float* to) {
    to[threadIdx.x] = factor * from[threadIdx.x];
}

struct Fill {
    float* data = nullptr;
    float value = 0;
    bool operator==(const Fill&) const = default;
    void operator()(cudaStream_t stream) const {
        check(cudaMemsetAsync(data, 0, count * sizeof(float), stream), "cudaMemsetAsync");
        const auto fill = [to = data, value = value] { std::fill(to, to + count, value); };
        shardlab::emulation::enqueue(stream, fill);
    }
};

/// Memory of the emulated GPU, in two places that may be exchanged.
struct Arrays {
    float* a = nullptr;
    float* b = nullptr;
    Arrays() {
        for (float** array : {&a, &b}) {
            void* data = nullptr;
            check(cudaMalloc(&data, count * sizeof(float)), "cudaMalloc");
            *array = static_cast<float*>(data);
        }
    }
    ~Arrays() {
        cudaFree(a);
        cudaFree(b);
    }
    Arrays(const Arrays&) = delete;
    Arrays& operator=(const Arrays&) = delete;
};

struct Step {
    float filled = 0;
    float added = 0;
    float factor = 0;
    int additions = 1;
    float result() const { return factor * (filled + static_cast<float>(additions) * added); }
};

/// b = factor · (fill + additions · added).
void ask(LaunchQueue& queue, const Step& step, float* a, float* b) {
    queue.call(Fill{a, step.filled});
    for (int i = 0; i < step.additions; ++i) launch("add", addKernel, 1, count, queue, step.added, a);
    launch("multiply", multiplyKernel, 1, count, queue, step.factor, a, b);
}

struct Part {
    std::int64_t count = 0;
};

/// The first chunks of the table that one part makes, where `dirt` lay on the stack before.
[[gnu::noinline]] std::vector<int> firstChunks(unsigned char dirt) {
    const auto soil = [&]() __attribute__((noinline)) {
        std::array<volatile unsigned char, 65536> stack;
        for (volatile unsigned char& byte : stack) byte = dirt;
    };
    soil();
    std::vector<int> chunks;
    const Part part{1000};
    withTables<Part>(std::span(&part, 1), 256, [&](const PartTable<Part>& table, unsigned) {
        chunks.assign(std::begin(table.firstChunk), std::end(table.firstChunk));
    });
    return chunks;
}

float resultOf(LaunchQueue& queue, const float* b) {
    std::array<float, count> values{};
    check(cudaMemcpyAsync(values.data(), b, sizeof values, cudaMemcpyDeviceToHost, queue.stream()), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(queue.stream()), "cudaStreamSynchronize");
    return std::ranges::count(values, values[0]) == count ? values[0] : -1;
}

}  // namespace

class LaunchQueueTest : public QObject {
    Q_OBJECT

    Arrays arrays_;

    float run(LaunchQueue& queue, const Step& step, const char* name = "forward") {
        queue.begin(name);
        ask(queue, step, arrays_.a, arrays_.b);
        queue.end();
        return resultOf(queue, arrays_.b);
    }

private Q_SLOTS:
    void sameAgain() {
        LaunchQueue queue;
        const Step step{1, 2, 3, 4};
        for (int i = 0; i < 10; ++i) QCOMPARE(run(queue, step), step.result());
        const auto counts = queue.counts();
        QCOMPARE(counts.graphs, 1u);
        QCOMPARE(counts.graphLaunches, 9u);  // the first went kernel by kernel
        QCOMPARE(counts.launches, 6u);
        QCOMPARE(counts.captures, 1u);
        QCOMPARE(counts.kernelsSet, 0u);
    }

    void onlyWhatDiffersIsSet() {
        LaunchQueue queue;
        for (int i = 0; i < 10; ++i) {
            const Step step{1, 2, static_cast<float>(i), 4};
            QCOMPARE(run(queue, step), step.result());
        }
        QCOMPARE(queue.counts().kernelsSet, 8u);  // one of five kernels, from the third time on
        QCOMPARE(queue.counts().captures, 1u);
    }

    void callsThatDifferAreCapturedAnew() {
        LaunchQueue queue;
        for (int i = 0; i < 4; ++i) {
            const Step step{i < 2 ? 1.0f : 5.0f, 2, static_cast<float>(i), 4};
            QCOMPARE(run(queue, step), step.result());
        }
        QCOMPARE(queue.counts().graphs, 1u);
        QCOMPARE(queue.counts().captures, 2u);
        // The kernels of the graph that was captured anew can be set again.
        const Step step{5, 7, 9, 4};
        QCOMPARE(run(queue, step), step.result());
        QCOMPARE(queue.counts().captures, 2u);
    }

    void whatNeverStaysTheSameIsGivenUp() {
        LaunchQueue queue;
        for (int i = 0; i < 40; ++i) {
            const Step step{static_cast<float>(i), 2, 3, 4};
            QCOMPARE(run(queue, step), step.result());
        }
        QVERIFY(queue.counts().graphLaunches < 20);
        QCOMPARE(queue.counts().captures, queue.counts().graphLaunches);
    }

    void kindsOfBatchesUnderOneName() {
        LaunchQueue queue;
        for (int i = 0; i < 12; ++i) {
            const Step step{1, static_cast<float>(i), 3, 2 + i % 3};
            QCOMPARE(run(queue, step), step.result());
        }
        QCOMPARE(queue.counts().graphs, 3u);
        QCOMPARE(queue.counts().captures, 3u);
    }

    /// What is set for a launch must not reach one that is still under way.
    void launchesFollowEachOther() {
        LaunchQueue queue;
        Arrays sum;
        queue.call(Fill{sum.a, 0});
        float wanted = 0;
        for (int i = 0; i < 50; ++i) {
            const auto value = static_cast<float>(i);
            queue.begin("sum");
            for (int k = 0; k < 3; ++k) launch("add", addKernel, 1, count, queue, value + static_cast<float>(k), sum.a);
            queue.end();
            wanted += 3 * value + 3;
        }
        QCOMPARE(resultOf(queue, sum.a), wanted);
        QCOMPARE(queue.counts().graphLaunches, 49u);
    }

    void randomSteps() {
        const unsigned seed = shardlab::test::freshSeed();
        std::mt19937 random(seed);
        LaunchQueue queue, plain(false);
        Arrays other;
        for (int i = 0; i < 300; ++i) {
            Step step;
            step.filled = static_cast<float>(random() % 2);
            step.added = static_cast<float>(random() % 3);
            step.factor = static_cast<float>(random() % 5);
            step.additions = 1 + static_cast<int>(random() % 4);
            const bool exchanged = random() % 4 == 0;
            float *a = exchanged ? other.a : arrays_.a, *b = exchanged ? other.b : arrays_.b;
            for (LaunchQueue* each : {&queue, &plain}) {
                each->begin(random() % 2 ? "forward" : "backward");
                ask(*each, step, a, b);
                if (random() % 3 == 0) each->stream();  // somebody needs it in between
                ask(*each, step, a, b);
                each->end();
                const float got = resultOf(*each, b);
                QVERIFY2(
                    got == step.result(),
                    qPrintable(
                        QString("step %1 of seed %2: %3, wanted %4").arg(i).arg(seed).arg(got).arg(step.result())));
            }
        }
        QVERIFY(queue.counts().graphLaunches > 0);
        QCOMPARE(plain.counts().graphLaunches, 0u);
    }

    /// Another thread's come after what was gathered before them, and are no part of it.
    void anotherThread() {
        LaunchQueue queue;
        for (int i = 0; i < 5; ++i) {
            queue.begin("forward");
            ask(queue, {1, 1, 1, 3}, arrays_.a, arrays_.b);  // 4
            std::jthread([&] { launch("add", addKernel, 1, count, queue, 10.0f, arrays_.b); }).join();
            launch("add", addKernel, 1, count, queue, 100.0f, arrays_.b);
            queue.end();
            QCOMPARE(resultOf(queue, arrays_.b), 114.0f);
        }
    }

    /// Each place where another thread cuts a range would be a graph of its own, to be made and kept.
    void cutsOfAnotherThreadMakeNoGraphs() {
        std::mt19937 random(shardlab::test::freshSeed());
        LaunchQueue queue;
        const Step step{1, 2, 3, 20};
        for (int i = 0; i < 200; ++i) {
            queue.begin("backward");
            queue.call(Fill{arrays_.a, step.filled});
            const int cut = static_cast<int>(random() % 20);
            for (int k = 0; k < step.additions; ++k) {
                if (k == cut) std::jthread([&] { queue.stream(); }).join();
                launch("add", addKernel, 1, count, queue, step.added, arrays_.a);
            }
            launch("multiply", multiplyKernel, 1, count, queue, step.factor, arrays_.a, arrays_.b);
            queue.end();
            QCOMPARE(resultOf(queue, arrays_.b), step.result());
        }
        QCOMPARE(queue.counts().graphs, 0u);
        for (int i = 0; i < 3; ++i) QCOMPARE(run(queue, step, "backward"), step.result());
        QCOMPARE(queue.counts().graphLaunches, 2u);
    }

    /// Experts' batches are seldom alike, and those that come in every step must not be made again because of them.
    void manyKindsThatComeOnce() {
        LaunchQueue queue;
        const Step step{1, 2, 3, 2};
        constexpr int kinds = 20'000, apart = 100;
        for (int i = 0; i < kinds; ++i) {
            if (i % apart == 0) QCOMPARE(run(queue, step), step.result());
            queue.begin(qPrintable(QString("of experts %1").arg(i)));
            for (int k = 0; k < 3; ++k) launch("add", addKernel, 1, 1, queue, 1.0f, arrays_.a);
            queue.end();
        }
        QCOMPARE(queue.counts().graphs, 1u);
        QCOMPARE(queue.counts().graphLaunches, unsigned{kinds / apart - 1});
    }

    void refusedGraphs() {
        LaunchQueue queue;
        const Step step{1, 2, 3, 4};
        QCOMPARE(run(queue, step), step.result());
        qputenv("SHARDLAB_EMULATED_GRAPHS", "0");  // CUDA's answer from now on: not permitted
        for (int i = 0; i < 3; ++i) QCOMPARE(run(queue, step), step.result());
        qunsetenv("SHARDLAB_EMULATED_GRAPHS");
        QCOMPARE(run(queue, step), step.result());
        QCOMPARE(queue.counts().graphLaunches, 0u);
    }

    /// Beyond 48 KiB a block's shared memory is to be asked for, its own variables counted; what was asked for holds
    /// for launches that are still gathered when others need less.
    void muchSharedMemory() {
        LaunchQueue queue;
        launchShared("multiply", multiplyKernel, 1, count, 48 * 1024 - 64, queue, 3.0f, arrays_.a, arrays_.b);
        QCOMPARE(run(queue, {1, 2, 3, 4}), 27.0f);
        queue.begin("forward");
        for (const int bytes : {51'000, 50'000, 0})
            launchShared("add", addKernel, 1, count, static_cast<std::size_t>(bytes), queue, 1.0f, arrays_.b);
        queue.end();
        QCOMPARE(resultOf(queue, arrays_.b), 30.0f);
    }

    /// Else an update of the same parameters would be taken for another, and set anew.
    void equalListsAreEqualBytes() { QVERIFY(firstChunks(0x11) == firstChunks(0x77)); }

    /// A kernel that cannot be launched is told of, once, and what follows is done.
    void errors() {
        LaunchQueue queue;
        queue.begin("forward");
        const float value = 1;
        const KernelArgument argument{&value, sizeof value};
        queue.launch({"nobody's kernel", &value, 1, 1, 0}, std::span(&argument, 1));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, queue.end());
        QCOMPARE(run(queue, {1, 2, 3, 4}), 27.0f);
    }
};

QTEST_GUILESS_MAIN(LaunchQueueTest)
#include "launch_queue_test.moc"
