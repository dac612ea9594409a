// SPDX-License-Identifier: Apache-2.0
// Products of fp32 by the quickest routine, against double precision: shapes of each, on fresh random inputs.
#include "kernels/cpu/instructions.h"
#include "kernels/cpu/sgemm.h"
#include "kernels/threads.h"
#include "tests/kernels/random_inputs.h"
#include "tests/kernels/reference.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <limits>
#include <vector>

using namespace shardlab;
using namespace shardlab::test;
using cpu::ProductRoutine;

namespace {

struct Shape {
    int m, n, k;
    bool transposeA, transposeB;
};

class Factors {
public:
    Factors(RandomInputs& in, const Shape& shape)
        : shape_(shape), a_(in.floats(std::size_t(shape.m) * shape.k)), b_(in.floats(std::size_t(shape.k) * shape.n)) {}

    Matrix a() const { return {a_.data(), shape_.transposeA ? shape_.m : shape_.k, shape_.transposeA}; }
    Matrix b() const { return {b_.data(), shape_.transposeB ? shape_.k : shape_.n, shape_.transposeB}; }
    ProductRoutine routine() const { return cpu::quickestRoutine(shape_.m, shape_.n, shape_.k, a(), b(), shape_.n); }
    void multiply(float beta, std::vector<float>& c) const {
        cpu::sgemm(shape_.m, shape_.n, shape_.k, 1, a(), b(), beta, c.data(), shape_.n);
    }
    reference::Values wanted() const {
        return reference::product({a_.begin(), a_.end()}, {b_.begin(), b_.end()}, shape_.m, shape_.n, shape_.k,
                                  shape_.transposeA, shape_.transposeB);
    }

private:
    Shape shape_;
    std::vector<float> a_, b_;
};

bool hasAvx2Only() { return cpu::has(dnnl::cpu_isa::avx2) && !cpu::has(dnnl::cpu_isa::avx512_core); }
bool hasAvx512() { return cpu::has(dnnl::cpu_isa::avx512_core); }

}  // namespace

class ProductKernelsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cleanup() { setKernelThreads(1); }

    void products_data() {
        QTest::addColumn<Shape>("shape");
        QTest::addColumn<ProductRoutine>("withAvx2");
        QTest::addColumn<ProductRoutine>("withAvx512");
        using enum ProductRoutine;
        QTest::newRow("forward, rows of 4 KiB") << Shape{256, 1024, 256, false, false} << OpenBlas << OneDnnGemm;
        QTest::newRow("forward, rows of 2 KiB") << Shape{200, 512, 700, false, false} << OpenBlas << OneDnnGemm;
        QTest::newRow("weight gradient") << Shape{512, 256, 512, true, false} << OpenBlas << OneDnnGemm;
        QTest::newRow("odd weight gradient") << Shape{301, 257, 701, true, false} << OpenBlas << OneDnnGemm;
        QTest::newRow("forward, odd rows") << Shape{256, 771, 300, false, false} << OneDnnGemm << OneDnnGemm;
        QTest::newRow("forward, many tokens") << Shape{1024, 512, 128, false, false} << OneDnnGemm << OneDnnGemm;
        QTest::newRow("gradient of the input") << Shape{256, 256, 1024, false, true} << OneDnnGemm << OneDnnMatmul;
        QTest::newRow("odd gradient of the input") << Shape{131, 67, 301, false, true} << OneDnnGemm << OneDnnMatmul;
        QTest::newRow("one row") << Shape{1, 67, 301, false, true} << OneDnnGemm << OneDnnMatmul;
        QTest::newRow("small weight gradient") << Shape{130, 140, 150, true, false} << OneDnnGemm << OneDnnGemm;
        QTest::newRow("both transposed") << Shape{130, 140, 150, true, true} << OneDnnGemm << OneDnnGemm;
    }
    void products() {
        QFETCH(Shape, shape);
        QFETCH(ProductRoutine, withAvx2);
        QFETCH(ProductRoutine, withAvx512);
        RandomInputs in;
        const Factors factors(in, shape);
        if (hasAvx2Only()) QVERIFY(factors.routine() == withAvx2);
        if (hasAvx512()) QVERIFY(factors.routine() == withAvx512);
        const reference::Values wanted = factors.wanted();
        for (const int threads : {1, 2, 3}) {
            setKernelThreads(threads);
            std::vector<float> c(wanted.size(), std::numeric_limits<float>::quiet_NaN()), again = c;
            factors.multiply(0, c);
            QVERIFY(reference::mismatch(c, wanted) < 1e-5);
            factors.multiply(0, again);
            QVERIFY(again == c);
            std::vector<float> sum = in.floats(wanted.size());
            const reference::Values whole = reference::sum(reference::toDouble(sum), wanted);
            factors.multiply(1, sum);
            QVERIFY(reference::mismatch(sum, whole) < 1e-5);
        }
    }

    /// What lies between the rows of C stays.
    void rowsApart_data() {
        QTest::addColumn<bool>("transposeB");
        QTest::newRow("forward") << false;
        QTest::newRow("gradient of the input") << true;
    }
    void rowsApart() {
        QFETCH(bool, transposeB);
        RandomInputs in;
        const Shape shape{200, 512, 700, false, transposeB};
        const Factors factors(in, shape);
        const int stride = shape.n + 7;
        std::vector<float> c(std::size_t(shape.m) * stride, 3);
        cpu::sgemm(shape.m, shape.n, shape.k, 0.5f, factors.a(), factors.b(), 0, c.data(), stride);
        const reference::Values product = factors.wanted();
        reference::Values wanted(c.size(), 3);
        for (int i = 0; i < shape.m; ++i)
            for (int j = 0; j < shape.n; ++j)
                wanted[std::size_t(i) * stride + j] = 0.5 * product[std::size_t(i) * shape.n + j];
        QVERIFY(reference::mismatch(c, wanted) < 1e-5);
    }

    /// Kernels multiply within their own parallel loops, too: each thread by itself.
    void withinAParallelLoop() {
        RandomInputs in;
        const Factors factors(in, {256, 256, 800, true, false});
        const reference::Values wanted = factors.wanted();
        std::vector<std::vector<float>> results(4, std::vector<float>(wanted.size()));
        setKernelThreads(2);
#pragma omp parallel for
        for (std::size_t i = 0; i < results.size(); ++i) factors.multiply(0, results[i]);
        for (const auto& result : results) QVERIFY(reference::mismatch(result, wanted) < 1e-5);
    }
};

QTEST_APPLESS_MAIN(ProductKernelsTest)
#include "product_kernels_test.moc"
