// SPDX-License-Identifier: Apache-2.0
// Products of numbers of 8 bits on an emulated GPU against the processor's: which of them cuBLASLt is asked for, by
// compute capability, and what it is given (kernels/cuda/fp8_way.cuh).
#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/fp8_way.cuh"
#include "tests/kernels/random_inputs.h"
#include "tests/support/variable.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

using namespace shardlab;
using namespace shardlab::kernels;
using namespace shardlab::kernels::cuda;
using shardlab::test::Variable;

namespace {

struct Tile {
    int along, across;  ///< numbers along the sum and across it; 0: all
};
/// A pair of factors.
struct Recipe {
    const char* name;
    Tile a, b;
    DType scales = DType::F32;
};
constexpr Recipe recipes[] = {{"whole", {0, 0}, {0, 0}},
                              {"rows", {0, 1}, {0, 1}},
                              {"runs", {128, 1}, {128, 1}},
                              {"runs and squares", {128, 1}, {128, 128}},
                              {"squares and runs", {128, 128}, {128, 1}},
                              {"mx", {32, 1}, {32, 1}, DType::U8}};

struct Draw {
    Recipe recipe;
    int m, n, k;
    bool transposeA, transposeB;
    bool turnA, turnB;
    Fp8Format formatA = Fp8Format::E4M3, formatB = Fp8Format::E4M3;
    DType output = DType::F32;
    bool adds = false;
    int shift = 0;  ///< bytes before the codes of A
    std::vector<float> a, b, c;
};

std::uint64_t countOf(const std::string& what) {
    std::map<std::string, std::uint64_t> counts;
    shardlabEmulatedCounts([](const char* name, std::uint64_t count,
                              void* to) { (*static_cast<std::map<std::string, std::uint64_t>*>(to))[name] = count; },
                           &counts);
    return counts[what];
}
std::uint64_t products() { return countOf("product of codes"); }

/// Memory of a device that goes when the draw is over.
class Memory {
public:
    explicit Memory(Device& device) : device_(device) {}
    Memory(const Memory&) = delete;
    ~Memory() {
        for (void* each : taken_) device_.release(each);
    }
    void* take(std::size_t bytes) { return taken_.emplace_back(device_.allocate(bytes)); }
    float* floats(const std::vector<float>& values) {
        void* const to = take(values.size() * sizeof(float));
        device_.upload(values.data(), to, values.size() * sizeof(float));
        return static_cast<float*>(to);
    }

private:
    Device& device_;
    std::vector<void*> taken_;
};

/// A draw on a device: its factors, rounded there.
class Product {
public:
    Product(Device& device, const Draw& draw)
        : device_(device), draw_(draw), memory_(device),
          a_(round(draw.transposeA, draw.m, draw.recipe.a, draw.formatA, draw.turnA, draw.a, draw.shift)),
          b_(round(!draw.transposeB, draw.n, draw.recipe.b, draw.formatB, draw.turnB, draw.b, 0)) {}

    std::vector<float> operator()(bool magnitudes = false) {
        start(magnitudes);
        return result();
    }
    void start(bool magnitudes = false) {
        const auto count = static_cast<std::int64_t>(draw_.c.size());
        const Array c(draw_.output == DType::F32 ? out_ : narrow_, draw_.output);
        device_.copy(before_, out_, draw_.c.size() * sizeof(float));
        if (draw_.output != DType::F32) device_.convert(count, {out_, DType::F32}, c);
        device_.gemmFp8(draw_.m, draw_.n, draw_.k, magnitudes ? sizes(a_) : a_, draw_.transposeA,
                        magnitudes ? sizes(b_) : b_, draw_.transposeB, draw_.adds ? 1.0f : 0.0f, c);
        if (draw_.output != DType::F32) device_.convert(count, c, {out_, DType::F32});
    }
    std::vector<float> result() {
        std::vector<float> got(draw_.c.size());
        device_.download(out_, got.data(), got.size() * sizeof(float));
        return got;
    }
    const char* lack(int capability) {
        return fp8WayOf(capability, draw_.m, draw_.n, draw_.k, a_, draw_.transposeA, b_, draw_.transposeB, 0,
                        {out_, draw_.output})
            .lack;
    }

private:
    Fp8Matrix round(bool down, int across, const Tile& tile, Fp8Format format, bool turned,
                    const std::vector<float>& values, int shift) {
        const int rows = down ? draw_.k : across, columns = down ? across : draw_.k;
        const Fp8Tiles tiles = down ? Fp8Tiles{tile.along, tile.across} : Fp8Tiles{tile.across, tile.along};
        const std::int64_t count = tiles.count(rows, columns);
        const ConstArray x = memory_.floats(values);
        auto* const largest = static_cast<float*>(memory_.take(static_cast<std::size_t>(count) * sizeof(float)));
        const Array scales(memory_.take(static_cast<std::size_t>(count) * sizeof(float)), draw_.recipe.scales);
        auto* const codes = static_cast<std::uint8_t*>(memory_.take(values.size() + 64)) + shift;
        device_.fp8Largest(rows, columns, x, tiles, false, largest);
        device_.fp8Scales(count, format, false, largest, scales);
        device_.fp8Round(rows, columns, x, tiles, format, scales, turned, codes, nullptr);
        return {rows, columns, codes, scales, tiles, format, turned};
    }
    /// The same without signs.
    Fp8Matrix sizes(Fp8Matrix matrix) {
        std::vector<std::uint8_t> codes(static_cast<std::size_t>(matrix.rows) *
                                        static_cast<std::size_t>(matrix.columns));
        device_.download(matrix.codes, codes.data(), codes.size());
        for (std::uint8_t& code : codes) code &= 0x7f;
        auto* const to = static_cast<std::uint8_t*>(memory_.take(codes.size()));
        device_.upload(codes.data(), to, codes.size());
        matrix.codes = to;
        return matrix;
    }

    Device& device_;
    const Draw& draw_;
    Memory memory_;
    Fp8Matrix a_, b_;
    float* before_ = memory_.floats(draw_.c);
    float* out_ = memory_.floats(draw_.c);
    void* narrow_ = memory_.take(2 * draw_.c.size());
};

/// A GPU of a compute capability, whose cuBLASLt knows what the documentation says.
struct Gpu {
    explicit Gpu(int of)
        : capability("SHARDLAB_EMULATED_CAPABILITY", QByteArray::number(of)),
          answer("SHARDLAB_EMULATED_HEURISTIC", "0"), device(0) {}
    Variable capability, answer;
    CudaDevice device;
};

}  // namespace

class CodeProductsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<Device> processor_ = makeCpuDevice();

    /// What tensor cores take: sizes of 16, codes along the sum.
    static Draw drawn(RandomInputs& in, const Recipe& recipe) {
        Draw draw{recipe, 16 * in.whole(1, 10), 16 * in.whole(1, 10), 16 * in.whole(1, 20), in.coin(), in.coin(), false,
                  false};
        draw.turnA = draw.transposeA;
        draw.turnB = !draw.transposeB;
        (in.coin() ? draw.formatA : draw.formatB) = in.coin() ? Fp8Format::E4M3 : Fp8Format::E5M2;
        draw.output = in.coin() ? DType::F32 : DType::BF16;
        draw.adds = in.coin();
        fill(in, draw);
        return draw;
    }
    /// Numbers whose size changes from row to row and along them, so that no two tiles are alike.
    static void fill(RandomInputs& in, Draw& draw) {
        const auto numbers = [&](int rows, int columns) {
            std::vector<float> values = in.floats(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
            std::vector<float> ofRow, ofColumn;
            for (int i = 0; i < rows; ++i) ofRow.push_back(std::exp2(float(in.whole(-3, 3))));
            for (int i = 0; i < columns; ++i) ofColumn.push_back(std::exp2(float(in.whole(-3, 3))));
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] *= ofRow[i / ofColumn.size()] * ofColumn[i % ofColumn.size()];
            return values;
        };
        draw.a = draw.transposeA ? numbers(draw.k, draw.m) : numbers(draw.m, draw.k);
        draw.b = draw.transposeB ? numbers(draw.n, draw.k) : numbers(draw.k, draw.n);
        draw.c = numbers(draw.m, draw.n);
    }
    /// The processor's product, computed by whom it should be.
    void requireRight(Gpu& gpu, const Draw& draw, const RandomInputs& in, bool byTensorCores, int capability) {
        const std::uint64_t before = products();
        Product far(gpu.device, draw), near(*processor_, draw);
        const std::vector<float> got = far(), wanted = near(), sizes = near(true);
        QVERIFY2(products() - before == (byTensorCores ? 1 : 0), qPrintable(in.seed()));
        QVERIFY2((far.lack(capability) == nullptr) == byTensorCores, qPrintable(in.seed()));
        requireClose(draw, got, wanted, sizes, in);
    }
    /// Within what orders of sums in fp32 may differ by, and what the output's type rounds.
    static void requireClose(const Draw& draw, const std::vector<float>& got, const std::vector<float>& wanted,
                             const std::vector<float>& sizes, const RandomInputs& in) {
        const double ofSum = 2 * (draw.k + 8) * 0x1p-24, ofOutput = draw.output == DType::F32 ? 0x1p-23 : 2 * 0x1p-8;
        for (std::size_t i = 0; i < got.size(); ++i) {
            const double most = sizes[i] + std::abs(double(draw.c[i]));
            QVERIFY2(std::abs(double(got[i]) - wanted[i]) <= ofSum * most + ofOutput * std::abs(double(wanted[i])),
                     qPrintable(QString("%1, not %2, at %3, %4").arg(got[i]).arg(wanted[i]).arg(i).arg(in.seed())));
        }
    }

private Q_SLOTS:
    void tensorCoresMultiplyWhatTheyHave_data() {
        QTest::addColumn<int>("capability");
        QTest::addColumn<int>("recipe");
        QTest::addColumn<bool>("has");
        const auto row = [](int capability, int recipe, bool has) {
            QTest::addRow("%d %s", capability, recipes[recipe].name) << capability << recipe << has;
        };
        for (const int capability : {80, 89, 90, 100, 103, 120})
            for (int recipe = 0; recipe < int(std::size(recipes)); ++recipe)
                row(capability, recipe,
                    recipe == 0   ? capability >= 89
                    : recipe == 5 ? capability >= 100
                                  : capability == 90);
    }
    void tensorCoresMultiplyWhatTheyHave() {
        QFETCH(int, capability);
        QFETCH(int, recipe);
        QFETCH(bool, has);
        Gpu gpu(capability);
        for (int i = 0; i < (has ? 6 : 1) && !QTest::currentTestFailed(); ++i) {
            RandomInputs in;
            requireRight(gpu, drawn(in, recipes[recipe]), in, has, capability);
        }
    }

    /// Whatever else is asked for is computed as well, and the reason is told.
    void whatTheyDoNotTakeIsComputedAllTheSame_data() {
        QTest::addColumn<int>("change");
        QTest::addColumn<QString>("lack");
        QTest::addRow("sizes") << 0 << "its sizes are no multiples of 16";
        QTest::addRow("A across") << 1 << "codes do not lie along the sum";
        QTest::addRow("B across") << 2 << "codes do not lie along the sum";
        QTest::addRow("E5M2 twice") << 3 << "cuBLASLt does not multiply E5M2 with E5M2";
        QTest::addRow("address") << 4 << "a matrix does not begin at 16 bytes";
        QTest::addRow("squares twice") << 5 << "cuBLASLt does not multiply two factors in squares";
        QTest::addRow("other tiles") << 6 << "cuBLASLt has no scales for such tiles";
        QTest::addRow("two kinds of tiles") << 7 << "cuBLASLt has no such scales beside each other";
    }
    void whatTheyDoNotTakeIsComputedAllTheSame() {
        QFETCH(int, change);
        QFETCH(QString, lack);
        Gpu gpu(90);
        for (int i = 0; i < 2 && !QTest::currentTestFailed(); ++i) {
            RandomInputs in;
            Draw draw = drawn(in, recipes[change == 7 ? 0 : in.whole(0, 4)]);
            switch (change) {
            case 0: (in.coin() ? draw.m : in.coin() ? draw.n : draw.k) += in.whole(1, 15); break;
            case 1: draw.turnA = !draw.turnA; break;
            case 2: draw.turnB = !draw.turnB; break;
            case 3: draw.formatA = draw.formatB = Fp8Format::E5M2; break;
            case 4: draw.shift = in.whole(1, 15); break;
            case 5: draw.recipe.a = draw.recipe.b = {128, 128}; break;
            case 6: (in.coin() ? draw.recipe.a : draw.recipe.b) = {in.whole(2, 31), in.whole(2, 31)}; break;
            default: (in.coin() ? draw.recipe.a : draw.recipe.b) = {0, 1};
            }
            fill(in, draw);
            requireRight(gpu, draw, in, false, 90);
            QCOMPARE(QString(Product(gpu.device, draw).lack(90)), lack);
        }
    }

    /// What the GPU has and this cuBLASLt has not.
    void whatTheLibraryDoesNotKnowIsComputedAllTheSame() {
        Gpu gpu(90);
        const Variable notSupported("SHARDLAB_EMULATED_HEURISTIC", "15");
        RandomInputs in;
        const Draw draw = drawn(in, recipes[in.whole(0, 4)]);
        const std::uint64_t before = products();
        Product far(gpu.device, draw), near(*processor_, draw);
        QVERIFY(far.lack(90) == nullptr);
        requireClose(draw, far(), near(), near(true), in);
        QCOMPARE(products(), before);
    }

    /// A graph that recurs has each product's own scales, though all are ordered in the same memory.
    void recurringProductsAreTheSame() {
        Gpu gpu(90);
        RandomInputs in;
        std::vector<Draw> draws;
        for (const Recipe& recipe : recipes) draws.push_back(drawn(in, recipe));
        std::vector<std::vector<float>> first;
        std::vector<std::unique_ptr<Product>> all;
        for (const Draw& draw : draws) all.push_back(std::make_unique<Product>(gpu.device, draw));
        for (int step = 0; step < 4; ++step) {
            std::vector<std::vector<float>> now;
            gpu.device.beginRange("products");
            for (const auto& product : all) product->start();
            gpu.device.endRange();
            for (const auto& product : all) now.push_back(product->result());
            if (step == 0) first = now;
            QVERIFY2(now == first, qPrintable(in.seed()));
        }
    }

    /// The file of choices tells products of codes from others, and from each other.
    void choicesNameCodes() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("products.txt");
        const Variable file("SHARDLAB_CUDA_PRODUCTS", path.toUtf8()), candidates("SHARDLAB_EMULATED_CANDIDATES", "2");
        Gpu gpu(90);
        RandomInputs in;
        for (const int recipe : {0, 1, 3}) {
            Draw draw = drawn(in, recipes[recipe]);
            draw.m = draw.n = draw.k = 16;
            draw.formatA = Fp8Format::E4M3;
            draw.formatB = recipe == 0 ? Fp8Format::E5M2 : Fp8Format::E4M3;
            draw.output = DType::F32;
            fill(in, draw);
            Product product(gpu.device, draw);
            for (int call = 0; call < 40; ++call) product();
        }
        QFile written(path);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QByteArray text = written.readAll();
        QCOMPARE(text.count('\n'), 3);
        for (const char* factors : {"e4m3 · e5m2 ", "e4m3 rows · e4m3 rows ", "e4m3 runs · e4m3 squares "})
            QVERIFY2(text.contains(factors), text.constData());
    }
};

QTEST_GUILESS_MAIN(CodeProductsTest)
#include "code_products_test.moc"
