// SPDX-License-Identifier: Apache-2.0
// Uploads while a GPU computes, on an emulated one.
#include "kernels/cuda/cuda_device.cuh"
#include "tests/support/seed.h"

#include <QtTest>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

using namespace shardlab::kernels;
using namespace shardlab::kernels::cuda;

class UploadsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void doNotWaitForTheGpu_data() {
        QTest::addColumn<int>("bytes");
        for (const int bytes : {1000, 256 << 10, (256 << 10) + 1, 1 << 20, 5'000'001, 20 << 20})
            QTest::addRow("%d bytes", bytes) << bytes;
    }
    /// The host goes on while the GPU still computes, and may write over what it has uploaded.
    void doNotWaitForTheGpu() {
        QFETCH(int, bytes);
        CudaDevice device(0);
        const auto size = static_cast<std::size_t>(bytes);
        std::mt19937 random(shardlab::test::freshSeed());
        std::vector<unsigned char> host(size), got(size);
        for (unsigned char& byte : host) byte = static_cast<unsigned char>(random());
        const std::vector<unsigned char> wanted = host;
        void* const data = device.allocate(size);
        std::atomic<bool> computes = true;
        shardlab::emulation::enqueue(device.stream(), [&] {
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
            while (computes && std::chrono::steady_clock::now() < end)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            computes = false;
        });
        device.upload(host.data(), data, size);
        const bool waited = !computes;
        std::ranges::fill(host, static_cast<unsigned char>(0));
        computes = false;
        device.download(data, got.data(), size);
        QVERIFY2(!waited, "the upload waited until the GPU had computed");
        QVERIFY(got == wanted);
        device.release(data);
    }

    /// More than the ring holds goes in its turn.
    void moreThanTheRing() {
        CudaDevice device(0);
        std::mt19937 random(shardlab::test::freshSeed());
        std::vector<unsigned> host(20'000'003), got(host.size());
        for (unsigned& word : host) word = random();
        void* const data = device.allocate(host.size() * sizeof(unsigned));
        device.upload(host.data(), data, host.size() * sizeof(unsigned));
        device.download(data, got.data(), got.size() * sizeof(unsigned));
        QVERIFY(got == host);
        device.release(data);
    }
};

QTEST_GUILESS_MAIN(UploadsTest)
#include "uploads_test.moc"
