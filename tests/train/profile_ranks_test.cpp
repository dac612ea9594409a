// SPDX-License-Identifier: Apache-2.0
// What ranks measure of a layout: its sizes against those that follow from the model, its times for being times.
#include "engine/layout/model_shape.h"
#include "engine/predict/plan/plan.h"
#include "engine/train/run/profile.h"
#include "tests/support/named.h"
#include "tests/train/rank_threads.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace shardlab::test;

namespace {

Layout small(std::string kind, std::string schedule, int pipeline, int data) {
    Layout layout;
    layout.model = {.kind = named(kind), .layers = 4, .hidden = 32, .heads = 4, .sequence = 16};
    layout.cluster.hosts = {HostSpec{"localhost", pipeline * data}};
    layout.parallel.pipeline = pipeline;
    layout.parallel.data = data;
    layout.schedule.kind = std::move(schedule);
    layout.batch = {4 * data, 1};
    return layout;
}

double flopsOf(const KernelAccount& account, std::initializer_list<const char*> names) {
    double sum = 0;
    for (const KernelProfile& kernel : account.kernels)
        for (const char* name : names) sum += kernel.name == name ? kernel.flops : 0;
    return sum;
}

/// Each product of the forward has two in the backward, which are as large.
void kernelsFollowFromTheModel(const Profile& profile) {
    const Layout& layout = profile.layout;
    const ModelSpec& model = layout.model;
    const bool gpt = model.kind == ModelKind::Gpt;
    const double tokens = double(layout.batch.global) * model.sequence, h = model.hidden;
    double forward = 2 * tokens * h * model.vocabulary;
    const double latents = double(cutAttentionWeights(model) + wholeAttentionWeights(model));
    const double attention = latentAttention(model) ? latents : gpt ? 4 * h * h : 0;
    for (int layer = 0; layer < model.layers; ++layer)
        forward += 2 * tokens * (attention + 2 * h * double(feedForwardWidth(model, layer)));
    const KernelAccount& account = profile.kernels;
    const int ranks = rankCount(layout);
    const auto near = [](double is, double should) { return std::abs(is - should) <= 1e-9 * should; };
    QVERIFY(near(ranks * flopsOf(account, {"A·B", "A·Bᵀ", "Aᵀ·B"}), 3 * forward));
    // Values of latent attention are filled up to the width of queries.
    const double columns = latentAttention(model) ? double(queryColumns(model)) : h;
    const double scores = gpt ? tokens * columns * model.sequence * model.layers : 0;
    QVERIFY(near(ranks * flopsOf(account, {"attention"}), 2 * scores));
    QVERIFY(near(ranks * flopsOf(account, {"attention gradient"}), 4 * scores));
    QVERIFY(account.peakFlops > 0 && account.memoryBandwidth > 0);
    double seconds = betweenKernels(account);
    for (const KernelProfile& kernel : account.kernels) {
        QVERIFY(kernel.calls > 0 && kernel.seconds > 0 && kernel.bytes > 0);
        QVERIFY(leastSeconds(kernel, account) >= kernel.flops / account.peakFlops);
        QVERIFY(leastSeconds(kernel, account) >= kernel.bytes / account.memoryBandwidth);
        seconds += kernel.seconds;
    }
    QVERIFY(std::abs(seconds - account.seconds) < 1e-9 + 1e-9 * seconds);
    QVERIFY(std::ranges::is_sorted(account.kernels, std::greater<>(), &KernelProfile::seconds));
}

std::vector<Profile> measure(const Layout& layout) {
    const auto plan = makePlan(layout);
    if (!plan) qFatal("%s", toText(plan.error()).c_str());
    std::vector<Profile> profiles(static_cast<std::size_t>(plan->mesh.ranks()));
    const std::string error = runRanks(plan->mesh.ranks(), [&](int rank, Communicator& world) {
        const auto processor = makeCpuDevice();
        profiles[static_cast<std::size_t>(rank)] = measureProfile(*plan, world, *processor, {}, {});
    });
    if (!error.empty()) qFatal("%s", error.c_str());
    return profiles;
}

}  // namespace

class ProfileRanksTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sizesFollowFromTheModel_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("data");
        QTest::newRow("gpt, one rank") << "gpt"
                                       << "1f1b" << 1 << 1;
        QTest::newRow("gpt, 2 x 2") << "gpt"
                                    << "1f1b" << 2 << 2;
        QTest::newRow("gpt, split backward") << "gpt"
                                             << "zb-h1" << 2 << 1;
        QTest::newRow("mlp") << "mlp"
                             << "gpipe" << 2 << 1;
        QTest::newRow("widths") << "widths"
                                << "gpipe" << 2 << 1;
        QTest::newRow("latent attention") << "latent"
                                          << "1f1b" << 2 << 1;
    }
    void sizesFollowFromTheModel() {
        QFETCH(QString, kind);
        QFETCH(QString, schedule);
        QFETCH(int, pipeline);
        QFETCH(int, data);
        const bool widths = kind == "widths", latent = kind == "latent";
        Layout layout = small(widths || latent ? "gpt" : kind.toStdString(), schedule.toStdString(), pipeline, data);
        if (latent) {
            layout.model.block.positions = PositionKind::Rotary;
            layout.model.block.kvRank = 12;
            layout.model.block.queryRank = 20;
            layout.model.block.ropeWidth = 4;
            layout.model.block.valueWidth = 5;
        }
        if (widths) layout.model.feedForward = {32, 64, 64, 16};
        const std::vector<Profile> profiles = measure(layout);
        const Profile& profile = profiles.front();
        for (const Profile& other : profiles) {
            // Everything but the moment.
            Profile same = other;
            same.date = profile.date;
            QVERIFY(same == profile);
        }
        const ModelSpec& model = layout.model;
        const std::int64_t floatBytes = sizeof(float);
        QCOMPARE(profile.embedding.weightBytes, floatBytes * embeddingParameters(model));
        QCOMPARE(profile.output.weightBytes, floatBytes * 2 * model.hidden);
        QCOMPARE(profile.blocks.size(), widths ? std::size_t{3} : std::size_t{1});
        std::int64_t activations = profile.embedding.activationBytes + profile.output.activationBytes;
        for (int layer = 0; layer < model.layers; ++layer) {
            const PartProfile block = blockProfile(profile, layer);
            QCOMPARE(block.weightBytes, floatBytes * layerParameters(model, layer));
            activations += block.activationBytes;
            for (const double seconds :
                 {block.forward, block.backward, block.inputGrad, block.weightGrad, block.optimizer})
                QVERIFY(seconds > 0 && seconds < 1);
        }
        QCOMPARE(activations, floatBytes * stageStoredFloats(model, {model.layers, true, true}, layout.batch.micro));
        QCOMPARE(profile.send.bandwidth > 0, pipeline * data > 1);
        QCOMPARE(profile.allReduce.bandwidth > 0, pipeline * data > 1);
        QVERIFY(std::isfinite(profile.send.bandwidth) && std::isfinite(profile.allReduce.bandwidth));
        kernelsFollowFromTheModel(profile);
    }

    /// Every block by itself, for each has other maps; no embedding.
    void sizesOfACnn() {
        Layout layout = small("cnn", "gpipe", 2, 1);
        layout.model.hidden = 4;
        layout.model.cnn.channels = 3;
        const Profile profile = measure(layout).front();
        const ModelSpec& model = layout.model;
        const std::int64_t floatBytes = sizeof(float), features = outputWidth(model);
        QCOMPARE(profile.embedding.weightBytes, std::int64_t{0});
        QCOMPARE(profile.output.weightBytes, floatBytes * (2 * features + model.cnn.classes * features));
        QCOMPARE(profile.blocks.size(), std::size_t{4});
        std::int64_t activations =
            floatBytes * layout.batch.micro * sampleInputs(model) + profile.output.activationBytes;
        const double forward = stageForwardFlops(model, {model.layers, true, true}, layout.batch.global);
        for (int layer = 0; layer < model.layers; ++layer) {
            const PartProfile block = blockProfile(profile, layer);
            QCOMPARE(profile.blocks[static_cast<std::size_t>(layer)].parts.front().name, std::string("convolutions"));
            QCOMPARE(block.weightBytes, floatBytes * layerParameters(model, layer));
            activations += block.activationBytes;
            QVERIFY(block.forward > 0 && block.backward > 0 && block.inputGrad > 0 && block.weightGrad > 0);
        }
        QCOMPARE(activations, floatBytes * stageStoredFloats(model, {model.layers, true, true}, layout.batch.micro));
        // Nobody asks for the image's gradient.
        const double image =
            2.0 * layout.batch.global * model.cnn.image * model.cnn.image * 9 * model.cnn.channels * model.hidden;
        const double counted = 2 * flopsOf(profile.kernels, {"A·B", "A·Bᵀ", "Aᵀ·B"});
        QVERIFY2(std::abs(counted - (3 * forward - image)) <= 1e-9 * counted,
                 qPrintable(QString("%1 %2").arg(counted).arg(3 * forward - image)));
    }
};

QTEST_APPLESS_MAIN(ProfileRanksTest)
#include "profile_ranks_test.moc"
