// SPDX-License-Identifier: Apache-2.0
// The heads of latent attention, and parts of columns, of all devices, in all types: against double precision,
// gradients against its central differences.
#include "tests/kernels/kernel_rows.h"
#include "tests/kernels/latent_reference.h"
#include "tests/support/wings.h"

using namespace shardlab::test;
using reference::Values;

namespace {

LatentShape randomShape(RandomInputs& in, int most) {
    using Scaling = RotaryAngles::Scaling;
    LatentShape shape;
    shape.samples = in.whole(1, 3);
    shape.sequence = in.whole(1, most);
    shape.heads = in.whole(1, 5);
    shape.plain = in.whole(1, 40);
    shape.turned = 2 * in.whole(1, 20);
    shape.values = in.coin() ? shape.plain + shape.turned : in.whole(1, shape.plain + shape.turned);
    shape.angles.base = in.coin() ? 10000 : 500000;
    shape.angles.scaling = std::array{Scaling::None, Scaling::ByTurns, Scaling::Yarn}[std::size_t(in.whole(0, 2))];
    shape.angles.factor = in.whole(1, 40);
    shape.angles.low = in.whole(1, 3);
    shape.angles.high = shape.angles.low + in.whole(1, 30);
    shape.angles.original = in.whole(16, 9000);
    shape.split = in.whole(0, shape.sequence);
    shape.first = in.whole(0, 300);
    shape.second = shape.first + shape.split + in.whole(0, 3000);
    return shape;
}

}  // namespace

class LatentKernelsTest : public QObject, KernelRows {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase_data() { addRows(); }
    void initTestCase() { setKernelThreads(1); }
    void init() { takeRow(); }

    void headsOfLatentAttention() {
        RandomInputs in;
        for (int round = 0; round < 4; ++round) {
            const LatentShape shape = randomShape(in, 12);
            const std::size_t tokens = std::size_t(shape.samples) * shape.sequence;
            const auto queries = activations(in.floats(tokens * shape.queryColumns())),
                       expanded = activations(in.floats(tokens * shape.expandedColumns())),
                       sharedKey = activations(in.floats(tokens * shape.turned));
            const auto apart = poisoned(tokens * shape.apartColumns(), row().t);
            device().latentHeads(shape, queries, expanded, sharedKey, apart);
            CLOSE(apart, reference::latentHeads(shape, {queries.given(), expanded.given(), sharedKey.given()}), 1e-6);
            const auto gradient = activations(in.floats(apart.size()));
            const auto gotQueries = poisoned(queries.size(), row().t), gotExpanded = poisoned(expanded.size(), row().t),
                       gotKey = poisoned(sharedKey.size(), row().t);
            device().latentHeadsGrad(shape, gradient, gotQueries, gotExpanded, gotKey);
            const reference::LatentParts wanted = reference::latentHeadsGradient(shape, gradient.given());
            CLOSE(gotQueries, wanted.queries, 1e-5);
            CLOSE(gotExpanded, wanted.expanded, 1e-5);
            CLOSE(gotKey, wanted.sharedKey, 1e-5);
        }
    }

    /// What the formula transposed gives is what differences of it give.
    void gradientOfTheHeads() {
        RandomInputs in;
        LatentShape shape = randomShape(in, 3);
        shape.plain = in.whole(1, 4);
        shape.turned = 2 * in.whole(1, 3);
        shape.values = in.whole(1, shape.width());
        const std::size_t tokens = std::size_t(shape.samples) * shape.sequence;
        const Values queries = activations(in.floats(tokens * shape.queryColumns())).given(),
                     expanded = activations(in.floats(tokens * shape.expandedColumns())).given(),
                     sharedKey = activations(in.floats(tokens * shape.turned)).given();
        const auto gradient = activations(in.floats(tokens * shape.apartColumns()));
        const auto gotQueries = poisoned(queries.size(), row().t), gotExpanded = poisoned(expanded.size(), row().t),
                   gotKey = poisoned(sharedKey.size(), row().t);
        device().latentHeadsGrad(shape, gradient, gotQueries, gotExpanded, gotKey);
        const auto loss = [&](const Values& q, const Values& e, const Values& k) {
            return reference::dot(reference::latentHeads(shape, {q, e, k}), gradient.given());
        };
        CLOSE(gotQueries,
              reference::numericGradient([&](const Values& v) { return loss(v, expanded, sharedKey); }, queries), 1e-5);
        CLOSE(gotExpanded,
              reference::numericGradient([&](const Values& v) { return loss(queries, v, sharedKey); }, expanded), 1e-5);
        CLOSE(gotKey,
              reference::numericGradient([&](const Values& v) { return loss(queries, expanded, v); }, sharedKey), 1e-5);
    }

    /// What lies between the columns stays.
    void partsOfColumns() {
        RandomInputs in;
        for (int round = 0; round < 4; ++round) {
            const int rows = in.whole(1, 90), columns = someWidth(in, 200);
            const int fromStride = columns + in.whole(0, 9), toStride = columns + in.whole(0, 9);
            const int first = in.whole(0, fromStride - columns), at = in.whole(0, toStride - columns);
            const auto from = activations(in.floats(std::size_t(rows) * fromStride)),
                       to = activations(in.floats(std::size_t(rows) * toStride));
            Values wanted = to.given();
            for (int r = 0; r < rows; ++r)
                for (int c = 0; c < columns; ++c)
                    wanted[std::size_t(r) * toStride + at + c] = from.given()[std::size_t(r) * fromStride + first + c];
            device().copyColumns(rows, columns, ConstArray(from) + first, fromStride, Array(to) + at, toStride);
            const std::vector<float> got = to.now();
            TRUE_OF(std::equal(got.begin(), got.end(), wanted.begin(), wanted.end()));
        }
    }
};

QTEST_GUILESS_MAIN(LatentKernelsTest)
#include "latent_kernels_test.moc"
