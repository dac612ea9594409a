// SPDX-License-Identifier: Apache-2.0
// The conformance test of all devices, as kernels_test: numbers of 8 bits by their definition, and as PyTorch rounds
// to them; scales; and products of codes in double precision.
#include "tests/kernels/kernel_rows.h"
#include "tests/support/reference_python.h"
#include "tests/support/wings.h"

#include <QProcess>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

using namespace shardlab::test;
using reference::Values;

namespace {

/// Bytes on a device, with a guard behind them.
class Bytes {
public:
    Bytes(Device& device, std::size_t count) : device_(&device), count_(count), data_(device.allocate(count + guard)) {
        const std::vector<std::uint8_t> bytes(count + guard, sentinel);
        device.upload(bytes.data(), data_, bytes.size());
    }
    Bytes(const Bytes&) = delete;
    ~Bytes() { device_->release(data_); }
    void write(std::span<const std::uint8_t> bytes) { device_->upload(bytes.data(), data_, bytes.size()); }
    /// Nothing where something was written beyond the end.
    std::vector<std::uint8_t> now() const {
        std::vector<std::uint8_t> bytes(count_ + guard);
        device_->download(data_, bytes.data(), bytes.size());
        if (std::any_of(bytes.begin() + std::ptrdiff_t(count_), bytes.end(), [](auto b) { return b != sentinel; }))
            return {};
        bytes.resize(count_);
        return bytes;
    }
    std::uint8_t* data() const { return static_cast<std::uint8_t*>(data_); }

private:
    static constexpr std::size_t guard = 32;
    static constexpr std::uint8_t sentinel = 0x5A;
    Device* device_;
    std::size_t count_;
    void* data_;
};

/// What a code stands for, by the formats' definition; not-a-number where it stands for none or an infinity.
double valueOf(Fp8Format format, int code) {
    const bool e4m3 = format == Fp8Format::E4M3;
    const int fraction = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15, fields = code & 0x7f;
    const int exponent = fields >> fraction, digits = fields & ((1 << fraction) - 1);
    if (e4m3 ? fields == 0x7f : exponent == 31) return std::numeric_limits<double>::quiet_NaN();
    const double size = exponent == 0 ? std::ldexp(double(digits), 1 - bias - fraction)
                                      : std::ldexp(double((1 << fraction) + digits), exponent - bias - fraction);
    return code & 0x80 ? -size : size;
}

/// The code nearest to x; of two that are as near the one whose last digit is 0.
int nearest(Fp8Format format, double x) {
    const int sign = std::signbit(x) ? 0x80 : 0;
    const int largest = format == Fp8Format::E4M3 ? 0x7e : 0x7b;
    int best = largest;
    for (int code = largest; code-- > 0;) {
        const double off = std::abs(valueOf(format, code) - std::abs(x)),
                     least = std::abs(valueOf(format, best) - std::abs(x));
        if (off < least || (off == least && code % 2 == 0)) best = code;
    }
    return sign | best;
}

int tileOf(const Fp8Tiles& tiles, int columns, int row, int column) {
    const int high = tiles.rows ? tiles.rows : 1 << 30, wide = tiles.columns ? tiles.columns : columns;
    return row / high * ((columns + wide - 1) / wide) + column / wide;
}

const Fp8Format formats[] = {Fp8Format::E4M3, Fp8Format::E5M2};

}  // namespace

class Fp8KernelsTest : public QObject, KernelRows {
    Q_OBJECT

    /// A matrix on the device in codes, and what they should stand for.
    struct Coded {
        int rows, columns;
        Fp8Tiles tiles;
        Fp8Format format;
        bool powers, exponents, turned;
        DeviceArray scales;
        Bytes bytes, codes;
        Values values;

        ConstArray scaleArray() const { return exponents ? ConstArray(bytes.data(), DType::U8) : ConstArray(scales); }
        Fp8Matrix matrix() const { return {rows, columns, codes.data(), scaleArray(), tiles, format, turned}; }
    };
    struct Wish {
        Fp8Tiles tiles;
        bool turned = false;
        bool exponents = false;
    };

    /// What tensor cores multiply: codes along the sum, in tiles that go together. Else anything.
    static std::pair<Wish, Wish> forTensorCores(RandomInputs& in, bool transposeA, bool transposeB) {
        struct Tile {
            int along, across;
        };
        constexpr std::pair<Tile, Tile> all[] = {{{0, 0}, {0, 0}},       {{0, 1}, {0, 1}},       {{128, 1}, {128, 1}},
                                                 {{128, 1}, {128, 128}}, {{128, 128}, {128, 1}}, {{32, 1}, {32, 1}}};
        const auto& [a, b] = all[in.whole(0, 5)];
        const auto wish = [&](const Tile& tile, bool down) {
            return Wish{down ? Fp8Tiles{tile.along, tile.across} : Fp8Tiles{tile.across, tile.along}, down,
                        a.along == 32};
        };
        return {wish(a, transposeA), wish(b, !transposeB)};
    }
    /// What the contract allows of fp32.
    double allowedOfCodes() const { return device().onHost() || device().name() == "emulated GPU" ? 1e-5 : 1e-3; }

    Fp8Tiles someTiles(RandomInputs& in) const {
        const Fp8Tiles all[] = {{}, {1, 32}, {32, 1}, {1, 128}, {128, 1}, {128, 128}, {in.whole(1, 9), in.whole(1, 9)}};
        return all[in.whole(0, 6)];
    }

    /// Rounds x as layers do, and checks each part of that on the way.
    std::unique_ptr<Coded> coded(RandomInputs& in, int rows, int columns, const Wish& wish, DType type) const {
        const auto& [tiles, turned, exponents] = wish;
        const auto format = formats[in.whole(0, 1)];
        const std::size_t count = std::size_t(tiles.count(rows, columns)), numbers = std::size_t(rows) * columns;
        const bool powers = in.coin();
        const DeviceArray x = array(in.floats(numbers, std::exp2(float(in.whole(-20, 12)))), type);
        auto made = std::unique_ptr<Coded>(new Coded{rows,
                                                     columns,
                                                     tiles,
                                                     format,
                                                     powers,
                                                     exponents,
                                                     turned,
                                                     poisoned(count),
                                                     {device(), count},
                                                     {device(), numbers},
                                                     {}});
        device().fp8Largest(rows, columns, x, tiles, false, made->scales.floats());
        Values largest(count);
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < columns; ++c) {
                double& most = largest[std::size_t(tileOf(tiles, columns, r, c))];
                most = std::max(most, std::abs(x.given()[std::size_t(r) * columns + c]));
            }
        const std::vector<float> found = made->scales.now();
        if (found.size() != count || !std::equal(found.begin(), found.end(), largest.begin())) return nullptr;
        const Array to = exponents ? Array(made->bytes.data(), DType::U8) : Array(made->scales);
        device().fp8Scales(std::int64_t(count), format, powers, made->scales.floats(), to);
        Values scales(count);
        const double most = format == Fp8Format::E4M3 ? 448 : 57344;
        for (std::size_t t = 0; t < count; ++t) {
            const double scale = exponents ? std::exp2(127.0 - made->bytes.now().at(t)) : made->scales.now().at(t);
            const double wanted = largest[t] == 0       ? 1
                                  : exponents || powers ? std::exp2(std::floor(std::log2(most / largest[t])))
                                                        : double(float(most) / float(largest[t]));
            if (scale != wanted) return nullptr;
            scales[t] = scale;
        }
        device().fp8Round(rows, columns, x, tiles, format, made->scaleArray(), turned, made->codes.data(), nullptr);
        const std::vector<std::uint8_t> codes = made->codes.now();
        if (codes.size() != numbers) return nullptr;
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < columns; ++c) {
                const std::size_t i = std::size_t(r) * columns + c;
                const double scale = scales[std::size_t(tileOf(tiles, columns, r, c))];
                const std::uint8_t code = codes[turned ? std::size_t(c) * rows + r : i];
                if (code != nearest(format, float(float(x.given()[i]) * float(scale)))) return nullptr;
                made->values.push_back(valueOf(format, code) / scale);
            }
        return made;
    }

private Q_SLOTS:
    void initTestCase_data() { addRows(); }
    void init() { takeRow(); }

    /// Every number of bf16.
    void roundsToTheNearest() {
        std::vector<float> all;
        for (std::uint32_t bits = 0; bits < 1 << 16; ++bits) all.push_back(ofHalf(DType::BF16, std::uint16_t(bits)));
        const DeviceArray x = array(all, row().t == DType::F16 ? DType::F32 : row().t), one = floats({{1.0f}});
        for (const Fp8Format format : formats) {
            Bytes codes(device(), all.size());
            const DeviceArray counts = tokens({0, 0});
            device().fp8Round(1 << 8, 1 << 8, x, {}, format, one, false, codes.data(),
                              reinterpret_cast<Fp8Counts*>(counts.tokens()));
            const std::vector<std::uint8_t> got = codes.now();
            QCOMPARE(got.size(), all.size());
            std::int32_t saturated = 0, flushed = 0;
            const double most = format == Fp8Format::E4M3 ? 448 : 57344;
            // Where the exponent has no end, the next number would be as far above the largest as that above the one
            // before.
            const double step = format == Fp8Format::E4M3 ? 32 : 8192;
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (std::isnan(all[i])) {
                    QVERIFY(std::isnan(valueOf(format, got[i])));
                    continue;
                }
                const double size = std::abs(double(all[i]));
                saturated += size > most + step / 2 || (size == most + step / 2 && format == Fp8Format::E5M2) ? 1 : 0;
                const int wanted = size > most ? (all[i] < 0 ? 0x80 : 0) | (format == Fp8Format::E4M3 ? 0x7e : 0x7b)
                                               : nearest(format, all[i]);
                flushed += (wanted & 0x7f) == 0 && size > 0 ? 1 : 0;
                QVERIFY2(got[i] == wanted, qPrintable(QString("%1: %2").arg(all[i]).arg(got[i])));
            }
            std::int32_t counted[2];
            device().download(counts.tokens(), counted, sizeof counted);
            QCOMPARE(counted[0], saturated);
            QCOMPARE(counted[1], flushed);
        }
    }

    /// Every number of bf16 within the formats' range, beyond which PyTorch does not saturate.
    void roundsAsPyTorchDoes() {
        const QString python = referencePython();
        if (const QString why = whyWithout(currentTorch); !why.isEmpty()) QSKIP(qPrintable(why));
        QProcess process;
        process.start(python,
                      {"-c", "import sys, torch\n"
                             "x = torch.arange(65536, dtype=torch.int32).to(torch.uint16).view(torch.bfloat16)\n"
                             "for t, most in ((torch.float8_e4m3fn, 448), (torch.float8_e5m2, 57344)):\n"
                             "    y = x.float().clamp(-most, most).to(t)\n"
                             "    sys.stdout.buffer.write(y.view(torch.uint8).numpy().tobytes())\n"});
        QVERIFY(process.waitForFinished(patience));
        const QByteArray theirs = process.readAllStandardOutput();
        QVERIFY2(theirs.size() == 2 * 65536, process.readAllStandardError().constData());
        std::vector<float> all;
        for (std::uint32_t bits = 0; bits < 1 << 16; ++bits) all.push_back(ofHalf(DType::BF16, std::uint16_t(bits)));
        const DeviceArray x = array(all, DType::BF16), one = floats({{1.0f}});
        for (const Fp8Format format : formats) {
            Bytes codes(device(), all.size());
            device().fp8Round(1 << 8, 1 << 8, x, {}, format, one, false, codes.data(), nullptr);
            const std::vector<std::uint8_t> got = codes.now();
            const char* wanted = theirs.data() + (format == Fp8Format::E4M3 ? 0 : 65536);
            for (std::size_t i = 0; i < all.size(); ++i)
                if (std::isnan(all[i])) QVERIFY(std::isnan(valueOf(format, std::uint8_t(wanted[i]))));
                else QVERIFY2(got[i] == std::uint8_t(wanted[i]), qPrintable(QString::number(all[i])));
        }
    }

    void productsAreThoseOfTheCodes() {
        for (int draw = 0; draw < 6; ++draw) {
            RandomInputs in;
            const int unit = in.coin() ? 16 : 1;  // of tensor cores
            const auto size = [&](int most) { return unit * in.whole(1, most / unit); };
            const int m = size(150), n = size(150), k = size(300);
            const bool ta = in.coin(), tb = in.coin(), adds = in.coin();
            const auto some = [&] { return Wish{someTiles(in), in.coin(), in.coin()}; };
            const auto [ofA, ofB] = unit > 1 ? forTensorCores(in, ta, tb) : std::pair(some(), some());
            const auto a = coded(in, ta ? k : m, ta ? m : k, ofA, in.coin() ? row().t : row().p);
            const auto b = coded(in, tb ? n : k, tb ? k : n, ofB, in.coin() ? row().t : row().p);
            TRUE_OF(a && b);
            Values wanted = reference::product(a->values, b->values, m, n, k, ta, tb);
            double spread = 0;
            for (const double value : wanted) spread = std::max(spread, std::abs(value));
            const bool narrow = in.coin() && row().t != DType::F16;
            const DType type = narrow ? row().t : DType::F32;
            DeviceArray c = poisoned(std::size_t(m) * n, type);
            if (adds) {
                c.write(in.floats(std::size_t(m) * n, float(spread)));
                for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] += c.given()[i];
            }
            device().gemmFp8(m, n, k, a->matrix(), ta, b->matrix(), tb, adds ? 1.0f : 0.0f, c);
            CLOSE_ABOVE(c, wanted, allowedOfCodes(), spread);
        }
    }

    /// Zeros, infinities, what is no number, and magnitudes at the ends of fp32.
    void scalesOfUnusualNumbers() {
        constexpr float infinity = std::numeric_limits<float>::infinity(), none = NAN;
        const std::vector<float> x{0, -0.0f, 1, infinity, none, 3, 1e-45f, 0, 3e38f, -1};
        const DeviceArray on = floats(x), largest = poisoned(5);
        device().fp8Largest(1, 10, on, {1, 2}, false, largest.floats());
        const std::vector<float> found = largest.now();
        QCOMPARE(found.size(), std::size_t{5});
        QVERIFY(found[0] == 0 && found[1] == infinity && std::isnan(found[2]) && found[3] == 1e-45f &&
                found[4] == 3e38f);
        const DeviceArray scales = poisoned(5);
        Bytes bytes(device(), 5);
        for (const Fp8Format format : formats) {
            const double most = format == Fp8Format::E4M3 ? 448 : 57344;
            device().fp8Scales(5, format, false, largest.floats(), scales);
            const std::vector<float> plain = scales.now();
            device().fp8Scales(5, format, true, largest.floats(), scales);
            const std::vector<float> powers = scales.now();
            device().fp8Scales(5, format, true, largest.floats(), Array(bytes.data(), DType::U8));
            const std::vector<std::uint8_t> exponents = bytes.now();
            for (int i = 0; i < 3; ++i) QVERIFY(plain[i] == 1 && powers[i] == 1 && exponents[i] == 127);
            QCOMPARE(plain[3], std::numeric_limits<float>::max());
            QVERIFY(powers[3] == 0x1p126f && exponents[3] == 1);
            QCOMPARE(plain[4], float(most) / 3e38f);
            const int e = int(std::ceil(std::log2(3e38 / most)));
            QVERIFY(powers[4] == std::ldexp(1.0f, -e) && exponents[4] == e + 127);
        }
        device().fp8Largest(1, 2, floats({{2.0f, -5.0f}}), {}, false, largest.floats());
        device().fp8Largest(1, 2, floats({{4.0f, 1.0f}}), {}, true, largest.floats());
        QCOMPARE(largest.now()[0], 5.0f);
    }
};

QTEST_GUILESS_MAIN(Fp8KernelsTest)
#include "fp8_kernels_test.moc"
