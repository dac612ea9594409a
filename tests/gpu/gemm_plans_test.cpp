// SPDX-License-Identifier: Apache-2.0
// What the CUDA back end makes of cuBLASLt's answers, on an emulated GPU.
#include "kernels/cuda/cuda_device.cuh"
#include "tests/support/variable.h"

#include <QtTest>

#include <atomic>
#include <map>
#include <thread>
#include <vector>

using namespace shardlab;
using namespace shardlab::kernels;
using namespace shardlab::kernels::cuda;
using shardlab::test::Variable;

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

struct Answer : Variable {
    explicit Answer(int status) : Variable("SHARDLAB_EMULATED_HEURISTIC", QByteArray::number(status)) {}
};
/// So many algorithms for each product, of which the last is the quickest.
struct Candidates : Variable {
    explicit Candidates(int count) : Variable("SHARDLAB_EMULATED_CANDIDATES", QByteArray::number(count)) {}
};

/// How many products were computed by this candidate of the library's.
std::uint64_t computedBy(int candidate) {
    std::map<std::string, std::uint64_t> counts;
    shardlabEmulatedCounts([](const char* what, std::uint64_t count,
                              void* to) { (*static_cast<std::map<std::string, std::uint64_t>*>(to))[what] = count; },
                           &counts);
    return counts["product by candidate " + std::to_string(candidate)];
}

QByteArrayList linesOf(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    return file.readAll().split('\n');  // what follows the last line's end is empty
}

void write(const QString& path, const QByteArrayList& lines) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) throw std::runtime_error("cannot write");
    file.write(lines.join('\n'));
}

}  // namespace

class GemmPlansTest : public QObject {
    Q_OBJECT

    CudaDevice device_{0};

    static float* filled(CudaDevice& device, const std::vector<float>& values) {
        auto* const data = static_cast<float*>(device.allocate(values.size() * sizeof(float)));
        device.upload(values.data(), data, values.size() * sizeof(float));
        return data;
    }
    float* filled(const std::vector<float>& values) { return filled(device_, values); }
    /// Row 0 and the last of a product of m rows: [1 2; 1 2; …] · [3; 4] = 11 everywhere.
    static std::pair<float, float> product(CudaDevice& device, int m) {
        std::vector<float> rows;
        for (int i = 0; i < m; ++i) rows.insert(rows.end(), {1, 2});
        float* const a = filled(device, rows);
        float* const b = filled(device, {3, 4});
        float* const c = filled(device, std::vector<float>(static_cast<std::size_t>(m)));
        device.Device::gemm(m, 1, 2, {a, DType::F32}, false, {b, DType::F32}, false, 0, {c, DType::F32});
        std::vector<float> got(static_cast<std::size_t>(m));
        device.download(c, got.data(), got.size() * sizeof(float));
        for (float* each : {a, b, c}) device.release(each);
        return {got.front(), got.back()};
    }
    std::pair<float, float> product(int m) { return product(device_, m); }
    /// Asks for the product until the file has so many lines, each ended; false where that never happens.
    static bool measures(int m, const QString& path, int lines) {
        CudaDevice device(0);
        for (int calls = 0; linesOf(path).size() <= lines; ++calls)
            if (calls == 1000 || product(device, m) != std::pair(11.0f, 11.0f)) return false;
        return true;
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

    /// What the product is added to is read where it lies, and stays as it is.
    void productsAreAddedToWhatLiesElsewhere() {
        const Answer success(0);
        float* const a = filled({1, 2});
        float* const b = filled({3, 4});
        float* const around = filled({100});
        float* const c = filled({7});
        device_.gemmBiasResidual(1, 1, 2, {a, DType::F32}, {b, DType::F32}, {}, {around, DType::F32}, {c, DType::F32});
        float sum = 0, still = 0;
        device_.download(c, &sum, sizeof sum);
        device_.download(around, &still, sizeof still);
        for (float* each : {a, b, around, c}) device_.release(each);
        QCOMPARE(sum, 111.0f);
        QCOMPARE(still, 100.0f);
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

    /// Which of several algorithms is the quickest is measured once; whoever has the file computes by it.
    void theQuickestIsKept() {
        const Answer success(0);
        const Candidates three(3);
        const QTemporaryDir folder;
        const QString path = folder.filePath("products.txt");
        const Variable products("SHARDLAB_CUDA_PRODUCTS", path.toUtf8());
        QVERIFY(measures(9, path, 1));
        const std::uint64_t second = computedBy(1), third = computedBy(2);
        CudaDevice again(0);
        for (int i = 0; i < 20; ++i) QCOMPARE(product(again, 9), std::pair(11.0f, 11.0f));
        QCOMPARE(computedBy(1), second);
        QCOMPARE(computedBy(2), third + 20);
        QCOMPARE(linesOf(path).size(), 2);
    }

    /// A file that other machines have written is added to; nothing of theirs is taken.
    void choicesAreOfOneGpuAndLibrary() {
        const Answer success(0);
        const Candidates three(3);
        const QTemporaryDir folder;
        const QString path = folder.filePath("products.txt");
        const Variable products("SHARDLAB_CUDA_PRODUCTS", path.toUtf8());
        QVERIFY(measures(9, path, 1));
        const QByteArray own = linesOf(path)[0];
        const QByteArray another = QByteArray(own).replace("cuBLASLt 130100", "cuBLASLt 130099");
        QVERIFY(own != another);
        write(path, {another, {}});
        QVERIFY(measures(9, path, 2));
        QCOMPARE(linesOf(path), QByteArrayList({another, own, {}}));
    }

    void choicesThatCannotBeTakenAreNamed() {
        const Answer success(0);
        const Candidates three(3);
        const QTemporaryDir folder;
        const QString path = folder.filePath("products.txt");
        const Variable products("SHARDLAB_CUDA_PRODUCTS", path.toUtf8());
        QVERIFY(measures(9, path, 1));
        const QByteArrayList good = linesOf(path);
        const auto errorOf = [&] {
            try {
                CudaDevice device(0);
                product(device, 9);
            } catch (const std::runtime_error& error) {
                return QString(error.what());
            }
            return QString();
        };
        QCOMPARE(errorOf(), QString());
        const auto named = [&](int line) {
            return QString("%1, line %2: not a GPU, a product and").arg(path).arg(line);
        };
        for (const QByteArray& bad : {QByteArray("nonsense"), good[0].chopped(1), good[0] + '0', QByteArray()}) {
            write(path, {good[0], bad, {}});
            QVERIFY2(errorOf().contains(named(2)), qPrintable(errorOf()));
        }
        write(path, {good[0].chopped(112) + QByteArray(112, 'f'), {}});
        QCOMPARE(errorOf(), QString());  // the first word alone says which one it is, in the emulation
        write(path, {good[0].chopped(128) + QByteArray(128, 'f'), {}});
        QVERIFY2(errorOf().contains("cuBLASLt does not compute '9x1x2"), qPrintable(errorOf()));
        write(path, {});
        QVERIFY(QFile::remove(path) && QDir().mkdir(path));
        QVERIFY2(errorOf().contains("cannot be read"), qPrintable(errorOf()));
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
