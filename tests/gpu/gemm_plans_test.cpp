// SPDX-License-Identifier: Apache-2.0
// What the CUDA back end makes of cuBLASLt's answers, on an emulated GPU.
#include "kernels/cuda/cuda_device.cuh"

#include <QtTest>

#include <atomic>
#include <thread>
#include <vector>

using namespace shardlab;
using namespace shardlab::kernels;
using namespace shardlab::kernels::cuda;

namespace {

/// A call that counts how often it was made, and stays long enough for another thread to ask for something.
struct Linger {
    std::atomic<int>* calls = nullptr;
    bool operator==(const Linger&) const = default;
    void operator()(cudaStream_t) const {
        ++*calls;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
};

class Answer {
public:
    explicit Answer(int status) { qputenv("SHARDLAB_EMULATED_HEURISTIC", QByteArray::number(status)); }
    ~Answer() { qunsetenv("SHARDLAB_EMULATED_HEURISTIC"); }
    Answer(const Answer&) = delete;
    Answer& operator=(const Answer&) = delete;
};

}  // namespace

class GemmPlansTest : public QObject {
    Q_OBJECT

    CudaDevice device_{0};

    float* filled(const std::vector<float>& values) {
        auto* const data = static_cast<float*>(device_.allocate(values.size() * sizeof(float)));
        device_.upload(values.data(), data, values.size() * sizeof(float));
        return data;
    }
    /// Row 0 and the last of a product of m rows: [1 2; 1 2; …] · [3; 4] = 11 everywhere.
    std::pair<float, float> product(int m) {
        std::vector<float> rows;
        for (int i = 0; i < m; ++i) rows.insert(rows.end(), {1, 2});
        float* const a = filled(rows);
        float* const b = filled({3, 4});
        float* const c = filled(std::vector<float>(static_cast<std::size_t>(m)));
        device_.Device::gemm(m, 1, 2, {a, DType::F32}, false, {b, DType::F32}, false, 0, {c, DType::F32});
        std::vector<float> got(static_cast<std::size_t>(m));
        device_.download(c, got.data(), got.size() * sizeof(float));
        for (float* each : {a, b, c}) device_.release(each);
        return {got.front(), got.back()};
    }

private Q_SLOTS:
    void whatTheLibraryDoesNotKnowIsComputedAllTheSame() {
        const Answer notSupported(15);
        QCOMPARE(product(7), std::pair(11.0f, 11.0f));
    }

    void whatTheLibraryKnowsItMultiplies() {
        const Answer success(0);
        QCOMPARE(product(9), std::pair(11.0f, 11.0f));
    }

    /// Else one failure would make a run of hours slow without a word. A product that failed once fails again, too.
    void anyOtherAnswerIsAnError() {
        for (int i = 0; i < 2; ++i) {
            const Answer internalError(14);
            try {
                product(11);
                QFAIL("an error of cuBLASLt went unnoticed");
            } catch (const std::runtime_error& error) {
                QCOMPARE(error.what(), "cuBLASLt: cublasLtMatmulAlgoGetHeuristic: an internal operation failed");
            }
        }
        const Answer success(0);
        QCOMPARE(product(11), std::pair(11.0f, 11.0f));
    }

    /// The heuristic fails while a stream is captured, as another thread's may be at any time.
    void plansAreChosenOutsideCaptures() {
        const Answer success(0);
        std::atomic<int> calls = 0;
        std::jthread other([&] {
            LaunchQueue queue;
            for (int i = 0; i < 2; ++i) {  // the second time as a graph
                queue.begin("captured");
                for (int k = 0; k < 3; ++k) queue.call(Linger{&calls});
                queue.end();
            }
        });
        while (calls < 4) std::this_thread::yield();
        QCOMPARE(product(13), std::pair(11.0f, 11.0f));
    }

    /// A grid has at most 65 535 blocks of eight rows.
    void manyRowsWithoutTheLibrary() {
        const Answer notSupported(15);
        QCOMPARE(product(8 * 65535 + 9), std::pair(11.0f, 11.0f));
    }
};

QTEST_GUILESS_MAIN(GemmPlansTest)
#include "gemm_plans_test.moc"
