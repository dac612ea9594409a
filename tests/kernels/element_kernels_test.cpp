// SPDX-License-Identifier: Apache-2.0
// The conformance test of all devices, as kernels_test: memory, number formats, and what goes over elements whatever
// their shape, optimizers among them.
#include "tests/kernels/kernel_rows.h"
#include "tests/support/wings.h"

#include <cstring>
#include <thread>

using namespace shardlab::test;
using reference::toDouble;
using reference::Values;

class ElementKernelsTest : public QObject, KernelRows {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase_data() { addRows(); }
    void initTestCase() { setKernelThreads(1); }
    void init() { takeRow(); }

    void memory() {
        RandomInputs in;
        const auto bytes = in.tokens(in.whole(1, 5000), 256);
        const std::size_t size = bytes.size() * sizeof(bytes[0]);
        void* const first = device().allocate(size);
        void* const second = device().allocate(size);
        void* const staging = device().allocateStaging(size);
        QVERIFY(reinterpret_cast<std::uintptr_t>(first) % 64 == 0 &&
                reinterpret_cast<std::uintptr_t>(second) % 64 == 0);
        std::memcpy(staging, bytes.data(), size);
        device().upload(staging, first, size);
        device().copy(first, second, size);
        device().clear(first, size);
        std::vector<std::int32_t> got(bytes.size(), -1);
        device().download(second, staging, size);
        device().synchronize();
        std::memcpy(got.data(), staging, size);
        TRUE_OF(got == bytes);
        // Beside what is asked for afterwards: it was not yet cleared.
        std::memset(staging, 0, size);
        const std::shared_ptr<DeviceMoment> there = device().downloadBeside(second, staging, size);
        while (there && !there->reached()) std::this_thread::yield();
        std::memcpy(got.data(), staging, size);
        TRUE_OF(got == bytes);
        device().download(first, got.data(), size);
        TRUE_OF(std::ranges::all_of(got, [](std::int32_t value) { return value == 0; }));
        device().releaseStaging(staging);
        device().release(second);
        device().release(first);
        QVERIFY(!device().name().empty());
    }

    void conversions() {
        RandomInputs in;
        auto values = in.floats(std::size_t(in.whole(1, 20000)));
        for (float& value : values)  // of all sizes, and the middles of neighbours
            if (in.coin()) value = std::ldexp(value, in.whole(-140, 127));
            else value = std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & (in.coin() ? ~0x7FFFu : ~0xFFFu));
        for (float extreme : {0.0f, -0.0f, 65504.0f, 65519.9f, 65520.0f, -1e30f, 0x1p-24f, 0x1p-25f, 0x1.8p-25f,
                              0x1p-14f, 3.4e38f, HUGE_VALF, -HUGE_VALF})
            values.push_back(extreme);
        const std::int64_t skip = in.whole(0, 3);
        const std::int64_t count = std::int64_t(values.size()) - skip;
        for (const DType from : {DType::F32, row().t})
            for (const DType to : {row().t, row().g, DType::F32, DType::BF16, DType::F16}) {
                const auto source = array(values, from), result = poisoned(values.size(), to);
                device().convert(count, source + skip, result + skip);
                const auto got = result.now();
                QCOMPARE(got.size(), values.size());
                for (std::size_t i = std::size_t(skip); i < values.size(); ++i)
                    QVERIFY2(got[i] == float(roundedTo(to, source.given()[i])),
                             qPrintable(QString("%1 became %2, %3").arg(source.given()[i]).arg(got[i]).arg(in.seed())));
                for (std::size_t i = 0; i < std::size_t(skip); ++i) QVERIFY(std::isnan(got[i]));
            }
        const auto none = array(std::vector<float>{NAN}, row().t), still = floats(std::vector<float>{0});
        device().convert(1, none, still);
        QVERIFY(std::isnan(still.now()[0]));
        const auto lost = activations(std::vector<float>{0});
        device().convert(1, still, lost);
        QVERIFY(std::isnan(lost.now()[0]));
    }

    void sumsAndMultiples() {
        RandomInputs in;
        for (int round = 0; round < 4; ++round) {
            const auto count = std::size_t(in.whole(1, 20000)), skip = std::size_t(in.whole(0, 3));
            for (const DType type : {row().t, DType::F32}) {
                const auto x = activations(in.floats(count + skip)), sum = array(in.floats(count + skip), type);
                Values wanted = sum.given();
                for (std::size_t i = skip; i < count + skip; ++i) wanted[i] += x.given()[i];
                device().add(std::int64_t(count), x + std::ptrdiff_t(skip), sum + std::ptrdiff_t(skip));
                CLOSE(sum, wanted, 1e-6);
                const auto multiple = array(in.floats(count), type);
                Values times = multiple.given();
                for (double& value : times) value *= 0.3f;
                device().multiply(std::int64_t(count), 0.3f, multiple);
                CLOSE(multiple, times, 1e-6);
            }
        }
    }

    void sumsSquares() {
        RandomInputs in;
        double wanted = 0;
        std::vector<DeviceArray> arrays;
        std::vector<ArrayPart> parts;
        for (int part = 0; part < 5; ++part) {
            arrays.push_back(array(in.floats(std::size_t(in.whole(0, 1) * in.whole(1, 200000) + in.whole(4, 90))),
                                   in.coin() ? row().t : DType::F32));
            const int skip = in.whole(0, 3);
            parts.push_back({arrays.back() + skip, std::int64_t(arrays.back().size()) - skip});
            for (std::size_t i = std::size_t(skip); i < arrays.back().size(); ++i)
                wanted += arrays.back().given()[i] * arrays.back().given()[i];
        }
        const double got = device().sumOfSquares(parts);
        TRUE_OF(std::abs(got - wanted) <= 1e-12 * wanted);
        TRUE_OF(device().sumOfSquares(parts) == got);
        QCOMPARE(device().sumOfSquares({}), 0.0);
        auto broken = in.floats(9000);
        broken[std::size_t(in.whole(0, 8999))] = in.coin() ? HUGE_VALF : NAN;
        const auto holder = activations(broken);
        const ArrayPart part{holder, 9000};
        TRUE_OF(!std::isfinite(device().sumOfSquares(std::span(&part, 1))));
    }

    void firstNotFinite() {
        RandomInputs in;
        const auto first = tokens({0});
        const auto value = [&] {
            std::int32_t number = -1;
            device().download(first.tokens(), &number, sizeof number);
            return number;
        };
        auto values = in.floats(std::size_t(in.whole(1, 20000)));
        values.back() = 65504;  // as large as can be
        const auto count = std::int64_t(values.size());
        const auto fine = activations(values);
        device().noteNotFinite(count, fine, 7, first.tokens());
        QCOMPARE(value(), 0);
        values[std::size_t(in.whole(0, int(count) - 1))] = in.coin() ? -HUGE_VALF : NAN;
        const auto broken = activations(values);
        device().noteNotFinite(count, broken, 8, first.tokens());
        TRUE_OF(value() == 8);
        device().noteNotFinite(count, broken, 9, first.tokens());
        QCOMPARE(value(), 8);
    }

    void exponents() {
        RandomInputs in;
        std::vector<float> values{0,      -0.0f, HUGE_VALF, -HUGE_VALF, NAN,    1e-38f,
                                  1e-42f, 3e38f, 0x1p-24f,  -0x1p-64f,  0x1p32f};
        const auto more = in.floats(std::size_t(in.whole(1, 10000)));
        for (float value : more) values.push_back(std::ldexp(value, in.whole(-70, 40)));
        const auto x = activations(values);
        ExponentHistogram wanted, got;
        wanted.counts[3] = got.counts[3] = 5;  // added to
        wanted.zeros = got.zeros = 2;
        for (double value : x.given()) {
            if (value == 0) ++wanted.zeros;
            else if (!std::isfinite(value)) ++wanted.notFinite;
            else
                ++wanted
                      .counts[std::clamp(std::ilogb(value) - ExponentHistogram::first, 0, ExponentHistogram::bins - 1)];
        }
        device().addExponents(std::int64_t(values.size()), x, got);
        TRUE_OF(got.counts == wanted.counts);
        QCOMPARE(got.zeros, wanted.zeros);
        QCOMPARE(got.notFinite, wanted.notFinite);
    }

    /// Three steps of several parts, some with a master, some off their alignment.
    void adamw() {
        RandomInputs in;
        struct Held {
            DeviceArray gradient, value, master, first, second;
            std::ptrdiff_t skip;
            bool hasMaster;
            float decay;
            Values wanted, m, v;
        };
        std::vector<Held> held;
        for (int part = 0; part < 4; ++part) {
            const auto count = std::size_t(in.whole(1, 6000));
            const auto values = in.floats(count);
            const std::vector<float> zeros(count);
            held.push_back({gradients(in.floats(count)),
                            weights(values),
                            floats(values),
                            floats(zeros),
                            floats(zeros),
                            std::min(in.whole(0, 3), int(count) - 1),
                            part % 2 == 1,
                            part < 2 ? 0.1f : 0.0f,
                            {},
                            Values(count),
                            Values(count)});
            held.back().wanted = held.back().hasMaster ? held.back().master.given() : held.back().value.given();
        }
        for (int step = 1; step <= 3; ++step) {
            const AdamWUpdate update{
                0.01f, 0.9f, 0.95f, 1e-8f, float(1 - std::pow(0.9, step)), float(1 - std::pow(0.95, step)), 0.5f};
            std::vector<AdamWPart> parts;
            for (Held& h : held) {
                parts.push_back({std::int64_t(h.wanted.size()) - h.skip, h.decay, h.gradient + h.skip, h.value + h.skip,
                                 h.hasMaster ? h.master.floats() + h.skip : nullptr, h.first.floats() + h.skip,
                                 h.second.floats() + h.skip});
                for (std::size_t i = std::size_t(h.skip); i < h.wanted.size(); ++i) {
                    const double g = h.gradient.given()[i] * 0.5;
                    h.m[i] = update.beta1 * h.m[i] + (1 - update.beta1) * g;
                    h.v[i] = update.beta2 * h.v[i] + (1 - update.beta2) * g * g;
                    h.wanted[i] -=
                        update.learningRate *
                        (h.decay * h.wanted[i] +
                         h.m[i] / update.correction1 / (std::sqrt(h.v[i] / update.correction2) + update.epsilon));
                }
            }
            device().adamw(update, parts);
            for (Held& h : held) {
                CLOSE(h.first, h.m, 1e-6 * step);
                CLOSE(h.second, h.v, 1e-6 * step);
                if (!h.hasMaster) {
                    CLOSE(h.value, h.wanted, 1e-6 * step);
                    h.wanted = toDouble(h.value.now());
                    continue;
                }
                CLOSE(h.master, h.wanted, 1e-6 * step);
                const auto master = h.master.now(), value = h.value.now();
                for (std::size_t i = std::size_t(h.skip); i < master.size(); ++i)
                    TRUE_OF(value[i] == float(roundedTo(row().p, master[i])));
            }
        }
    }

    void stochasticGradientDescent() {
        RandomInputs in;
        for (const bool remembers : {false, true})
            for (const bool hasMaster : {false, true}) {
                const auto count = std::size_t(in.whole(1, 6000));
                const auto values = in.floats(count);
                const auto gradient = gradients(in.floats(count)), value = weights(values), master = floats(values);
                const auto velocity = floats(std::vector<float>(count));
                const SgdUpdate update{0.1f, remembers ? 0.9f : 0.0f, 0.05f, 2};
                Values wanted = hasMaster ? master.given() : value.given(), speed(count);
                for (int step = 1; step <= 2; ++step) {
                    for (std::size_t i = 0; i < count; ++i) {
                        speed[i] =
                            update.momentum * speed[i] + gradient.given()[i] * 2 + update.weightDecay * wanted[i];
                        wanted[i] -= update.learningRate * speed[i];
                    }
                    device().sgd(std::int64_t(count), update, gradient, value, remembers ? velocity.floats() : nullptr,
                                 hasMaster ? master.floats() : nullptr);
                    if (remembers) CLOSE(velocity, speed, 1e-6 * step);
                    if (!hasMaster) {
                        CLOSE(value, wanted, 1e-6 * step);
                        wanted = toDouble(value.now());
                        continue;
                    }
                    CLOSE(master, wanted, 1e-6 * step);
                    const auto exact = master.now(), rounded = value.now();
                    for (std::size_t i = 0; i < count; ++i) TRUE_OF(rounded[i] == float(roundedTo(row().p, exact[i])));
                }
            }
    }
};

QTEST_GUILESS_MAIN(ElementKernelsTest)
#include "element_kernels_test.moc"
