// SPDX-License-Identifier: Apache-2.0
// The conformance test of all devices, as kernels_test: attention.
#include "tests/kernels/kernel_rows.h"
#include "tests/support/wings.h"

using namespace shardlab::test;
using reference::mismatch;
using reference::toDouble;
using reference::Values;

class AttentionKernelsTest : public QObject, KernelRows {
    Q_OBJECT

    /// Two of three rules each, of any heads among more.
    static reference::ScoreRules drawnRules(RandomInputs& in, AttentionShape& shape) {
        reference::ScoreRules rules;
        if (in.whole(0, 2) > 0) rules.cap = shape.rule.cap = float(in.whole(1, 40)) / 2;
        if (in.whole(0, 2) > 0) {
            shape.rule.slopes = {shape.heads + in.whole(0, 20), 0};
            shape.rule.slopes.first = in.whole(0, shape.rule.slopes.heads - shape.heads);
            const Values all = reference::alibiSlopes(shape.rule.slopes.heads);
            const auto first = all.begin() + shape.rule.slopes.first;
            rules.slopes.assign(first, first + shape.heads);
        }
        shape.sinks = in.whole(0, 2) > 0;
        if (shape.sinks) rules.sinks = toDouble(in.floats(std::size_t(shape.heads), 2));
        return rules;
    }

private Q_SLOTS:
    void initTestCase_data() { addRows(); }
    void initTestCase() { setKernelThreads(1); }
    void init() { takeRow(); }

    void attentions_data() {
        QTest::addColumn<AttentionShape>("shape");
        QTest::addColumn<bool>("drops");
        QTest::addColumn<bool>("ruled");
        RandomInputs in;
        const std::vector<AttentionShape> shapes{
            {in.whole(1, 2), in.whole(2, 20), in.whole(1, 3), in.whole(1, 6)},    // inside one block of rows
            {in.whole(1, 2), in.whole(75, 150), in.whole(1, 3), in.whole(1, 6)},  // across blocks
            {2, 1, 3, 64},
            {2, 17, 3, 64},
            {1, 64, 2, 64},
            {1, 100, 2, 128},
            {1, 130, 1, 64},
            {1, 256, 2, 64},
            {1, 100, 1, in.whole(65, 127)},
            {1, 200, 1, 8 * in.whole(1, 16)},
            {1, 300, 1, 32},
            {3, 33, 2, 96},
            {in.whole(1, 2), in.whole(2, 20), in.whole(1, 3), in.whole(1, 6), in.whole(1, 20)},
            {1, in.whole(75, 200), 2, in.whole(1, 6), in.whole(1, 90)},
            {1, 200, 1, 64, in.whole(1, 210)}};
        for (const AttentionShape& shape : shapes)
            for (const bool drops : {false, true})
                for (const bool ruled : {false, true})
                    QTest::addRow("%d x %d, %d heads of %d, window %d%s%s", shape.samples, shape.sequence, shape.heads,
                                  shape.width, shape.window, drops ? ", dropout" : "", ruled ? ", ruled" : "")
                        << shape << drops << ruled;
    }
    /// The mask is written out for the reference; it counts heads that others hold.
    void attentions() {
        QFETCH(AttentionShape, shape);
        QFETCH(bool, drops);
        QFETCH(bool, ruled);
        RandomInputs in;
        reference::ScoreRules rules;
        if (ruled) rules = drawnRules(in, shape);
        const auto sinkScores = weights(std::vector<float>(rules.sinks.begin(), rules.sinks.end()));
        const auto sinkGradient = poisoned(rules.sinks.size());
        const HeadSinks sinks = shape.sinks ? HeadSinks{sinkScores, sinkGradient.floats()} : HeadSinks{};
        if (shape.sinks) rules.sinks = sinkScores.given();
        const int s = shape.sequence;
        const std::size_t sequences = std::size_t(shape.samples) * shape.heads;
        const std::size_t size = sequences * s * shape.width;
        AttentionDropout dropout;
        Values keep;
        if (drops) {
            dropout = {{std::uint64_t(in.whole(1, 1 << 30)), in.whole(0, 99), 0.4f}, std::int64_t{shape.heads + 2} * s};
            for (int sample = 0; sample < shape.samples; ++sample)
                for (float k : maskOf(shape.heads * s, s,
                                      {dropout.mask.key, dropout.mask.firstRow + sample * dropout.rowsOfSample, 0.4f}))
                    keep.push_back(k);
        }
        const auto values = in.floats(3 * size);
        const auto qkv = activations(values), weight = activations(in.floats(size));
        const AttentionNeeds needs = device().attentionNeeds(shape, row().t, drops);
        const auto kept = poisoned(needs.kept, needs.keepsProbabilities ? row().t : DType::F32);
        const auto out = poisoned(size, row().t), forwardScratch = poisoned(needs.forwardScratch);
        device().attention(shape, qkv, kept, out, dropout, sinks, forwardScratch.floats());
        CLOSE_ABOVE(
            out,
            reference::attention(qkv.given(), shape.samples, s, shape.heads, shape.width, keep, shape.window, rules),
            1e-5, reference::largestOf(qkv.given()) / 4);
        const std::size_t rows = sequences * s, ofSinks = shape.sinks && needs.keepsProbabilities ? rows : 0;
        QCOMPARE(needs.kept, needs.keepsProbabilities ? rows * s + ofSinks : rows);
        if (needs.keepsProbabilities) {
            const auto probabilities = kept.now();
            for (std::size_t r = 0; r < sequences * s; ++r) {
                double sum = shape.sinks ? probabilities[rows * s + r] : 0;
                for (std::size_t j = 0; j < std::size_t(s); ++j) sum += probabilities[r * s + j];
                TRUE_OF(std::abs(sum - 1) < allowed(row().t, 1e-5));
                for (std::size_t j = r % s + 1; j < std::size_t(s); ++j) TRUE_OF(probabilities[r * s + j] == 0);
                for (int j = 0; j < shape.firstSeen(int(r % s)); ++j)
                    TRUE_OF(probabilities[r * s + std::size_t(j)] == 0);
            }
        }

        Values wantedSinks(rules.sinks.size());
        const Values wanted =
            reference::attentionGradient(qkv.given(), weight.given(), shape.samples, s, shape.heads, shape.width, keep,
                                         {}, shape.window, rules, shape.sinks ? &wantedSinks : nullptr);
        const auto elsewhere = poisoned(3 * size, row().t), backwardScratch = poisoned(needs.backwardScratch);
        device().attentionGrad(shape, qkv, kept, out, weight, elsewhere, dropout, sinks, backwardScratch.floats());
        CLOSE_ABOVE(elsewhere, wanted, 2e-5, reference::largestOf(weight.given()) / 2);
        // A sum over all rows, of which each is rounded: their errors add up as a random walk does.
        if (shape.sinks)
            TRUE_OF(reference::mismatch(sinkGradient.now(), wantedSinks,
                                        reference::largestOf(weight.given()) / 2 *
                                            std::sqrt(static_cast<double>(shape.samples) * shape.sequence)) <
                    allowed(row().t, 2e-5));
        TRUE_OF(toDouble(qkv.now()) == qkv.given());
        if (!needs.inPlace) return;
        // kept may have been overwritten
        device().attention(shape, qkv, kept, out, dropout, sinks, forwardScratch.floats());
        device().attentionGrad(shape, qkv, kept, out, weight, qkv, dropout, sinks, backwardScratch.floats());
        TRUE_OF(qkv.now() == elsewhere.now());
    }

    /// The formula that judges attentions is itself judged by differences.
    void attentionGradientOfReference() {
        RandomInputs in;
        const int samples = in.whole(1, 2), s = in.whole(1, 7), heads = in.whole(1, 3), width = in.whole(1, 4);
        AttentionShape shape{samples, s, heads, width, in.whole(0, 7)};
        const int window = shape.window;
        const reference::ScoreRules rules = drawnRules(in, shape);
        const auto qkv = toDouble(in.floats(std::size_t(samples) * s * heads * width * 3));
        const auto weight = toDouble(in.floats(qkv.size() / 3));
        Values keep(std::size_t(samples) * heads * s * s);
        for (double& k : keep) k = in.coin() ? 0 : 1.25;
        const auto loss = [&](const Values& v) {
            return reference::dot(reference::attention(v, samples, s, heads, width, keep, window, rules), weight);
        };
        const Values differences = reference::numericGradient(loss, qkv);
        Values sinks(rules.sinks.size());
        const Values got = reference::attentionGradient(qkv, weight, samples, s, heads, width, keep, {}, window, rules,
                                                        sinks.empty() ? nullptr : &sinks);
        TRUE_OF(mismatch(std::vector<float>(got.begin(), got.end()), differences) < 1e-6);
        if (sinks.empty()) return;
        const Values wanted = reference::numericGradient(
            [&](const Values& scores) {
                const reference::ScoreRules moved{rules.cap, rules.slopes, scores};
                return reference::dot(reference::attention(qkv, samples, s, heads, width, keep, window, moved), weight);
            },
            rules.sinks);
        TRUE_OF(mismatch(std::vector<float>(sinks.begin(), sinks.end()), wanted) < 1e-6);
    }

    void attentionOfHugeScoresStaysFinite() {
        RandomInputs in;
        AttentionShape shape{1, 37, 1, 5};
        const reference::ScoreRules rules = in.coin() ? drawnRules(in, shape) : reference::ScoreRules{};
        const auto sinkScores = weights(std::vector<float>(shape.heads, in.coin() ? 1000.0f : -1000.0f));
        const auto sinkGradient = poisoned(1);
        const HeadSinks sinks = shape.sinks ? HeadSinks{sinkScores, sinkGradient.floats()} : HeadSinks{};
        const auto qkv = activations(in.floats(37 * 15, 200)), weight = activations(in.floats(37 * 5));
        const AttentionNeeds needs = device().attentionNeeds(shape, row().t, false);
        const auto kept = poisoned(needs.kept, needs.keepsProbabilities ? row().t : DType::F32);
        const auto out = poisoned(37 * 5, row().t), gradient = poisoned(37 * 15, row().t);
        const auto scratch = poisoned(std::max(needs.forwardScratch, needs.backwardScratch));
        device().attention(shape, qkv, kept, out, {}, sinks, scratch.floats());
        for (float value : out.now()) TRUE_OF(std::isfinite(value));
        for (float value : kept.now()) TRUE_OF(std::isfinite(value));
        device().attentionGrad(shape, qkv, kept, out, weight, gradient, {}, sinks, scratch.floats());
        for (float value : gradient.now()) TRUE_OF(std::isfinite(value));
        if (shape.sinks) TRUE_OF(std::isfinite(sinkGradient.now()[0]));
    }
};

QTEST_GUILESS_MAIN(AttentionKernelsTest)
#include "attention_kernels_test.moc"
