// SPDX-License-Identifier: Apache-2.0
// Blocks of threads that meet, and what the emulated library has instead of NVIDIA's libraries and of tensor cores.
#include "tests/gpu/emulated_cuda.h"

#include "kernels/cpu/dropout_mask.h"
#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/sort.cuh"
#include "kernels/cuda/types.cuh"
#include "tests/gpu/attention_reference.h"
#include "tests/gpu/emulated_threads.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <string_view>
#include <vector>

namespace shardlab::emulation {

namespace {

constexpr std::size_t stackBytes = 64 * 1024;

constexpr std::size_t warp = 32;

/// The threads of a block or of a warp meet: none goes on before all have come that have not ended.
struct Meeting {
    std::size_t alive = 0;
    std::size_t arrived = 0;
    std::size_t number = 0;
};

/// What a thread brings to an exchange and to the next one: before a thread brings something to the one after that, all
/// have read what it brought to the first.
struct Brought {
    std::array<std::uint64_t, 2> words{};
    std::size_t exchanges = 0;
};

constexpr std::size_t sharedAlignment = 1024;
struct AlignedDelete {
    void operator()(unsigned char* data) const { ::operator delete[](data, std::align_val_t{sharedAlignment}); }
};

struct Block {
    test::EmulatedThreads threads{stackBytes};
    Meeting all;
    std::vector<Meeting> warps;
    std::vector<Brought> brought;
    std::unique_ptr<unsigned char[], AlignedDelete> shared;
    std::vector<std::size_t> order;
    std::minstd_rand random;
};
Block block;

void meet(Meeting& meeting) {
    const uint3 mine = threadIdx;
    const std::size_t number = meeting.number;
    ++meeting.arrived;
    while (meeting.number == number) {
        if (meeting.arrived == meeting.alive) {
            meeting.arrived = 0;
            ++meeting.number;
        } else {
            block.threads.giveWay();
        }
    }
    threadIdx = mine;
}

/// Another one for each block: what depends on it shows.
const std::vector<std::size_t>& someOrder(std::size_t threads) {
    block.order.resize(threads);
    std::iota(block.order.begin(), block.order.end(), std::size_t{0});
    std::ranges::shuffle(block.order, block.random);
    return block.order;
}

void runBlock(dim3 size, const std::function<void()>& kernel) {
    const std::size_t threads = std::size_t{size.x} * size.y * size.z;
    block.all = {threads};
    block.warps.assign((threads + warp - 1) / warp, {warp});
    block.brought.assign(threads, {});
    block.threads.run(someOrder(threads), [&](std::size_t i) {
        threadIdx = {static_cast<unsigned>(i % size.x), static_cast<unsigned>(i / size.x % size.y),
                     static_cast<unsigned>(i / size.x / size.y)};
        kernel();
        --block.all.alive;
        --block.warps[i / warp].alive;
    });
}

}  // namespace

void* sharedMemory() { return block.shared.get(); }

/// One kernel at a time: shared memory and the numbers of threads are the program's.
void runNow(dim3 blocks, dim3 threads, std::size_t sharedBytes, const std::function<void()>& kernel) {
    static std::mutex one;
    const std::lock_guard alone(one);
    block.shared.reset(new (std::align_val_t{sharedAlignment}) unsigned char[sharedBytes]);
    gridDim = blocks;
    blockDim = threads;
    for (unsigned z = 0; z < blocks.z; ++z)
        for (unsigned y = 0; y < blocks.y; ++y)
            for (unsigned x = 0; x < blocks.x; ++x) {
                blockIdx = {x, y, z};
                std::memset(block.shared.get(), 0xFF, sharedBytes);
                runBlock(threads, kernel);
            }
}

void barrier() { meet(block.all); }

std::uint64_t exchange(std::uint64_t word, int distance) {
    const std::size_t mine = block.threads.running();
    const std::size_t turn = block.brought[mine].exchanges++ % 2;
    block.brought[mine].words[turn] = word;
    meet(block.warps[mine / warp]);
    return block.brought[mine ^ static_cast<std::size_t>(distance)].words[turn];
}

bool dry() {
    const char* const wanted = std::getenv("SHARDLAB_EMULATED_DRY");
    return wanted && std::string_view(wanted) == "1";
}
int capability() {
    const char* const wanted = std::getenv("SHARDLAB_EMULATED_CAPABILITY");
    return wanted ? std::atoi(wanted) : 90;
}

}  // namespace shardlab::emulation

namespace shardlab::kernels::cuda {

std::size_t sortScratch(int, std::uint32_t) { return 1; }
void sortByKey(int count, std::uint32_t, KeyedNumbers from, KeyedNumbers sorted, void*, cudaStream_t stream) {
    emulation::count(stream, "sort");
    emulation::enqueue(stream, [=] {
        std::vector<int> order(static_cast<std::size_t>(count));
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, {}, [&](int i) { return from.keys[i]; });
        for (std::size_t i = 0; i < order.size(); ++i) {
            sorted.keys[i] = from.keys[order[i]];
            sorted.numbers[i] = from.numbers[order[i]];
        }
    });
}

namespace {

template <class T>
test::Numbers numbersOf(ConstArray array, std::size_t count) {
    const T* values = as<T>(array);
    test::Numbers numbers;
    for (std::size_t i = 0; i < count; ++i) numbers.push_back(toFloat(values[i]));
    return numbers;
}

template <class T>
void write(const test::Numbers& numbers, Array to) {
    for (std::size_t i = 0; i < numbers.size(); ++i) as<T>(to)[i] = fromFloat<T>(static_cast<float>(numbers[i]));
}

std::size_t outputSize(const AttentionShape& shape) {
    return static_cast<std::size_t>(shape.samples) * static_cast<std::size_t>(shape.sequence) *
           static_cast<std::size_t>(shape.heads * shape.width);
}

test::AttentionReference attentionOf(const AttentionShape& shape, const test::Numbers& qkv,
                                     const test::Numbers& outputGradient, const AttentionDropout& dropout,
                                     const HeadSinks& sinks) {
    test::Numbers scores;
    if (sinks)
        withType(sinks.scores.type, [&](auto t) {
            scores = numbersOf<typename decltype(t)::Type>(sinks.scores, static_cast<std::size_t>(shape.heads));
        });
    const auto mask = [&](std::int64_t row, int key) {
        return cpu::DropoutRow(dropout.mask, row)(static_cast<std::uint32_t>(key));
    };
    return test::attentionReference(shape, qkv, outputGradient, dropout.rowsOfSample, mask, scores);
}

}  // namespace

// By its definition: attention_layout_test emulates its kernels.
AttentionNeeds CudaDevice::attentionNeeds(const AttentionShape& shape, DType, bool) const {
    const auto rows = static_cast<std::size_t>(shape.samples * shape.heads * shape.sequence);
    return {.kept = rows, .keepsProbabilities = false, .inPlace = false};
}

void CudaDevice::attention(const AttentionShape& shape, ConstArray qkv, Array kept, Array output,
                           const AttentionDropout& dropout, const HeadSinks& sinks, float*) {
    emulation::count(stream(), "attention");
    emulation::enqueue(stream(), [=] {
        withType(qkv.type, [&](auto t) {
            using T = typename decltype(t)::Type;
            const std::size_t size = outputSize(shape);
            const auto all = attentionOf(shape, numbersOf<T>(qkv, 3 * size), test::Numbers(size), dropout, sinks);
            write<float>(all.logSums, kept);
            write<T>(all.output, output);
        });
    });
}

void CudaDevice::attentionGrad(const AttentionShape& shape, ConstArray qkv, Array, ConstArray,
                               ConstArray outputGradient, Array qkvGradient, const AttentionDropout& dropout,
                               const HeadSinks& sinks, float*) {
    emulation::count(stream(), "attention gradient");
    emulation::enqueue(stream(), [=] {
        withType(qkv.type, [&](auto t) {
            using T = typename decltype(t)::Type;
            const std::size_t size = outputSize(shape);
            const auto all =
                attentionOf(shape, numbersOf<T>(qkv, 3 * size), numbersOf<T>(outputGradient, size), dropout, sinks);
            write<T>(all.qkvGradient, qkvGradient);
            write<float>(all.sinkGradient, sinks.gradient);
        });
    });
}

}  // namespace shardlab::kernels::cuda
