// SPDX-License-Identifier: Apache-2.0
// Ranks that share a GPU, by way of the host's memory: against the suite of all communicators; and messages that come
// while the GPU computes, into memory that is used again and again.
#include "engine/train/comm/staged_communicator.h"
#include "kernels/cuda_device.h"
#include "tests/train/gpu/on_device.h"
#include "tests/support/seed.h"
#include "tests/train/communicator_suite.h"
#include "tests/train/rank_threads.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <numeric>
#include <random>

using namespace shardlab;
using namespace shardlab::test;

namespace {

std::vector<int> everybody(int ranks) {
    std::vector<int> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// The device of a GPU where there is one, else of the processor.
std::unique_ptr<Device> someDevice() {
    DeviceOrReason opened = openCudaDevice(0);
    return opened.device ? std::move(opened.device) : makeCpuDevice();
}

/// Memory of a device.
class Block {
public:
    Block(Device& device, std::size_t count)
        : device_(device), count_(count), data_(device.allocate(count * sizeof(float))) {
        clear();
    }
    ~Block() { device_.release(data_); }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    void clear() { device_.clear(data_, count_ * sizeof(float)); }
    Array array() const { return {data_, DType::F32}; }
    std::span<std::byte> bytes() const { return {static_cast<std::byte*>(data_), count_ * sizeof(float)}; }
    std::vector<float> values() const {
        std::vector<float> values(count_);
        device_.download(data_, values.data(), count_ * sizeof(float));
        return values;
    }

private:
    Device& device_;
    std::size_t count_;
    void* data_;
};

}  // namespace

class StagedCommunicatorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void conforms_data() {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {1, 2, 3, 4}) QTest::addRow("%d ranks", ranks) << ranks;
    }
    void conforms() {
        QFETCH(int, ranks);
        const std::string fault = conformance::faultOf(freshSeed(), [&](const auto& check) {
            return runRanks(ranks, [&](int, Communicator& world) {
                const std::unique_ptr<Device> device = someDevice();
                OnDevice onDevice(std::make_unique<StagedCommunicator>(world.group(everybody(ranks)), *device), *device,
                                  false);
                check(onDevice);
            });
        });
        QVERIFY2(fault.empty(), fault.c_str());
    }

    /// What is asked for after a message was waited for reads it; what was asked for before it was expected has read
    /// what lay there; memory of the host is not written again while the GPU reads it.
    void messagesBesideCompute() {
        constexpr std::size_t count = 50'000;
        constexpr int messages = 30;
        const unsigned seed = freshSeed();
        const std::string failure = runRanks(2, [&](int rank, Communicator& world) {
            const std::unique_ptr<Device> device = someDevice();
            StagedCommunicator group(world.group(everybody(2)), *device);
            std::mt19937 random(seed);
            std::vector<float> sent(count);
            Block first(*device, count), second(*device, count), sum(*device, count);
            double wanted = 0;
            for (int i = 0; i < messages; ++i) {
                const auto value = static_cast<float>(random() % 100);
                Block& block = i % 2 ? second : first;
                wanted += value;
                if (rank == 0) {
                    std::ranges::fill(sent, value);
                    device->upload(sent.data(), block.bytes().data(), count * sizeof(float));
                    group.isend(block.bytes(), 1, i)->wait();
                } else {
                    // What is still asked of the block reads zeros, and comes before the message.
                    device->clear(block.bytes().data(), count * sizeof(float));
                    for (int k = 0; k < 5; ++k) device->add(count, block.array(), sum.array());
                    group.ireceive(block.bytes(), 0, i)->wait();
                    device->add(count, block.array(), sum.array());
                }
            }
            world.barrier();
            if (rank == 0) return;
            for (const float value : sum.values())
                if (static_cast<double>(value) != wanted)
                    throw std::runtime_error("sum " + std::to_string(value) + ", wanted " + std::to_string(wanted) +
                                             ", seed " + std::to_string(seed));
        });
        QVERIFY2(failure.empty(), failure.c_str());
    }

    /// What a GPU says that has failed is what ends the run, whatever is still gathered for it and given back
    /// afterwards.
    void lostGpuIsTold() {
        DeviceOrReason opened = openCudaDevice(0);
        if (!opened.device) QSKIP(qPrintable(QString("no GPU: %1").arg(opened.reason.c_str())));
        if (opened.device->name().find("emulated") == std::string::npos)
            QSKIP("only an emulated GPU can be lost and used again");
        opened.device.reset();
        const std::string failure = runRanks(1, [](int, Communicator& world) {
            const std::unique_ptr<Device> device = someDevice();
            StagedCommunicator group(world.group(everybody(1)), *device);
            Block block(*device, 1000);
            const std::shared_ptr<DeviceMoment> before = device->mark();
            group.isend(block.bytes(), 0, 1);
            group.receive(block.bytes(), 0, 1);
            device->beginRange("forward");
            block.clear();
            qputenv("SHARDLAB_EMULATED_LOSS", "1");
            before->reached();
        });
        qunsetenv("SHARDLAB_EMULATED_LOSS");
        QVERIFY2(failure.find("cudaErrorIllegalAddress") != std::string::npos, failure.c_str());
    }
};

QTEST_GUILESS_MAIN(StagedCommunicatorTest)
#include "staged_communicator_test.moc"
