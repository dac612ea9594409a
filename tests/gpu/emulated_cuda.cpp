// SPDX-License-Identifier: Apache-2.0
// Fibers for the threads of a block, and what the emulated library has instead of NVIDIA's libraries and of tensor
// cores. Fibers change places by longjmp, which, unlike swapcontext, does not call the system: kernels do little else.
#include "tests/gpu/emulated_cuda.h"

#include "kernels/cpu/dropout_mask.h"
#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/sort.cuh"
#include "kernels/cuda/types.cuh"
#include "tests/gpu/attention_reference.h"
#include "tests/support/wings.h"

#include <ucontext.h>

#include <algorithm>
#include <csetjmp>
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

/// A thread of one block after another.
struct Fiber {
    jmp_buf place{};  ///< where it goes on
    std::unique_ptr<unsigned char[]> stack{new unsigned char[stackBytes]};
    bool begun = false;
    bool done = false;
    std::uint64_t word = 0;  ///< brought to an exchange
};

constexpr std::size_t sharedAlignment = 1024;
struct AlignedDelete {
    void operator()(unsigned char* data) const { ::operator delete[](data, std::align_val_t{sharedAlignment}); }
};

struct Block {
    std::vector<Fiber> fibers;  ///< kept from block to block
    std::size_t running = 0;
    jmp_buf scheduler{};
    Meeting all;
    std::vector<Meeting> warps;
    std::unique_ptr<unsigned char[], AlignedDelete> shared;
    const std::function<void()>* kernel = nullptr;
    std::vector<std::size_t> order;
    std::minstd_rand random;
};
Block block;

void pauseFiber() {
    if (_setjmp(block.fibers[block.running].place) == 0) _longjmp(block.scheduler, 1);
}

void enter() {
    while (true) {
        (*block.kernel)();
        block.fibers[block.running].done = true;
        --block.all.alive;
        --block.warps[block.running / warp].alive;
        pauseFiber();
    }
}

/// Lets the fiber run until it pauses.
void resume(Fiber& fiber) {
    if (_setjmp(block.scheduler) != 0) return;
    if (fiber.begun) _longjmp(fiber.place, 1);
    fiber.begun = true;
    ucontext_t context{};
    getcontext(&context);
    context.uc_stack.ss_sp = fiber.stack.get();
    context.uc_stack.ss_size = stackBytes;
    makecontext(&context, &enter, 0);
    setcontext(&context);
}

void meet(Meeting& meeting) {
    const uint3 mine = threadIdx;
    const std::size_t number = meeting.number;
    ++meeting.arrived;
    while (meeting.number == number) {
        if (meeting.arrived == meeting.alive) {
            meeting.arrived = 0;
            ++meeting.number;
        } else {
            pauseFiber();
            threadIdx = mine;
        }
    }
}

/// Another one for each block: what depends on it shows.
const std::vector<std::size_t>& someOrder(std::size_t threads) {
    block.order.resize(threads);
    std::iota(block.order.begin(), block.order.end(), std::size_t{0});
    std::ranges::shuffle(block.order, block.random);
    return block.order;
}

void runBlock(dim3 size) {
    const std::size_t threads = std::size_t{size.x} * size.y * size.z;
    const std::vector<std::size_t>& order = someOrder(threads);
    while (block.fibers.size() < threads) block.fibers.emplace_back();
    block.all = {threads};
    block.warps.assign((threads + warp - 1) / warp, {warp});
    for (std::size_t i = 0; i < threads; ++i) block.fibers[i].done = false;
    while (block.all.alive > 0) {
        for (const std::size_t i : order) {
            if (block.fibers[i].done) continue;
            block.running = i;
            threadIdx = {static_cast<unsigned>(i % size.x), static_cast<unsigned>(i / size.x % size.y),
                         static_cast<unsigned>(i / size.x / size.y)};
            resume(block.fibers[i]);
        }
    }
}

}  // namespace

void* sharedMemory() { return block.shared.get(); }

/// One kernel at a time: shared memory and the numbers of threads are the program's.
void runNow(dim3 blocks, dim3 threads, std::size_t sharedBytes, const std::function<void()>& kernel) {
    static std::mutex one;
    const std::lock_guard alone(one);
    block.kernel = &kernel;
    block.shared.reset(new (std::align_val_t{sharedAlignment}) unsigned char[sharedBytes]);
    gridDim = blocks;
    blockDim = threads;
    for (unsigned z = 0; z < blocks.z; ++z)
        for (unsigned y = 0; y < blocks.y; ++y)
            for (unsigned x = 0; x < blocks.x; ++x) {
                blockIdx = {x, y, z};
                std::memset(block.shared.get(), 0xFF, sharedBytes);
                runBlock(threads);
            }
}

void barrier() { meet(block.all); }

std::uint64_t exchange(std::uint64_t word, int distance) {
    Meeting& lanes = block.warps[block.running / warp];
    block.fibers[block.running].word = word;
    meet(lanes);
    const std::uint64_t got = block.fibers[block.running ^ static_cast<std::size_t>(distance)].word;
    meet(lanes);  // all have read what was brought
    return got;
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
