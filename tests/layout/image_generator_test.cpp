// SPDX-License-Identifier: Apache-2.0
// The built-in images, and how batches are made of them.
#include "engine/layout/data/corpus.h"
#include "engine/layout/data/image_generator.h"
#include "engine/layout/data/sampler.h"
#include "tests/kernels/random_inputs.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <algorithm>
#include <map>
#include <set>

using namespace shardlab::test;

namespace {

Layout layoutOf(RandomInputs& in) {
    Layout layout;
    layout.model.kind = ModelKind::Cnn;
    layout.model.cnn.image = 16;
    layout.model.cnn.channels = in.whole(1, 3);
    layout.model.cnn.classes = in.whole(2, 12);
    layout.run.seed = in.whole(0, 1 << 30);
    layout.batch = {16, 2};
    return layout;
}

}  // namespace

class ImageGeneratorTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void imagesAreAFunctionOfTheSeed() {
        RandomInputs in;
        const Layout layout = layoutOf(in);
        const std::size_t window = std::size_t(sampleInputs(layout.model)) + 1;
        const auto images = generateImages(layout.run.seed, layout.model, 300);
        QCOMPARE(images.size(), 300 * window);
        QVERIFY(images == generateImages(layout.run.seed, layout.model, 300));
        QVERIFY(images != generateImages(layout.run.seed + 1, layout.model, 300));
        std::set<int> seen;
        for (std::size_t i = 0; i < images.size(); ++i) {
            if (i % window + 1 == window) seen.insert(images[i]);
            else QVERIFY2(images[i] < 256, qPrintable(in.seed()));
        }
        QCOMPARE(int(seen.size()), layout.model.cnn.classes);
        QVERIFY(*seen.rbegin() < layout.model.cnn.classes);
    }

    /// Images of a class, wherever they are shifted to, vary alike along their rows; another class's do otherwise.
    void classesDiffer() {
        ModelSpec model;
        model.kind = ModelKind::Cnn;
        model.cnn.image = 16;
        model.cnn.classes = 2;
        const auto images = generateImages(Layout{}.run.seed, model, 400);
        const std::size_t side = 16, window = side * side + 1;
        // Products of pixels that lie (down, across) apart, all round: no shift changes their mean.
        std::map<int, std::vector<double>> means;
        std::map<int, int> counts;
        for (std::size_t at = 0; at < images.size(); at += window) {
            std::vector<double>& sum = means[images[at + window - 1]];
            sum.resize(side * side);
            ++counts[images[at + window - 1]];
            for (std::size_t apart = 1; apart < side * side; ++apart)
                for (std::size_t i = 0; i < side * side; ++i) {
                    const std::size_t other = (i / side + apart / side) % side * side + (i + apart) % side;
                    sum[apart] += (images[at + i] - 127.5) * (images[at + other] - 127.5);
                }
        }
        QCOMPARE(means.size(), std::size_t{2});
        double difference = 0, size = 0;
        for (std::size_t apart = 1; apart < side * side; ++apart) {
            const double one = means[0][apart] / counts[0], two = means[1][apart] / counts[1];
            difference += (one - two) * (one - two);
            size += one * one + two * two;
        }
        QVERIFY2(difference > 0.05 * size, qPrintable(QString("%1 of %2").arg(difference).arg(size)));
    }

    /// Replicas share out each batch, and an epoch is each image once.
    void batchesAreSharedOut() {
        RandomInputs in;
        Layout layout = layoutOf(in);
        layout.parallel.data = 4;
        layout.data.lastBatch = LastBatch::Drop;
        const auto corpus = Corpus::load(layout);
        QVERIFY2(corpus.has_value(), corpus ? "" : corpus.error().text().c_str());
        QVERIFY(corpus->summary().find("images to train on") != std::string::npos);
        std::multiset<std::vector<std::int32_t>> seen, all;
        const std::int64_t steps = corpus->trainWindows() / layout.batch.global;
        const auto pixels = std::size_t(sampleInputs(layout.model));
        for (int rank = 0; rank < 4; ++rank) {
            Sampler sampler(*corpus, layout, rank);
            for (std::int64_t step = 0; step < steps; ++step)
                for (int j = 0; j < 2; ++j) {
                    const MicrobatchTokens made = sampler.train(step, j);
                    QCOMPARE(made.tokens.size(), 2 * pixels);
                    QCOMPARE(made.targets.size(), std::size_t{2});
                    for (std::size_t i = 0; i < 2; ++i) {
                        const auto begin = made.tokens.begin() + std::ptrdiff_t(i * pixels);
                        std::vector<std::int32_t> sample(begin, begin + std::ptrdiff_t(pixels));
                        sample.push_back(made.targets[i]);
                        seen.insert(std::move(sample));
                    }
                }
        }
        for (std::int64_t i = 0; i < corpus->trainWindows(); ++i) {
            const auto window = corpus->trainWindow(i);
            all.emplace(window.begin(), window.end());
        }
        QCOMPARE(std::int64_t(seen.size()), steps * layout.batch.global);
        QVERIFY2(std::ranges::includes(all, seen), qPrintable(in.seed()));
    }
};

QTEST_GUILESS_MAIN(ImageGeneratorTest)
#include "image_generator_test.moc"
