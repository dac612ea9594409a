// SPDX-License-Identifier: Apache-2.0
// Ranks with a GPU each, over NCCL: against the suite of all communicators, and against the loopback one.
#include "engine/train/comm/communication_error.h"
#include "engine/train/comm/nccl/nccl_communicator.h"
#include "kernels/cuda_device.h"
#include "tests/train/gpu/on_device.h"
#include "tests/support/seed.h"
#include "tests/train/collective_rows.h"
#include "tests/train/rank_threads.h"
#include "tests/support/wings.h"

#include <QtTest>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <thread>

using namespace shardlab;
using namespace shardlab::test;

namespace {

std::vector<int> everybody(int ranks) {
    std::vector<int> all;
    for (int k = 0; k < ranks; ++k) all.push_back(k);
    return all;
}

double valueAt(const std::vector<std::byte>& numbers, std::size_t index, DType type) {
    const std::byte* const at = numbers.data() + index * sizeOf(type);
    if (type == DType::F16) {
        _Float16 half;
        std::memcpy(&half, at, 2);
        return static_cast<double>(half);
    }
    float value = 0;
    std::memcpy(reinterpret_cast<std::byte*>(&value) + (type == DType::BF16 ? 2 : 0), at, sizeOf(type));
    return value;
}

/// Gives up once all ranks are through what came before: what they wait for there must not be what they find lost.
[[noreturn]] void leave(const std::atomic<int>& through, int ranks, const std::function<void()>& leaving = {}) {
    for (int waited = 0; through < ranks && waited < 60'000; ++waited)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (leaving) leaving();
    throw std::runtime_error("out of luck");
}

}  // namespace

class NcclCommunicatorTest : public QObject {
    Q_OBJECT

private:
    using Body = std::function<void(int rank, Communicator& host, Communicator& onDevice)>;

    /// Rank k on GPU k.
    static std::string runOnGpus(int ranks, bool connected, const Body& body) {
        return runRanks(ranks, [&](int rank, Communicator& world) {
            DeviceOrReason opened = openCudaDevice(rank);
            if (!opened.device) throw std::runtime_error(opened.reason);
            const DirectExchange direct = findDirectExchange(world, *opened.device);
            if (!direct.groups) throw std::runtime_error(direct.reason);
            OnDevice onDevice(std::make_unique<NcclCommunicator>(world.group(everybody(ranks)), everybody(ranks),
                                                                 *opened.device, *direct.groups),
                              *opened.device, connected);
            body(rank, world, onDevice);
        });
    }

    void skipBeyond(int ranks) const {
        if (ranks > gpus_) QSKIP(qPrintable(QString("%1 GPUs are needed, there are %2").arg(ranks).arg(gpus_)));
    }

    int gpus_ = 0;

private Q_SLOTS:
    void initTestCase() {
        const CudaDevices found = cudaDevices();
        if (found.names.empty()) QSKIP(qPrintable(QString("no GPU: %1").arg(found.reason.c_str())));
        gpus_ = static_cast<int>(found.names.size());
        loadKernelsAtStart();
        const DeviceOrReason opened = openCudaDevice(0);
        const DeviceGroupsOrReason groups = opened.device->groups();
        if (!groups.groups) QSKIP(qPrintable(QString::fromStdString(groups.reason)));
        qInfo("%d GPUs, %s", gpus_, groups.groups->name().c_str());
    }

    void conforms_data() {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<bool>("connected");
        for (const int ranks : {1, 2, 3, 4})
            for (const bool connected : {true, false})
                QTest::addRow("%d ranks, messages by way of the %s", ranks, connected ? "GPUs" : "host")
                    << ranks << connected;
    }
    void conforms() {
        QFETCH(int, ranks);
        QFETCH(bool, connected);
        skipBeyond(ranks);
        const std::string fault = conformance::faultOf(freshSeed(), [&](const auto& check) {
            return runOnGpus(ranks, connected, [&](int, Communicator&, Communicator& world) { check(world); });
        });
        QVERIFY2(fault.empty(), fault.c_str());
    }

    /// All types and sizes that no number of members divides give the processors' results, but for the order of sums.
    void agreesWithTheProcessors_data() {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {1, 2, 3, 4}) QTest::addRow("%d ranks", ranks) << ranks;
    }
    void agreesWithTheProcessors() {
        QFETCH(int, ranks);
        skipBeyond(ranks);
        const std::int64_t seed = freshSeed();
        const std::string error = runOnGpus(ranks, false, [&](int rank, Communicator& host, Communicator& onDevice) {
            RandomStream sizes(seed, "counts");
            int what = 0;
            for (const CollectiveRow& collective : allCollectives())
                for (const DType type : {DType::F32, DType::BF16, DType::F16}) {
                    const auto n = static_cast<std::size_t>(ranks);
                    const std::size_t count = 1 + sizes.below(3000);
                    std::vector<std::byte> in = numbers(seed, ++what, rank, count * (collective.manyIn ? n : 1), type);
                    const std::size_t results = count * (collective.manyOut ? n : 1);
                    std::vector<std::byte> wanted(results * sizeOf(type)), got(wanted);
                    const ArraySpan input{{in.data(), type}, in.size() / sizeOf(type)};
                    collective.run(host, input, {{wanted.data(), type}, results});
                    collective.run(onDevice, input, {{got.data(), type}, results});
                    const double tolerance = type == DType::F32 ? 1e-6 : type == DType::BF16 ? 1.0 / 128 : 1.0 / 1024;
                    for (std::size_t i = 0; i < results; ++i) {
                        // A part that the call leaves undefined on this member is compared by its owner.
                        const double a = valueAt(wanted, i, type), b = valueAt(got, i, type);
                        if (!(std::abs(a - b) <= tolerance * std::max(1.0, std::abs(a))))
                            throw std::runtime_error("seed " + std::to_string(seed) + ": " + collective.name +
                                                     ", type " + std::to_string(static_cast<int>(type)) + ", number " +
                                                     std::to_string(i) + ": " + std::to_string(b) + " instead of " +
                                                     std::to_string(a));
                    }
                }
        });
        QVERIFY2(error.empty(), error.c_str());
    }

    /// NCCL holds up the first call of two members until the other calls too: a sender must not be, whose receiver asks
    /// only after it has gone on.
    void firstMessageWaitsForNobody() {
        skipBeyond(2);
        float came = 0;
        const std::string error = runOnGpus(2, true, [&](int rank, Communicator& host, Communicator& world) {
            const float sent = 7;
            if (rank == 0) {
                const RequestPtr request = world.isend(std::as_bytes(std::span(&sent, 1)), 1, 0);
                host.barrier();
                request->wait();
            } else {
                host.barrier();
                world.receive(std::as_writable_bytes(std::span(&came, 1)), 0, 0);
            }
        });
        QVERIFY2(error.empty(), error.c_str());
        QCOMPARE(came, 7.0f);
    }

    /// Each rank has begun a sum that the other joins only once it has launched a kernel for the first time: were the
    /// kernel loaded at that moment, it would wait for the sum.
    void kernelsThatComeFirstBesideSums() {
        skipBeyond(2);
        if (cudaDevices().names[0].find("emulated") == std::string::npos)
            QSKIP("NCCL promises nothing where members begin two groups' sums in different orders");
        const std::string error = runRanks(2, [&](int rank, Communicator& world) {
            const DeviceOrReason opened = openCudaDevice(rank);
            Device& device = *opened.device;
            const DirectExchange direct = findDirectExchange(world, device);
            NcclCommunicator one(world.group(everybody(2)), everybody(2), device, *direct.groups);
            NcclCommunicator two(world.group(everybody(2)), everybody(2), device, *direct.groups);
            one.prepare();
            two.prepare();
            constexpr std::size_t count = 1000;
            auto* const data = static_cast<float*>(device.allocate(2 * count * sizeof(float)));
            auto* const mark = static_cast<std::int32_t*>(device.allocate(sizeof(std::int32_t)));
            device.clear(data, 2 * count * sizeof(float));
            device.clear(mark, sizeof *mark);
            NcclCommunicator &first = rank == 0 ? one : two, &second = rank == 0 ? two : one;
            const RequestPtr begun = first.iallReduce({{data, DType::F32}, count}, ReduceOp::Sum);
            device.noteNotFinite(count, {data + count, DType::F32}, 1, mark);
            const RequestPtr joined = second.iallReduce({{data + count, DType::F32}, count}, ReduceOp::Sum);
            begun->wait();
            joined->wait();
            device.synchronize();
            device.release(data);
            device.release(mark);
        });
        QVERIFY2(error.empty(), error.c_str());
    }

    /// A message comes while its receiver's GPU is held up by what it was asked for after the receive: it waits for the
    /// last use of its memory, and for nothing later.
    void messagesComeBesideLaterCompute() {
        skipBeyond(3);
        bool came = false;
        const std::string error = runRanks(3, [&](int rank, Communicator& world) {
            const DeviceOrReason opened = openCudaDevice(rank);
            Device& device = *opened.device;
            const DirectExchange direct = findDirectExchange(world, device);
            NcclCommunicator all(world.group(everybody(3)), everybody(3), device, *direct.groups);
            const std::pair<int, int> link(0, 1);
            all.connect({&link, 1});
            const std::vector<int> own = rank == 0 ? std::vector{0} : std::vector{1, 2};
            NcclCommunicator pair(world.group(own), own, device, *direct.groups);
            pair.prepare();
            constexpr std::size_t bytes = 4096;
            auto* const data = static_cast<std::byte*>(device.allocate(2 * bytes));
            device.clear(data, 2 * bytes);
            std::byte word{};
            if (rank == 0) {
                world.receive({&word, 1}, 1, 0);
                all.isend({data, bytes}, 1, 7)->wait();
            } else if (rank == 1) {
                const RequestPtr message = all.ireceive({data, bytes}, 0, 7);
                pair.iallReduce({{data + bytes, DType::F32}, bytes / 4}, ReduceOp::Sum)->wait();
                device.clear(data + bytes, bytes);  // after the sum, which rank 2 holds up
                world.send({&word, 1}, 0, 0);
                came = SHARDLAB_TRY(message->test());
                world.send({&word, 1}, 2, 0);
            } else {
                world.receive({&word, 1}, 1, 0);
                pair.iallReduce({{data + bytes, DType::F32}, bytes / 4}, ReduceOp::Sum)->wait();
            }
            device.synchronize();
            device.release(data);
        });
        QVERIFY2(error.empty(), error.c_str());
        QVERIFY(came);
    }

    void wrongSizeIsNamed() {
        skipBeyond(2);
        const std::string error = runOnGpus(2, true, [](int rank, Communicator&, Communicator& world) {
            std::vector<std::byte> data(rank == 0 ? 8 : 12);
            if (rank == 0) world.send(data, 1, 4);
            else world.receive(data, 0, 4);
        });
        const std::string wanted = "from member 0, tag 4: sent 8 bytes, expected 12";
        QVERIFY2(error.find(wanted) != std::string::npos, error.c_str());
    }

    /// The GPUs tell when they exchanged, on the processor's clock.
    void tellsWhen() {
        skipBeyond(2);
        const std::string error = runRanks(2, [](int rank, Communicator& world) {
            const DeviceOrReason opened = openCudaDevice(rank);
            Device& device = *opened.device;
            const DirectExchange direct = findDirectExchange(world, device);
            NcclCommunicator group(world.group(everybody(2)), everybody(2), device, *direct.groups);
            const std::size_t count = 1000;
            void* const data = device.allocate(count * sizeof(float));
            device.clear(data, count * sizeof(float));
            group.allReduce({{data, DType::F32}, count}, ReduceOp::Sum);  // makes the group
            device.synchronize();
            const auto asked = std::chrono::steady_clock::now().time_since_epoch();
            const RequestPtr request = group.iallReduce({{data, DType::F32}, count}, ReduceOp::Sum);
            const DeviceSpan span = request->span();
            request->wait();
            device.synchronize();
            const auto over = std::chrono::steady_clock::now().time_since_epoch();
            device.release(data);
            const auto begin = span.begin->reached(), end = span.end->reached();
            const auto inside = [&](std::int64_t time) {
                constexpr std::int64_t comparing = 200'000;  // nanoseconds that the clocks may be apart
                return time >= asked.count() - comparing && time <= over.count() + comparing;
            };
            if (!begin || !end || *begin > *end || !inside(*begin) || !inside(*end))
                throw std::runtime_error("the span lies outside of when it was asked for and over");
        });
        QVERIFY2(error.empty(), error.c_str());
    }

    void ranksThatShareAGpuDoNot() {
        const std::string error = runRanks(2, [](int, Communicator& world) {
            const DeviceOrReason opened = openCudaDevice(0);
            const DirectExchange found = findDirectExchange(world, *opened.device);
            if (found.groups || found.reason != "ranks 0 and 1 share a GPU") throw std::runtime_error(found.reason);
        });
        QVERIFY2(error.empty(), error.c_str());
    }

    void lostMemberEndsTheOthers() {
        skipBeyond(3);
        std::atomic<int> told = 0, through = 0;
        const std::string error = runOnGpus(3, true, [&](int rank, Communicator&, Communicator& world) {
            std::vector<float> data(10);
            world.allReduce(data, ReduceOp::Sum);
            ++through;
            if (rank == 1) leave(through, 3);
            try {
                const RequestPtr request = world.iallReduce(data, ReduceOp::Sum);
                while (!request->test()) {}
            } catch (const std::exception& lost) {
                ++told;
                throw;
            }
        });
        QVERIFY2(error.find("out of luck") != std::string::npos || told == 2, error.c_str());
        QCOMPARE(told.load(), 2);
    }

    /// A killed process tells nobody, and NCCL waits for it for ever: a rank that waits for its GPU looks by itself,
    /// and gives up all of its groups.
    void lostMemberEndsTheOthersThatWaitForTheirGpus() {
        skipBeyond(3);
        if (cudaDevices().names[0].find("emulated") == std::string::npos)
            QSKIP("NCCL holds a GPU until its process is ended, and all ranks are in one here");
        qputenv("SHARDLAB_EMULATED_NCCL", "silent");
        std::atomic<int> told = 0, through = 0;
        std::atomic<std::int64_t> lost = 0, longest = 0;
        const auto now = [] {
            return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
        };
        std::mutex mutex;
        std::vector<std::string> reasons;
        const std::string error = runRanks(3, [&](int rank, Communicator& world) {
            const DeviceOrReason opened = openCudaDevice(rank);
            Device& device = *opened.device;
            const DirectExchange direct = findDirectExchange(world, device);
            NcclCommunicator group(world.group(everybody(3)), everybody(3), device, *direct.groups);
            NcclCommunicator other(world.group(everybody(3)), everybody(3), device, *direct.groups);
            const std::size_t count = 100'000;
            void* const data = device.allocate(count * sizeof(float));
            device.clear(data, count * sizeof(float));
            for (NcclCommunicator* each : {&group, &other}) each->allReduce({{data, DType::F32}, count}, ReduceOp::Sum);
            device.synchronize();
            device.beginRange("backward of stage 1");
            ++through;
            if (rank == 1) leave(through, 3, [&] { lost = now(); });
            try {
                for (NcclCommunicator* each : {&group, &other})
                    each->allReduce({{data, DType::F32}, count}, ReduceOp::Sum);
                device.synchronize();
            } catch (const std::exception& end) {
                longest = std::max<std::int64_t>(longest, now() - lost);
                ++told;
                const std::lock_guard lock(mutex);
                reasons.push_back(end.what());
                throw;
            }
        });
        qunsetenv("SHARDLAB_EMULATED_NCCL");
        QVERIFY2(error.find("out of luck") != std::string::npos, error.c_str());
        QCOMPARE(told.load(), 2);
        for (const std::string& reason : reasons)
            QCOMPARE(reason, "rank 1: out of luck, while this rank waited for its GPU in 'backward of stage 1'");
        QVERIFY2(longest < 3000, qPrintable(QString("noticed after %1 ms").arg(longest.load())));
    }
};

QTEST_GUILESS_MAIN(NcclCommunicatorTest)
#include "nccl_communicator_test.moc"
