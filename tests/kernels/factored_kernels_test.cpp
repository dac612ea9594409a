// SPDX-License-Identifier: Apache-2.0
// The conformance test of all devices, as kernels_test: the optimizers that count rows and columns.
#include "tests/kernels/factored_reference.h"
#include "tests/kernels/kernel_rows.h"
#include "tests/support/wings.h"

#include <cmath>
#include <limits>

using namespace shardlab::test;
using reference::toDouble;
using reference::Values;

namespace {

/// A matrix or a vector on a device, with room for what either optimizer keeps of it.
struct Held {
    int rows, columns;
    bool vector, hasMaster;
    float decay;
    DeviceArray gradient, value, master, ofRows, ofColumns, scalars;

    std::size_t count() const { return std::size_t(rows) * std::size_t(columns); }
};

}  // namespace

class FactoredKernelsTest : public QObject, KernelRows {
    Q_OBJECT

    /// Rows and columns of different size: sums that are mixed up are seen.
    std::vector<float> someGradient(RandomInputs& in, int rows, int columns, bool vector) const {
        std::vector<float> values = in.floats(std::size_t(rows) * columns);
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j)
                values[std::size_t(i) * columns + j] *=
                    vector ? 1.0f : (1 + 0.3f * float(i % 5)) * (0.5f + 0.2f * float(j % 7));
        return values;
    }

    std::vector<Held> someParts(RandomInputs& in) const {
        std::vector<Held> held;
        for (int part = 0; part < 5; ++part) {
            const bool vector = part % 3 == 2;
            const int rows = vector ? 1 : in.whole(1, 150), columns = someWidth(in, 400);
            const auto values = in.floats(std::size_t(rows) * columns);
            held.push_back({rows, columns, vector, part % 2 == 1, part < 3 ? 0.1f : 0.0f,
                            gradients(someGradient(in, rows, columns, vector)), weights(values), floats(values),
                            floats(std::vector<float>(std::size_t(rows))),
                            floats(std::vector<float>(std::size_t(columns))), floats(std::vector<float>(2))});
        }
        return held;
    }
    static Values start(const Held& held) { return held.hasMaster ? held.master.given() : held.value.given(); }

    /// What the part has become; `wanted` goes on from what 16 bits keep of it.
    void compare(const Held& held, Values& wanted, double tolerance, const RandomInputs& in) const {
        if (!held.hasMaster) {
            CLOSE(held.value, wanted, tolerance);
            wanted = toDouble(held.value.now());
            return;
        }
        CLOSE(held.master, wanted, tolerance);
        const auto exact = held.master.now(), rounded = held.value.now();
        for (std::size_t i = 0; i < held.count(); ++i) TRUE_OF(rounded[i] == float(roundedTo(row().p, exact[i])));
    }

private Q_SLOTS:
    void initTestCase_data() { addRows(); }
    void initTestCase() { setKernelThreads(2); }
    void init() { takeRow(); }

    void adafactor() {
        RandomInputs in;
        std::vector<Held> held = someParts(in);
        std::vector<reference::Adafactor> wanted;
        for (const Held& h : held) wanted.emplace_back(h.rows, h.columns, h.vector, start(h));
        bool clipped = false;
        for (int step = 1; step <= 4; ++step) {
            const AdafactorUpdate update{0.01f, step == 1 ? 0.0f : 0.7f, 0.8f, 0.5f};
            std::vector<AdafactorPart> parts;
            for (std::size_t i = 0; i < held.size(); ++i) {
                Held& h = held[i];
                h.gradient.write(someGradient(in, h.rows, h.columns, h.vector));
                Values g = h.gradient.given();
                for (double& value : g) value *= 0.5;
                wanted[i].update(g, update.beta2, update.learningRate, h.decay, update.clipThreshold);
                clipped = clipped || wanted[i].clipped > 1;
                AdafactorPart& part = parts.emplace_back();
                part.rows = h.rows;
                part.columns = h.columns;
                part.elements = std::int64_t(h.count());
                part.weightDecay = h.decay;
                part.gradient = h.gradient;
                part.value = h.value;
                part.master = h.hasMaster ? h.master.floats() : nullptr;
                part.rowSums = h.vector ? nullptr : h.ofRows.floats();
                part.columnSums = h.ofColumns.floats();
                part.rowsAreParts = i == 1;  // the total of its columns is that of its rows
                part.total = h.scalars.floats();
                part.squares = h.scalars.floats() + 1;
            }
            device().adafactorSums(update, parts);
            device().adafactorNorms(update, parts);
            device().adafactor(update, parts);
            for (std::size_t i = 0; i < held.size(); ++i) {
                if (!held[i].vector) CLOSE(held[i].ofRows, wanted[i].r, 1e-5);
                CLOSE(held[i].ofColumns, wanted[i].c, 1e-5);
                compare(held[i], wanted[i].w, 1e-6 * step, in);
            }
        }
        TRUE_OF(clipped);
    }

    /// Two members, each with some of the columns, put together the rows' sums and one number for the norm.
    void adafactorOfMembers() {
        RandomInputs in;
        const int rows = in.whole(1, 100), columns = in.whole(2, 300), first = in.whole(1, columns - 1);
        const auto size = [&](int member) { return member == 0 ? first : columns - first; };
        const auto share = [&](const std::vector<float>& whole, int member) {
            std::vector<float> part;
            for (int i = 0; i < rows; ++i) {
                const auto begin = whole.begin() + i * columns + (member == 0 ? 0 : first);
                part.insert(part.end(), begin, begin + size(member));
            }
            return part;
        };
        const auto values = in.floats(std::size_t(rows) * columns);
        const DeviceArray own[2] = {floats(share(values, 0)), floats(share(values, 1))};
        const DeviceArray sums[2] = {floats(std::vector<float>(std::size_t(rows))),
                                     floats(std::vector<float>(std::size_t(rows)))};
        const DeviceArray ofColumns[2] = {floats(std::vector<float>(std::size_t(first))),
                                          floats(std::vector<float>(std::size_t(columns - first)))};
        const DeviceArray scalars[2] = {floats(std::vector<float>(2)), floats(std::vector<float>(2))};
        reference::Adafactor wanted(rows, columns, false, toDouble(values));
        const auto putTogether = [&](const DeviceArray(&of)[2], int at, int count) {
            device().add(count, of[1].floats() + at, of[0].floats() + at);
            device().copy(of[0].floats() + at, of[1].floats() + at, std::size_t(count) * sizeof(float));
        };
        for (int step = 1; step <= 3; ++step) {
            const auto gradient = someGradient(in, rows, columns, false);
            const DeviceArray given[2] = {floats(share(gradient, 0)), floats(share(gradient, 1))};
            const AdafactorUpdate update{0.01f, step == 1 ? 0.0f : 0.6f, 0.5f, 1};
            wanted.update(toDouble(gradient), update.beta2, update.learningRate, 0, update.clipThreshold);
            AdafactorPart parts[2];
            for (int member : {0, 1}) {
                AdafactorPart& part = parts[member];
                part.rows = rows;
                part.columns = size(member);
                part.elements = std::int64_t(rows) * columns;
                part.gradient = given[member];
                part.value = own[member];
                part.rowSums = sums[member].floats();
                part.columnSums = ofColumns[member].floats();
                part.freshRows = member == 1;
                part.total = scalars[member].floats();
                part.squares = scalars[member].floats() + 1;
            }
            device().adafactorSums(update, parts);
            putTogether(sums, 0, rows);
            device().adafactorNorms(update, parts);
            putTogether(scalars, 1, 1);
            device().adafactor(update, parts);
            for (int member : {0, 1}) {
                CLOSE(sums[member], wanted.r, 1e-5);
                std::vector<float> whole;
                for (const double value : wanted.w) whole.push_back(float(value));
                CLOSE(own[member], toDouble(share(whole, member)), 1e-6 * step);
            }
        }
    }

    void sm3() {
        for (const float momentum : {0.0f, 0.9f}) {
            RandomInputs in;
            std::vector<Held> held = someParts(in);
            std::vector<reference::Sm3> wanted;
            std::vector<DeviceArray> moments;
            for (const Held& h : held) {
                wanted.emplace_back(h.rows, h.columns, h.vector, start(h));
                moments.push_back(floats(std::vector<float>(h.count())));
            }
            for (int step = 1; step <= 4; ++step) {
                const Sm3Update update{0.01f, momentum, 0.5f};
                std::vector<Sm3Part> parts;
                for (std::size_t i = 0; i < held.size(); ++i) {
                    Held& h = held[i];
                    auto gradient = someGradient(in, h.rows, h.columns, h.vector);
                    gradient[0] = 0;  // where all is 0 in the first step, nothing moves
                    h.gradient.write(step == 1 && i == 0 ? std::vector<float>(h.count()) : gradient);
                    Values g = h.gradient.given();
                    for (double& value : g) value *= 0.5;
                    wanted[i].update(g, update.learningRate, h.decay, momentum);
                    parts.push_back({h.rows, h.columns, h.decay, h.gradient, h.value,
                                     h.hasMaster ? h.master.floats() : nullptr, h.vector ? nullptr : h.ofRows.floats(),
                                     h.ofColumns.floats(), momentum > 0 ? moments[i].floats() : nullptr});
                }
                device().sm3(update, parts);
                for (std::size_t i = 0; i < held.size(); ++i) {
                    if (!held[i].vector) CLOSE(held[i].ofRows, wanted[i].r, 1e-6 * step);
                    CLOSE(held[i].ofColumns, wanted[i].c, 1e-6 * step);
                    if (momentum > 0) CLOSE(moments[i], wanted[i].m, 1e-6 * step);
                    compare(held[i], wanted[i].w, 1e-6 * step, in);
                }
            }
        }
    }

    /// An optimizer that hid it would go on without learning.
    void sm3ShowsWhatIsNotANumber() {
        const float notANumber = std::numeric_limits<float>::quiet_NaN();
        const DeviceArray gradient = floats(std::vector<float>{1, notANumber, 2, 3}),
                          value = floats(std::vector<float>(4, 5));
        const DeviceArray ofRows = floats(std::vector<float>(2, 1)), ofColumns = floats(std::vector<float>(2, 1));
        const Sm3Part part{2, 2, 0, gradient, value, nullptr, ofRows.floats(), ofColumns.floats(), nullptr};
        device().sm3({0.01f, 0, 1}, {&part, 1});
        const std::vector<float> now = value.now();
        for (const std::size_t i : {0, 2, 3}) QVERIFY(now[i] < 5);
        QVERIFY(std::isnan(now[1]));
    }
};

QTEST_GUILESS_MAIN(FactoredKernelsTest)
#include "factored_kernels_test.moc"
