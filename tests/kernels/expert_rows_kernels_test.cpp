// SPDX-License-Identifier: Apache-2.0
// The conformance test of all devices, as kernels_test: the ways of tokens to experts and back.
#include "kernels/gate.h"
#include "tests/kernels/kernel_rows.h"
#include "tests/support/wings.h"

using namespace shardlab::test;
using reference::Values;

class ExpertRowsKernelsTest : public QObject, KernelRows {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase_data() { addRows(); }
    void initTestCase() { setKernelThreads(2); }
    void init() { takeRow(); }

    void rowsOnTheirWay() {
        RandomInputs in;
        const int tokenCount = in.whole(1, 90), choices = in.whole(1, 4), rows = in.whole(1, 120),
                  columns = someWidth(in, 300);
        const auto wide = std::size_t(columns);
        // Any injection of some places into rows.
        std::vector<std::int32_t> places(std::size_t(rows), -1), ofPlaces(std::size_t(tokenCount * choices), -1);
        for (int r = 0; r < rows; ++r) {
            const int place = in.whole(0, tokenCount * choices - 1);
            if (ofPlaces[std::size_t(place)] >= 0 || in.whole(0, 5) == 0) continue;
            places[std::size_t(r)] = place;
            ofPlaces[std::size_t(place)] = r;
        }
        const auto w = in.floats(ofPlaces.size());
        const DeviceArray x = activations(in.floats(std::size_t(tokenCount) * wide)),
                          y = activations(in.floats(std::size_t(rows) * wide));
        const DeviceArray weights = floats(w), placesThere = tokens(places), rowsThere = tokens(ofPlaces);
        const bool weighted = in.coin();
        const float* const factors = weighted ? weights.floats() : nullptr;
        const auto factor = [&](std::size_t place) { return weighted ? double(w[place]) : 1.0; };

        const DeviceArray gathered = poisoned(std::size_t(rows) * wide, row().t);
        device().gatherRows(rows, columns, choices, placesThere.tokens(), factors, x, gathered);
        Values wanted(std::size_t(rows) * wide);
        for (std::size_t r = 0; r < places.size(); ++r)
            if (places[r] >= 0)
                for (std::size_t c = 0; c < wide; ++c)
                    wanted[r * wide + c] =
                        factor(std::size_t(places[r])) * x.given()[std::size_t(places[r] / choices) * wide + c];
        CLOSE(gathered, wanted, 1e-6);

        // The rank has some of the rows only.
        const int first = in.whole(0, rows - 1), count = in.whole(0, rows - first);
        const Array own = static_cast<Array>(y) + std::ptrdiff_t{first} * columns;
        const DeviceArray sums = poisoned(std::size_t(tokenCount) * wide, row().t);
        device().sumRows(tokenCount, columns, choices, rowsThere.tokens(), first, count, factors, own, sums);
        Values summed(std::size_t(tokenCount) * wide), dotted(ofPlaces.size());
        for (std::size_t place = 0; place < ofPlaces.size(); ++place)
            if (ofPlaces[place] >= first && ofPlaces[place] < first + count)
                for (std::size_t c = 0; c < wide; ++c) {
                    const std::size_t t = place / std::size_t(choices);
                    const double other = y.given()[std::size_t(ofPlaces[place]) * wide + c];
                    summed[t * wide + c] += factor(place) * other;
                    dotted[place] += other * x.given()[t * wide + c];
                }
        CLOSE(sums, summed, 2e-6);

        const DeviceArray dots = poisoned(ofPlaces.size());
        device().dotRows(tokenCount, columns, choices, rowsThere.tokens(), first, count, own, x, dots.floats());
        CLOSE(dots, dotted, 1e-5);
    }

    /// Without drops every row is a token's, and experts that change nothing give each token its weights' sum of
    /// itself.
    void droplessRowsComeBack() {
        RandomInputs in;
        GateShape shape{in.whole(1, 3), in.whole(1, 40), in.whole(2, 20)};
        shape.choices = in.whole(1, std::min(shape.experts, 4));
        shape.capacity = shape.sequence;
        shape.dropless = true;
        const int columns = someWidth(in, 100);
        const auto wide = std::size_t(columns), placeCount = std::size_t(shape.rows());
        const DeviceArray logits = floats(in.floats(std::size_t(shape.tokens()) * std::size_t(shape.experts)));
        const DeviceArray weights = poisoned(placeCount), places = tokens(std::vector<std::int32_t>(placeCount)),
                          rows = tokens(std::vector<std::int32_t>(placeCount));
        const DeviceArray counts = poisoned(2 * std::size_t(shape.samples) * std::size_t(shape.experts));
        const DeviceArray begins = tokens(std::vector<std::int32_t>(std::size_t(shape.experts) + 1));
        Routes routes{weights.floats(), rows.tokens(), places.tokens(), counts.floats(),
                      counts.floats() + shape.samples * shape.experts};
        routes.begins = begins.tokens();
        device().chooseExperts(shape, {GateKind::Switch}, {logits.floats()}, routes);
        device().placeTokens(shape, {GateKind::Switch}, logits.floats(), {}, routes);
        const DeviceArray x = activations(in.floats(std::size_t(shape.tokens()) * wide));
        const DeviceArray gathered = poisoned(placeCount * wide, row().t),
                          sums = poisoned(std::size_t(shape.tokens()) * wide, row().t), dots = poisoned(placeCount);
        device().gatherRows(shape.rows(), columns, shape.choices, routes.places, nullptr, x, gathered);
        device().sumRows(shape.tokens(), columns, shape.choices, routes.rows, 0, shape.rows(), routes.weights, gathered,
                         sums);
        device().dotRows(shape.tokens(), columns, shape.choices, routes.rows, 0, shape.rows(), gathered, x,
                         dots.floats());
        Values summed(std::size_t(shape.tokens()) * wide), dotted;
        const std::vector<float> shares = weights.now();
        for (std::size_t place = 0; place < placeCount; ++place) {
            const std::size_t t = place / std::size_t(shape.choices);
            dotted.push_back(0);
            for (std::size_t c = 0; c < wide; ++c) {
                const double value = x.given()[t * wide + c];
                summed[t * wide + c] += double(shares[place]) * value;
                dotted.back() += value * value;
            }
        }
        CLOSE(sums, summed, 2e-6);
        CLOSE(dots, dotted, 1e-5);
    }

    /// Rows that have numbers are dropped as the rows with these numbers are.
    void numberedRowsDropAsTheirNumbers() {
        RandomInputs in;
        const int all = in.whole(1, 60), columns = someWidth(in, 300), rows = in.whole(1, 40);
        const DropoutMask mask{std::uint64_t(in.whole(1, 1 << 30)) << 20, std::int64_t{in.whole(0, 1 << 30)} << 8, 0.4f,
                               in.whole(0, 50)};
        const std::vector<float> keep = maskOf(all, columns, mask);
        std::vector<std::int32_t> numbers;
        for (int r = 0; r < rows; ++r) numbers.push_back(in.whole(0, all - 1));
        const DeviceArray x = activations(in.floats(std::size_t(rows) * std::size_t(columns))),
                          chosen = tokens(numbers);
        device().dropoutNumbered(rows, columns, mask, chosen.tokens(), x);
        Values wanted;
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < columns; ++c)
                wanted.push_back(x.given()[std::size_t(r) * std::size_t(columns) + std::size_t(c)] *
                                 keep[std::size_t(numbers[std::size_t(r)]) * std::size_t(columns) + std::size_t(c)]);
        CLOSE(x, wanted, 1e-6);
    }
};

QTEST_GUILESS_MAIN(ExpertRowsKernelsTest)
#include "expert_rows_kernels_test.moc"
