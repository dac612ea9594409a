// SPDX-License-Identifier: Apache-2.0
// The text of the CUDA kernels of the attention, run on the processor, against its definition in double precision.
#include "tests/gpu/emulated_block.h"

#include "kernels/cuda/attention_backward.cuh"
#include "kernels/cuda/attention_forward.cuh"
#include "kernels/cuda/attention_plain.cuh"
#include "kernels/cpu/dropout_mask.h"
#include "tests/gpu/attention_reference.h"

#include <QTest>

#include <limits>
#include <random>

namespace shardlab::kernels::cuda {

namespace {

template <class T>
constexpr double tolerance = 1e-5;
template <>
constexpr double tolerance<__nv_bfloat16> = 4.0 / 256;
template <>
constexpr double tolerance<__half> = 4.0 / 2048;

float asFloat(float x) { return x; }
float asFloat(__nv_bfloat16 x) { return static_cast<float>(x); }
float asFloat(__half x) { return static_cast<float>(x); }

template <class T>
struct Case {
    AttentionShape shape;
    float share = 0;
    std::vector<T> qkv, output, outputGradient, qkvGradient;
    std::vector<float> logSums, rowDots, sinks;
    test::AttentionReference expected;
    AttentionArguments arguments;

    Case(const AttentionShape& of, float dropped, unsigned seed) : shape(of), share(dropped) {
        std::mt19937 random(seed);
        std::normal_distribution<float> normal;
        const auto tokens = static_cast<std::size_t>(shape.samples * shape.sequence);
        const std::size_t hidden = static_cast<std::size_t>(shape.heads * shape.width);
        const auto draw = [&](std::vector<T>& values, std::size_t count, float spread) {
            for (std::size_t i = 0; i < count; ++i) values.push_back(T(spread * normal(random)));
        };
        draw(qkv, tokens * 3 * hidden, 1.5f);
        draw(outputGradient, tokens * hidden, 1);
        const float nan = std::numeric_limits<float>::quiet_NaN();
        output.assign(tokens * hidden, T(nan));
        qkvGradient.assign(tokens * 3 * hidden, T(nan));
        logSums.assign(tokens * static_cast<std::size_t>(shape.heads), nan);
        rowDots = logSums;
        for (int head = 0; shape.sinks && head < shape.heads; ++head) sinks.push_back(2 * normal(random));
        AttentionDropout dropout{{random(), 12345678901, share}, 3 * shape.heads * shape.sequence + 7};
        const auto doubles = [](const std::vector<T>& values) {
            test::Numbers numbers;
            for (const T& value : values) numbers.push_back(asFloat(value));
            return numbers;
        };
        expected = test::attentionReference(
            shape, doubles(qkv), doubles(outputGradient), dropout.rowsOfSample,
            [&](std::int64_t row, int key) { return share > 0 ? cpu::DropoutRow(dropout.mask, row)(key) : 1.0f; },
            test::Numbers(sinks.begin(), sinks.end()));
        arguments = {.sequence = shape.sequence,
                     .heads = shape.heads,
                     .width = shape.width,
                     .samples = shape.samples,
                     .scale = 1 / std::sqrt(static_cast<float>(shape.width)),
                     .dropout = dropout,
                     .qkv = qkv.data(),
                     .output = output.data(),
                     .logSums = logSums.data(),
                     .outputGradient = outputGradient.data(),
                     .rowDots = rowDots.data(),
                     .qkvGradient = qkvGradient.data()};
        if (shape.window > 0) arguments.window = shape.window;
        arguments.rule = shape.rule;
        if (shape.sinks) arguments.sinks = sinks.data();
    }

    template <class Value>
    static void compare(const char* what, const std::vector<Value>& values, const test::Numbers& expected, double of) {
        QCOMPARE(values.size(), expected.size());
        double largest = 0;
        for (const double value : expected) largest = std::max(largest, std::abs(value));
        for (std::size_t i = 0; i < values.size(); ++i)
            QVERIFY2(std::abs(asFloat(values[i]) - expected[i]) <= of * largest,
                     qPrintable(QString("%1[%2] = %3, expected %4, of at most %5")
                                    .arg(what)
                                    .arg(i)
                                    .arg(asFloat(values[i]))
                                    .arg(expected[i])
                                    .arg(largest)));
    }
    void check() const {
        compare("logSums", logSums, expected.logSums, 1e-5);
        compare("output", output, expected.output, tolerance<T>);
        compare("qkvGradient", qkvGradient, expected.qkvGradient, 2 * tolerance<T>);
    }
    int blocks(int rows) const { return shape.samples * shape.heads * ((shape.sequence + rows - 1) / rows); }
};

template <class T, int columns, class Forward = ForwardTileOf<columns>, class Backward = BackwardTileOf<columns>>
void onTensorCores(const AttentionShape& shape) {
    for (const float share : {0.0f, 0.3f}) {
        Case<T> of(shape, share, static_cast<unsigned>(shape.sequence * 7 + shape.width));
        const AttentionArguments& a = of.arguments;
        const auto run = [&]<bool drops, bool ruled>() {
            emulate(of.blocks(Forward::queries), Forward::threads, Forward::template sharedBytes<columns>,
                    [&] { attend<T, columns, drops, ruled, Forward>(a); });
            emulate(of.blocks(Backward::rows), Backward::threads, Backward::template sharedBytes<columns>,
                    [&] { queryGradient<T, columns, drops, ruled, Backward>(a); });
            emulate(of.blocks(Backward::rows), Backward::threads, Backward::template sharedBytes<columns>,
                    [&] { keyValueGradient<T, columns, drops, ruled, Backward>(a); });
        };
        if (a.rule.changes()) run.template operator()<true, true>();
        else if (share > 0) run.template operator()<true, false>();
        else run.template operator()<false, false>();
        of.check();
    }
}

template <class T, class Tile>
void plain(const AttentionShape& shape) {
    for (const float share : {0.0f, 0.3f}) {
        Case<T> of(shape, share, static_cast<unsigned>(shape.sequence * 5 + shape.width));
        const AttentionArguments& a = of.arguments;
        emulate(of.blocks(Tile::tile), Tile::threads, plainForwardBytes<Tile>, [&] { attendPlain<T, Tile>(a); });
        emulate(of.blocks(Tile::tile), Tile::threads, plainBackwardBytes<Tile>,
                [&] { queryGradientPlain<T, Tile>(a); });
        emulate(of.blocks(Tile::tile), Tile::threads, plainBackwardBytes<Tile>,
                [&] { keyValueGradientPlain<T, Tile>(a); });
        of.check();
    }
}

}  // namespace

class AttentionLayoutTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void smallTiles() {
        using Forward = ForwardTile<2, 1, 32, 1>;
        using Backward = BackwardTile<2, 1, 32, 16, 1>;
        for (const int sequence : {1, 17, 75})
            for (const int window : {0, 1, 13, 40})
                onTensorCores<__nv_bfloat16, 32, Forward, Backward>({2, sequence, 3, 24, window});
    }
    void width32() { onTensorCores<__half, 32>({1, 140, 2, 32}); }
    void width64() {
        for (const int sequence : {5, 128, 203}) {
            onTensorCores<__nv_bfloat16, 64>({1, sequence, 2, 64});
            onTensorCores<__half, 64>({1, sequence, 1, 40});
        }
        for (const int window : {3, 70, 150}) onTensorCores<__nv_bfloat16, 64>({1, 203, 2, 64, window});
    }
    void width128() {
        onTensorCores<__nv_bfloat16, 128>({1, 150, 1, 128});
        onTensorCores<__half, 128>({1, 65, 2, 80});
        onTensorCores<__half, 128>({1, 150, 1, 128, 70});
    }
    void rulesAndSinks() {
        using Forward = ForwardTile<2, 1, 32, 1>;
        using Backward = BackwardTile<2, 1, 32, 16, 1>;
        const ScoreRule capped{2.5f, {}}, falling{0, {3, 0}}, both{4, {7, 3}};
        for (const ScoreRule& rule : {ScoreRule{}, capped, falling, both})
            for (const bool sinks : {false, true})
                for (const int window : {0, 13}) {
                    onTensorCores<__nv_bfloat16, 32, Forward, Backward>({2, 75, 3, 24, window, rule, sinks});
                    plain<float, PlainTile<64, 64>>({1, 75, 3, 33, window, rule, sinks});
                    plain<float, PlainTile<16, 256>>({1, 33, 2, 201, window, rule, sinks});
                }
        onTensorCores<__half, 64>({1, 203, 2, 64, 0, both, true});
        onTensorCores<__half, 128>({1, 150, 1, 128, 70, both, true});
    }
    void withoutTensorCores() {
        plain<float, PlainTile<64, 64>>({2, 75, 2, 64});
        plain<float, PlainTile<32, 128>>({1, 40, 2, 65});
        plain<float, PlainTile<16, 256>>({1, 33, 1, 201});
        plain<__nv_bfloat16, PlainTile<64, 64>>({1, 66, 1, 7});
        for (const int window : {1, 9, 20, 70}) {
            plain<float, PlainTile<64, 64>>({1, 140, 2, 33, window});
            plain<float, PlainTile<16, 256>>({1, 33, 1, 201, window});
        }
    }
};

}  // namespace shardlab::kernels::cuda

QTEST_GUILESS_MAIN(shardlab::kernels::cuda::AttentionLayoutTest)
#include "attention_layout_test.moc"
