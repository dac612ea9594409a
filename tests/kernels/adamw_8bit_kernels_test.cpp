// SPDX-License-Identifier: Apache-2.0
// The conformance test of all devices, as kernels_test: AdamW whose moments are codes. Its reference, in double
// precision, starts each step from the codes that are there; and the codes themselves against their definition.
#include "tests/kernels/kernel_rows.h"
#include "tests/support/wings.h"

#include <cmath>
#include <cstring>
#include <numeric>

using namespace shardlab::test;
using reference::toDouble;
using reference::Values;

namespace {

/// The numbers by their definition, one after another.
Values numbers(bool isSigned) {
    Values all{0};
    for (int e = 0; e < 7; ++e) {
        const int steps = isSigned ? 1 << (6 - e) : 1 << (7 - e);
        for (int k = 1; k <= steps; ++k) {
            const double x = std::pow(10.0, -e) * (0.1 + 0.9 * k / steps);
            all.push_back(x);
            if (isSigned) all.push_back(-x);
        }
    }
    std::ranges::sort(all);
    return all;
}

/// Bytes on a device, with a guard behind them.
class Codes {
public:
    Codes(Device& device, std::size_t count) : device_(&device), count_(count), data_(device.allocate(count + guard)) {
        std::vector<std::uint8_t> bytes(count + guard, sentinel);
        std::fill_n(bytes.begin(), count, std::uint8_t{0});
        device.upload(bytes.data(), data_, bytes.size());
    }
    Codes(Codes&& other) noexcept
        : device_(other.device_), count_(other.count_), data_(std::exchange(other.data_, nullptr)) {}
    ~Codes() {
        if (data_) device_->release(data_);
    }
    /// Nothing where something was written beyond the end.
    std::vector<std::uint8_t> now() const {
        std::vector<std::uint8_t> bytes(count_ + guard);
        device_->download(data_, bytes.data(), bytes.size());
        if (std::any_of(bytes.begin() + std::ptrdiff_t(count_), bytes.end(),
                        [](std::uint8_t b) { return b != sentinel; }))
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

struct Held {
    std::int64_t begin;
    bool hasMaster;
    float decay;
    DeviceArray gradient, value, master, firstScales, secondScales;
    Codes first, second;

    std::size_t count() const { return value.size(); }
    std::size_t blockOf(std::size_t i) const { return std::size_t((begin + std::int64_t(i)) / 256 - begin / 256); }
    AdamW8BitPart part() const {
        return {begin,
                std::int64_t(count()),
                decay,
                gradient,
                value,
                hasMaster ? master.floats() : nullptr,
                first.data(),
                second.data(),
                firstScales.floats(),
                secondScales.floats()};
    }
    Values moments(bool ofSecond, const Values& table) const {
        const auto codes = (ofSecond ? second : first).now();
        const auto scales = (ofSecond ? secondScales : firstScales).now();
        Values all(count());
        if (codes.size() != count() || scales.empty()) return {};
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = table.at(codes[i]) * double(scales[blockOf(i)]);
        return all;
    }
};

}  // namespace

class AdamW8BitKernelsTest : public QObject, KernelRows {
    Q_OBJECT

    Held someParameter(RandomInputs& in, std::int64_t begin, std::size_t count, bool hasMaster, float decay) const {
        const std::size_t blocks = std::size_t((begin + std::int64_t(count) + 255) / 256 - begin / 256);
        const auto values = in.floats(count);
        return {begin,
                hasMaster,
                decay,
                gradients(std::vector<float>(count)),
                weights(values),
                floats(values),
                floats(std::vector<float>(blocks)),
                floats(std::vector<float>(blocks)),
                {device(), count},
                {device(), count}};
    }

    /// A new moment has the code next to it, of a scale that is its block's largest: where `rounds` tells of none that
    /// are nearer by more than arithmetic in fp32 may be off.
    void requireNearest(const Held& held, bool ofSecond, const Values& wanted, const RandomInputs& in) const {
        const Values& table = ofSecond ? unsigned_ : signed_;
        const auto codes = (ofSecond ? held.second : held.first).now();
        const auto scales = (ofSecond ? held.secondScales : held.firstScales).now();
        QCOMPARE(codes.size(), wanted.size());
        QVERIFY(!scales.empty());
        std::vector<double> largest(scales.size());
        for (std::size_t i = 0; i < wanted.size(); ++i)
            largest[held.blockOf(i)] = std::max(largest[held.blockOf(i)], std::abs(wanted[i]));
        // Where all first moments of a small block nearly cancel out, what is left in fp32 is the rounding of
        // their parts.
        const double cancelled = ofSecond ? 0 : 1e-6;
        for (std::size_t b = 0; b < scales.size(); ++b)
            TRUE_OF(std::abs(scales[b] - largest[b]) <= 1e-6 * largest[b] + cancelled);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const double scale = largest[held.blockOf(i)];
            TRUE_OF(codes[i] < 255);
            if (scale == 0) continue;
            const double x = wanted[i] / scale, off = std::abs(table[codes[i]] - x);
            TRUE_OF(off <= (ofSecond ? 0.9 / 256 : 0.9 / 128) + 1e-6);
            if (ofSecond && x > 0) {
                TRUE_OF(codes[i] > 0);
                if (codes[i] == 1) continue;  // the least there is
            }
            for (const int other : {codes[i] - 1, codes[i] + 1})
                if (other >= 0 && other < 255) TRUE_OF(off <= std::abs(table[std::size_t(other)] - x) + 1e-6);
        }
    }

    const Values signed_ = numbers(true), unsigned_ = numbers(false);

private Q_SLOTS:
    void initTestCase_data() { addRows(); }
    void initTestCase() { setKernelThreads(2); }
    void init() { takeRow(); }

    void codesAreThoseOfTheirDefinition() {
        RandomInputs in;
        for (const bool isSigned : {true, false}) {
            const MomentCodes& codes = isSigned ? signedMoments : unsignedMoments;
            const Values& wanted = isSigned ? signed_ : unsigned_;
            QCOMPARE(wanted.size(), std::size_t{255});
            QCOMPARE(wanted[std::size_t(codes.zero)], 0.0);
            QCOMPARE(wanted.back(), 1.0);
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                QVERIFY(std::abs(codes.values[i] - wanted[i]) <= 1e-7 * std::abs(wanted[i]));
                QVERIFY(i == 0 || codes.values[i] > codes.values[i - 1]);
                // What is read from a code becomes it again, whatever scale it went by.
                const float scale = std::exp(in.floats(1, 10)[0]), moment = codes.values[i] * scale;
                const float share = shareOfScale(scale);
                QCOMPARE(std::size_t(isSigned ? codeOfFirst(moment, share) : codeOfSecond(moment, share)), i);
            }
            const auto nearest = [&](double x) {
                double best = 2;
                for (const double value : wanted) best = std::min(best, std::abs(value - x));
                return best;
            };
            for (int i = 0; i < 2000; ++i) {
                // Evenly over sizes, so that small decades come too.
                const double size = std::pow(10.0, -7.5 * in.whole(0, 1'000'000) / 1e6);
                const double x = float(isSigned && in.coin() ? -size : size);
                const double off = std::abs(codes.values[codes.nearest(float(x))] - x);
                TRUE_OF(off <= nearest(x) + 1e-7);
                TRUE_OF(off <= (isSigned ? 0.9 / 128 : 0.9 / 256));
            }
        }
        QCOMPARE(codeOfSecond(1e-20f, 1.0f), std::uint8_t{1});
        QCOMPARE(codeOfSecond(0.0f, 1.0f), std::uint8_t{0});
        QCOMPARE(shareOfScale(0), 0.0f);
    }

    void adamw8Bit() {
        RandomInputs in;
        std::vector<Held> held;
        for (int i = 0; i < 7; ++i) {
            const std::int64_t begin = i % 2 == 0 ? 0 : in.whole(1, 1500);  // a shard may begin anywhere
            const int count = i == 0 ? 2048 + in.whole(0, 3) : in.whole(1, 3000);
            held.push_back(someParameter(in, begin, std::size_t(count), i % 3 == 1, i < 4 ? 0.1f : 0.0f));
        }
        AdamWUpdate update;
        update.learningRate = 0.02f;
        update.beta1 = 0.8f;
        update.beta2 = 0.95f;
        update.epsilon = 1e-8f;
        update.gradientScale = 0.5f;
        for (int step = 1; step <= 5; ++step) {
            update.correction1 = float(1 - std::pow(0.8, step));
            update.correction2 = float(1 - std::pow(0.95, step));
            std::vector<AdamW8BitPart> parts;
            std::vector<Values> before, m, v, w;
            for (Held& h : held) {
                std::vector<float> gradient = in.floats(h.count());
                for (float& g : gradient) {
                    if (in.whole(0, 4) == 0) g = 0;
                    else if (in.coin()) g *= 1e-3f;
                }
                if (step == 1 && &h == &held.back()) std::ranges::fill(gradient, 0.0f);  // whole blocks of nothing
                h.gradient.write(gradient);
                parts.push_back(h.part());
                Values first = h.moments(false, signed_), second = h.moments(true, unsigned_);
                QCOMPARE(first.size(), h.count());
                Values value = toDouble((h.hasMaster ? h.master : h.value).now());
                for (std::size_t i = 0; i < h.count(); ++i) {
                    const double g = 0.5 * h.gradient.given()[i];
                    first[i] = double(update.beta1) * first[i] + (1 - double(update.beta1)) * g;
                    second[i] = double(update.beta2) * second[i] + (1 - double(update.beta2)) * g * g;
                    value[i] -= double(update.learningRate) *
                                (double(h.decay) * value[i] +
                                 first[i] / update.correction1 / (std::sqrt(second[i] / update.correction2) + 1e-8));
                }
                m.push_back(std::move(first));
                v.push_back(std::move(second));
                w.push_back(std::move(value));
            }
            device().adamw8Bit(update, parts);
            for (std::size_t i = 0; i < held.size(); ++i) {
                const Held& h = held[i];
                CLOSE(h.hasMaster ? h.master : h.value, w[i], 1e-6);
                if (h.hasMaster) {
                    const auto exact = h.master.now(), rounded = h.value.now();
                    for (std::size_t k = 0; k < h.count(); ++k)
                        TRUE_OF(rounded[k] == float(roundedTo(row().p, exact[k])));
                }
                requireNearest(h, false, m[i], in);
                if (QTest::currentTestFailed()) return;
                requireNearest(h, true, v[i], in);
                if (QTest::currentTestFailed()) return;
            }
        }
    }

    /// Cut at the end of a block, a parameter's parts become what it becomes as a whole, to the bit; cut within one,
    /// all but that block do.
    void partsOfAParameter() {
        RandomInputs in;
        const std::size_t count = std::size_t(in.whole(600, 2000)),
                          cut = std::size_t(in.coin() ? 256 * in.whole(1, 2) : in.whole(1, 599));
        const auto values = in.floats(count);
        const auto part = [&](std::size_t begin, std::size_t end) {
            Held h = someParameter(in, std::int64_t(begin), end - begin, false, 0.1f);
            h.value.write(std::span(values).subspan(begin, end - begin));
            return h;
        };
        Held whole = part(0, count), low = part(0, cut), high = part(cut, count);
        AdamWUpdate update{0.01f, 0.9f, 0.95f, 1e-8f, 0.1f, 0.05f, 1};
        for (int step = 0; step < 3; ++step) {
            const auto gradient = in.floats(count);
            whole.gradient.write(gradient);
            low.gradient.write(std::span(gradient).first(cut));
            high.gradient.write(std::span(gradient).subspan(cut));
            const AdamW8BitPart all[] = {whole.part(), low.part(), high.part()};
            device().adamw8Bit(update, all);
        }
        const auto together = [&](const auto& a, const auto& b) {
            auto both = a;
            both.insert(both.end(), b.begin(), b.end());
            return both;
        };
        const auto wanted = whole.value.now(), got = together(low.value.now(), high.value.now());
        const auto first = whole.first.now(), ofParts = together(low.first.now(), high.first.now());
        QCOMPARE(got.size(), wanted.size());
        for (std::size_t i = 0; i < count; ++i)
            if (cut % 256 == 0 || i / 256 != cut / 256) TRUE_OF(got[i] == wanted[i] && ofParts[i] == first[i]);
    }

    /// An element far smaller than its block's largest, and then without a gradient: were its second moment 0 while its
    /// first is not, the update would divide by epsilon alone.
    void smallMomentsDoNotVanish() {
        RandomInputs in;
        Held h = someParameter(in, 0, 256, false, 0);
        std::vector<float> gradient(256);
        for (std::size_t i = 0; i < 256; ++i)
            gradient[i] = float(std::pow(10.0, -double(i) / 255 * 7) * (in.coin() ? 1 : -1));
        h.value.write(std::vector<float>(256));
        h.gradient.write(gradient);
        AdamWUpdate update{1, 0.9f, 0.95f, 1e-12f, 0.1f, 0.05f, 1};
        const AdamW8BitPart part = h.part();
        device().adamw8Bit(update, std::span(&part, 1));
        h.gradient.write(std::vector<float>(256));
        h.value.write(std::vector<float>(256));
        update.correction1 = update.correction2 = 1;
        device().adamw8Bit(update, std::span(&part, 1));
        // β₁·m ÷ √(β₂·v) of m = 0.1·g and v = 0.05·g²; a code is at most twice m, and at least a 1.4th of v.
        const double most = 0.9 * 0.1 / std::sqrt(0.95 * 0.05) * 2 * std::sqrt(1.4) * 1.01;
        for (const float value : h.value.now()) TRUE_OF(std::abs(value) <= most);
    }
};

QTEST_GUILESS_MAIN(AdamW8BitKernelsTest)
#include "adamw_8bit_kernels_test.moc"
