// SPDX-License-Identifier: Apache-2.0
// The conformance test of all devices, as kernels_test: attention that meets its keys block by block is that of all
// keys at once, forward and backward.
#include "tests/kernels/kernel_rows.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <array>
#include <utility>

using namespace shardlab::test;
using reference::toDouble;
using reference::Values;

namespace {

struct Whole {
    int samples, sequence, heads, width;
    int window = 0;
    ScoreRule rule = {};
    AttentionDropout dropout = {};
    int hidden() const { return heads * width; }
    std::size_t tokens() const { return std::size_t(samples) * sequence; }
};

struct Run {
    int first, count;
};

/// A sample cut into 2 · members pieces, of which a member holds one from the front and its counterpart from the back.
std::array<Run, 2> runsOf(const Whole& whole, int members, int member) {
    const int piece = whole.sequence / (2 * members);
    return {{{member * piece, piece}, {(2 * members - 1 - member) * piece, piece}}};
}

/// Rows of `columns` of every sample: those of the two runs, in order.
std::vector<float> rowsOf(const std::vector<float>& matrix, const Whole& whole, const std::array<Run, 2>& runs,
                          int columns) {
    std::vector<float> rows;
    for (int sample = 0; sample < whole.samples; ++sample)
        for (const Run& run : runs) {
            const auto first = matrix.begin() + (std::ptrdiff_t(sample) * whole.sequence + run.first) * columns;
            rows.insert(rows.end(), first, first + std::ptrdiff_t(run.count) * columns);
        }
    return rows;
}

/// And back to their places.
void putRows(const std::vector<float>& rows, const Whole& whole, const std::array<Run, 2>& runs, int columns,
             std::vector<float>& matrix) {
    auto from = rows.begin();
    for (int sample = 0; sample < whole.samples; ++sample)
        for (const Run& run : runs) {
            const std::ptrdiff_t count = std::ptrdiff_t(run.count) * columns;
            std::copy(from, from + count,
                      matrix.begin() + (std::ptrdiff_t(sample) * whole.sequence + run.first) * columns);
            from += count;
        }
}

/// What member `own` has to do with the keys of member `other`.
AttentionBlock blockOf(const Whole& whole, int members, int own, int other) {
    const int rows = whole.sequence / members, piece = rows / 2;
    AttentionBlock block{whole.samples, rows, whole.heads, whole.width, 0, rows, 0, rows, own == other};
    block.window = whole.window;
    block.rule = whole.rule;
    block.sequence = whole.sequence;
    block.dropout = whole.dropout;
    const auto positions = [&](int member) {
        const auto runs = runsOf(whole, members, member);
        return RowPositions{runs[0].first, runs[0].count, runs[1].first};
    };
    block.queryRows = positions(own);
    block.keyRows = positions(other);
    if (other < own) block.keys = piece;
    if (other > own) block.firstQuery = block.queries = piece;
    return block;
}

}  // namespace

class BlockAttentionKernelsTest : public QObject, KernelRows {
    Q_OBJECT

    /// Where each word between lanes is a change of threads, sizes are as small as they can be.
    bool emulated() const { return device().name().find("emulated") != std::string::npos; }

    /// Gives the whole a mask, which counts heads that others hold, and writes it out for the reference.
    Values drawnMask(RandomInputs& in, Whole& whole) const {
        const int s = whole.sequence;
        whole.dropout = {{std::uint64_t(in.whole(1, 1 << 30)), in.whole(0, 99), 0.4f},
                         std::int64_t{whole.heads + 2} * s};
        Values keep;
        for (int sample = 0; sample < whole.samples; ++sample) {
            DropoutMask mask = whole.dropout.mask;
            mask.firstRow += sample * whole.dropout.rowsOfSample;
            for (const float factor : maskOf(whole.heads * s, s, mask)) keep.push_back(factor);
        }
        return keep;
    }

private Q_SLOTS:
    void initTestCase_data() { addRows(); }
    void initTestCase() { setKernelThreads(1); }
    void init() { takeRow(); }

    void aRingOfBlocksIsTheWhole_data() {
        QTest::addColumn<int>("members");
        QTest::addColumn<Whole>("whole");
        RandomInputs in;
        const auto row = [&](int members, int piece, int samples, int heads, int width) {
            QTest::addRow("%d members, pieces of %d, %d samples, %d heads of %d", members, piece, samples, heads, width)
                << members << Whole{samples, 2 * members * piece, heads, width};
        };
        for (const int members : {1, 2, 3, 4})
            row(members, in.whole(1, 9), in.whole(1, 2), in.whole(1, 3), in.whole(1, 7));
        row(2, in.whole(33, 70), 1, 2, in.whole(1, 40));  // across blocks of rows
        row(3, in.whole(20, 45), 2, 1, 64);
        row(2, 1, 1, 1, in.whole(65, 130));
        row(4, 32, 1, 2, 32);
    }
    void aRingOfBlocksIsTheWhole() {
        QFETCH(int, members);
        QFETCH(Whole, whole);
        RandomInputs in;
        if (emulated())
            whole = {1, 2 * members * std::min(whole.sequence / members / 2, 2), std::min(whole.heads, 2), whole.width};
        const int hidden = whole.hidden(), rows = whole.sequence / members, tokens = whole.samples * rows;
        const std::size_t numbers = std::size_t(tokens) * hidden, heads = std::size_t(tokens) * whole.heads;
        const auto qkv = activations(in.floats(3 * whole.tokens() * hidden));
        const auto weight = activations(in.floats(whole.tokens() * hidden));
        if (in.coin()) whole.window = in.whole(1, whole.sequence + 1);
        reference::ScoreRules rules;
        if (in.coin()) rules.cap = whole.rule.cap = float(in.whole(1, 40)) / 2;
        if (in.coin()) {
            whole.rule.slopes = {whole.heads + 1, 1};
            const Values all = reference::alibiSlopes(whole.heads + 1);
            rules.slopes.assign(all.begin() + 1, all.end());
        }
        const auto sinkScores = weights(in.floats(std::size_t(in.coin() ? whole.heads : 0), 2));
        const bool sinking = !sinkScores.given().empty();
        if (sinking) rules.sinks = sinkScores.given();
        Values keep;
        if (in.coin()) keep = drawnMask(in, whole);
        const auto wanted = reference::attention(qkv.given(), whole.samples, whole.sequence, whole.heads, whole.width,
                                                 keep, whole.window, rules);
        const auto scratch = poisoned(device().attentionBlockScratch(rows, whole.width));
        const std::vector<float> allQkv = qkv.now(), allWeights = weight.now();
        std::vector<float> output(whole.tokens() * hidden), gradient(3 * whole.tokens() * hidden);
        std::vector<float> sinkGradient(rules.sinks.size());
        std::vector<DeviceArray> queries, keysValues, keysValuesGradient, queryGradient;
        for (int member = 0; member < members; ++member) {
            queries.push_back(activations(rowsOf(allQkv, whole, runsOf(whole, members, member), 3 * hidden)));
            keysValues.push_back(poisoned(2 * numbers, row().t));
            device().takeKeysValues(tokens, hidden, queries.back(), keysValues.back());
            queryGradient.push_back(floats(std::vector<float>(numbers)));
            keysValuesGradient.push_back(floats(std::vector<float>(2 * numbers)));
        }
        for (int member = 0; member < members; ++member) {
            const auto at = std::size_t(member);
            const auto runs = runsOf(whole, members, member);
            const auto sums = poisoned(numbers), logSums = poisoned(heads), attended = poisoned(numbers, row().t);
            const auto ofSinks = poisoned(rules.sinks.size());
            const HeadSinks sinks = sinking ? HeadSinks{sinkScores, ofSinks.floats()} : HeadSinks{};
            for (int step = 0; step < members; ++step) {
                const int other = (member - step + members) % members;
                device().attentionBlock(blockOf(whole, members, member, other), queries[at],
                                        keysValues[std::size_t(other)], sinks, step == 0, sums.floats(),
                                        logSums.floats(), scratch.floats());
            }
            device().convert(std::int64_t(numbers), sums, attended);
            putRows(attended.now(), whole, runs, hidden, output);
            const auto ownWeights = activations(rowsOf(allWeights, whole, runs, hidden));
            for (int step = 0; step < members; ++step) {
                const int other = (member - step + members) % members;
                device().attentionBlockGrad(blockOf(whole, members, member, other), queries[at],
                                            keysValues[std::size_t(other)], attended, ownWeights, logSums.floats(),
                                            queryGradient[at].floats(), keysValuesGradient[std::size_t(other)].floats(),
                                            scratch.floats());
            }
            if (!sinking) continue;
            device().sinkGrad(blockOf(whole, members, member, member), attended, ownWeights, logSums.floats(), sinks);
            const std::vector<float> own = ofSinks.now();
            for (std::size_t head = 0; head < own.size(); ++head) sinkGradient[head] += own[head];
        }
        for (int member = 0; member < members; ++member) {
            const auto at = std::size_t(member);
            const auto joined = poisoned(3 * numbers, row().t);
            device().joinGradients(tokens, hidden, queryGradient[at].floats(), keysValuesGradient[at].floats(), joined);
            putRows(joined.now(), whole, runsOf(whole, members, member), 3 * hidden, gradient);
        }
        // Where nearly all is dropped, what is left is small beside what was summed.
        const auto least = [&](const Values& summed) { return keep.empty() ? 1e-9 : reference::largestOf(summed); };
        CLOSE_ABOVE(activations(output), wanted, 1e-5, least(qkv.given()) / 4);
        // The reference takes the output as it was rounded, since backward reads that.
        Values wantedSinks(rules.sinks.size());
        CLOSE_ABOVE(activations(gradient),
                    reference::attentionGradient(qkv.given(), weight.given(), whole.samples, whole.sequence,
                                                 whole.heads, whole.width, keep, toDouble(output), whole.window, rules,
                                                 sinking ? &wantedSinks : nullptr),
                    2e-5, least(weight.given()) / 2);
        if (sinking)
            TRUE_OF(reference::mismatch(sinkGradient, wantedSinks, reference::largestOf(weight.given()) / 2) < 2e-5);
    }

    /// Any cut of the keys gives the same: the rows that were not asked for stay as they are, and what is added is
    /// added.
    void anyCutOfTheKeysIsTheWhole() {
        RandomInputs in;
        const int rows = in.whole(3, emulated() ? 9 : 90), heads = in.whole(1, 3), width = in.whole(1, 20),
                  hidden = heads * width;
        const int first = in.whole(0, rows - 2), queries = in.whole(1, rows - first - 1), cut = in.whole(1, rows - 1);
        const auto qkv = activations(in.floats(std::size_t(rows) * 3 * hidden));
        const auto keysValues = poisoned(std::size_t(rows) * 2 * hidden, row().t);
        device().takeKeysValues(rows, hidden, qkv, keysValues);
        const auto scratch = poisoned(device().attentionBlockScratch(rows, width));
        const auto attended = [&](const std::vector<std::pair<int, int>>& blocks) {
            const auto sums = floats(std::vector<float>(std::size_t(rows) * hidden, 7));
            const auto logSums = floats(std::vector<float>(std::size_t(rows) * heads, 7));
            bool begins = true;
            for (const auto& [key, keys] : blocks) {
                device().attentionBlock({1, rows, heads, width, first, queries, key, keys, false}, qkv, keysValues, {},
                                        begins, sums.floats(), logSums.floats(), scratch.floats());
                begins = false;
            }
            std::vector<float> all = sums.now();
            const std::vector<float> more = logSums.now();
            all.insert(all.end(), more.begin(), more.end());
            return all;
        };
        const std::vector<float> whole = attended({{0, rows}});
        for (const auto& other : {attended({{0, cut}, {cut, rows - cut}}), attended({{cut, rows - cut}, {0, cut}})})
            TRUE_OF(reference::mismatch(other, toDouble(whole)) < allowed(row().t, 1e-5));
        for (int row = 0; row < rows; ++row)
            TRUE_OF((row >= first && row < first + queries) || whole[std::size_t(row) * hidden] == 7);
    }

    void hugeScoresStayFinite() {
        RandomInputs in;
        const int rows = emulated() ? 9 : 37, hidden = 5;
        const auto qkv = activations(in.floats(rows * 3 * hidden, 200)), weight = activations(in.floats(rows * hidden));
        const auto keysValues = poisoned(rows * 2 * hidden, row().t), attended = poisoned(rows * hidden, row().t);
        device().takeKeysValues(rows, hidden, qkv, keysValues);
        const auto scratch = poisoned(device().attentionBlockScratch(rows, hidden));
        const auto sums = poisoned(rows * hidden), logSums = poisoned(rows);
        const auto queryGradient = floats(std::vector<float>(rows * hidden)),
                   keysValuesGradient = floats(std::vector<float>(rows * 2 * hidden));
        const AttentionBlock own{1, rows, 1, hidden, 0, rows, 0, rows, true},
            others{1, rows, 1, hidden, 0, rows, 0, rows, false};
        device().attentionBlock(own, qkv, keysValues, {}, true, sums.floats(), logSums.floats(), scratch.floats());
        device().attentionBlock(others, qkv, keysValues, {}, false, sums.floats(), logSums.floats(), scratch.floats());
        device().convert(rows * hidden, sums, attended);
        for (const AttentionBlock& block : {own, others})
            device().attentionBlockGrad(block, qkv, keysValues, attended, weight, logSums.floats(),
                                        queryGradient.floats(), keysValuesGradient.floats(), scratch.floats());
        for (const DeviceArray* array : {&sums, &logSums, &queryGradient, &keysValuesGradient})
            for (const float value : array->now()) TRUE_OF(std::isfinite(value));
    }
};

QTEST_GUILESS_MAIN(BlockAttentionKernelsTest)
#include "block_attention_kernels_test.moc"
