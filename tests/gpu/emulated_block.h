// SPDX-License-Identifier: Apache-2.0
// Runs the text of a CUDA kernel on the processor: blocks in turn, and their threads. Barriers, shuffles and the
// operations of kernels/cuda/warp_matrix.cuh have the meaning that PTX gives them; a copy arrives no sooner than it is
// waited for. It shows wrong indexes and missing waits, but no races and no time.
#pragma once

#define SHARDLAB_EMULATED_BLOCK 1
#define __device__
#define __forceinline__ inline

#include "tests/gpu/emulated_threads.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

struct float2 {
    float x, y;
};
struct uint4 {
    std::uint32_t x, y, z, w;
};
struct __nv_bfloat16 {
    std::uint16_t bits = 0;
    __nv_bfloat16() = default;
    explicit __nv_bfloat16(float value) {
        const auto word = std::bit_cast<std::uint32_t>(value);
        bits = static_cast<std::uint16_t>((word + 0x7FFFu + (word >> 16 & 1u)) >> 16);
    }
    explicit operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};
__extension__ typedef _Float16 HalfOfCompiler;
struct __half {
    HalfOfCompiler value = 0;
    __half() = default;
    explicit __half(float of) : value(static_cast<HalfOfCompiler>(of)) {}
    explicit operator float() const { return static_cast<float>(value); }
};

namespace shardlab::kernels::cuda {

using std::max;
using std::min;

struct Index {
    unsigned x = 0;
};
inline Index threadIdx;
inline Index blockIdx;

/// One block under way.
class EmulatedBlock {
public:
    EmulatedBlock(int threads, int sharedBytes, const std::function<void()>& kernel)
        : copies_(static_cast<std::size_t>(threads)),
          shared_(new (std::align_val_t{1024}) unsigned char[static_cast<std::size_t>(sharedBytes)]) {
        std::memset(shared_.get(), 0xFF, static_cast<std::size_t>(sharedBytes));  // not a number, of any type
        current = this;
        std::vector<std::size_t> order(copies_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        fibers.run(order, [&kernel](std::size_t i) {
            threadIdx.x = static_cast<unsigned>(i);
            kernel();
        });
    }

    static inline EmulatedBlock* current = nullptr;
    unsigned char* shared() { return shared_.get(); }

    /// What `count` neighbouring threads do together: the last to come does it, given what each of them brought.
    template <class Operation>
    void together(int count, void* brought, Operation operation, bool barrier = false) {
        const std::size_t mine = fibers.running(), all = static_cast<std::size_t>(count);
        Meeting& meeting = meetings_[barrier ? 1 : 0][mine / all];
        if (meeting.brought.empty()) meeting.brought.resize(all);
        meeting.brought[mine % all] = brought;
        if (++meeting.arrived == count) {
            operation(meeting.brought.data());
            meeting.arrived = 0;
            ++meeting.number;
            return;
        }
        for (const int number = meeting.number; number == meeting.number;) fibers.giveWay();
        threadIdx.x = static_cast<unsigned>(mine);
    }
    int threads() const { return static_cast<int>(copies_.size()); }

    using Copies = std::vector<std::function<void()>>;
    void copyLater(std::function<void()> copy) { copies_[fibers.running()].open.push_back(std::move(copy)); }
    void commit() {
        ThreadCopies& mine = copies_[fibers.running()];
        mine.committed.push_back(std::move(mine.open));
        mine.open.clear();
    }
    void wait(std::size_t pending) {
        auto& committed = copies_[fibers.running()].committed;
        for (; committed.size() > pending; committed.erase(committed.begin()))
            for (const auto& copy : committed.front()) copy();
    }

private:
    struct AlignedDelete {
        void operator()(unsigned char* data) const { ::operator delete[](data, std::align_val_t{1024}); }
    };
    struct ThreadCopies {
        Copies open;
        std::vector<Copies> committed;
    };
    struct Meeting {
        int arrived = 0;
        int number = 0;
        std::vector<void*> brought;
    };

    static inline test::EmulatedThreads fibers{256 * 1024};
    std::vector<ThreadCopies> copies_;
    std::unique_ptr<unsigned char[], AlignedDelete> shared_;
    std::array<std::array<Meeting, 32>, 2> meetings_;  // of warps, of the block
};

template <class Kernel>
void emulate(int blocks, int threads, int sharedBytes, Kernel kernel) {
    for (int i = 0; i < blocks; ++i) {
        blockIdx.x = static_cast<unsigned>(i);
        EmulatedBlock block(threads, sharedBytes, kernel);
    }
}

inline unsigned char* sharedBytes() { return EmulatedBlock::current->shared(); }
inline void __syncthreads() {
    EmulatedBlock::current->together(
        EmulatedBlock::current->threads(), nullptr, [](void**) {}, true);
}
inline void __syncwarp() {
    EmulatedBlock::current->together(32, nullptr, [](void**) {});
}
inline float __shfl_xor_sync(unsigned, float value, int distance) {
    struct Exchange {
        float mine, got;
    } exchange{value, 0};
    EmulatedBlock::current->together(32, &exchange, [distance](void** lanes) {
        for (int i = 0; i < 32; ++i)
            static_cast<Exchange*>(lanes[i])->got = static_cast<Exchange*>(lanes[i ^ distance])->mine;
    });
    return exchange.got;
}
inline bool anyOfWarp(bool what) {
    bool any = what;
    EmulatedBlock::current->together(32, &any, [](void** lanes) {
        const bool all = std::any_of(lanes, lanes + 32, [](void* lane) { return *static_cast<bool*>(lane); });
        for (int i = 0; i < 32; ++i) *static_cast<bool*>(lanes[i]) = all;
    });
    return any;
}

template <class T>
std::uint32_t packed(float first, float second) {
    const T both[2] = {T(first), T(second)};
    return std::bit_cast<std::uint32_t>(both);
}
template <class T>
float2 unpacked(std::uint32_t both) {
    const auto values = std::bit_cast<std::array<T, 2>>(both);
    return {static_cast<float>(values[0]), static_cast<float>(values[1])};
}
inline float exp2Of(float x) { return std::exp2(x); }
inline float quadMaximum(float x) {
    x = std::fmax(x, __shfl_xor_sync(0, x, 1));
    return std::fmax(x, __shfl_xor_sync(0, x, 2));
}
inline float quadSum(float x) {
    x += __shfl_xor_sync(0, x, 1);
    return x + __shfl_xor_sync(0, x, 2);
}

namespace emulation {

struct MatrixLoad {
    const unsigned char* row;
    std::uint32_t* values;
};

inline void load(std::uint32_t (&values)[4], const void* row, bool transposed) {
    assert(reinterpret_cast<std::uintptr_t>(row) % 16 == 0);
    MatrixLoad mine{static_cast<const unsigned char*>(row), values};
    EmulatedBlock::current->together(32, &mine, [transposed](void** lanes) {
        const auto of = [&](int lane) { return static_cast<MatrixLoad*>(lanes[lane]); };
        for (int matrix = 0; matrix < 4; ++matrix)
            for (int lane = 0; lane < 32; ++lane) {
                std::uint16_t two[2];
                for (int i = 0; i < 2; ++i) {
                    const int at = transposed ? lane % 4 * 2 + i : lane / 4;
                    const int column = transposed ? lane / 4 : lane % 4 * 2 + i;
                    std::memcpy(&two[i], of(matrix * 8 + at)->row + column * 2, 2);
                }
                std::memcpy(&of(lane)->values[matrix], two, 4);
            }
    });
}

struct Product {
    float* c;
    const std::uint32_t* a;
    std::uint32_t b[2];
};

}  // namespace emulation

inline void loadMatrices(std::uint32_t (&values)[4], const void* row) { emulation::load(values, row, false); }
inline void loadMatricesTransposed(std::uint32_t (&values)[4], const void* row) { emulation::load(values, row, true); }

template <class T>
void multiplyAdd(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
    emulation::Product mine{c, a, {b0, b1}};
    EmulatedBlock::current->together(32, &mine, [](void** lanes) {
        float left[16][16];
        float right[16][8];
        for (int lane = 0; lane < 32; ++lane) {
            const auto& product = *static_cast<emulation::Product*>(lanes[lane]);
            const int g = lane / 4;
            const int t = lane % 4;
            for (int i = 0; i < 4; ++i) {
                const float2 two = unpacked<T>(product.a[i]);
                left[g + i % 2 * 8][t * 2 + i / 2 * 8] = two.x;
                left[g + i % 2 * 8][t * 2 + i / 2 * 8 + 1] = two.y;
            }
            for (int i = 0; i < 2; ++i) {
                const float2 two = unpacked<T>(product.b[i]);
                right[t * 2 + i * 8][g] = two.x;
                right[t * 2 + i * 8 + 1][g] = two.y;
            }
        }
        for (int lane = 0; lane < 32; ++lane)
            for (int i = 0; i < 4; ++i) {
                float sum = 0;
                for (int k = 0; k < 16; ++k) sum += left[lane / 4 + i / 2 * 8][k] * right[k][lane % 4 * 2 + i % 2];
                static_cast<emulation::Product*>(lanes[lane])->c[i] += sum;
            }
    });
}

inline void copyAsync16(void* shared, const void* global, bool valid) {
    assert(reinterpret_cast<std::uintptr_t>(shared) % 16 == 0 && reinterpret_cast<std::uintptr_t>(global) % 16 == 0);
    EmulatedBlock::current->copyLater([=] { valid ? std::memcpy(shared, global, 16) : std::memset(shared, 0, 16); });
}
inline void copyAsync4(void* shared, const void* global, bool valid) {
    EmulatedBlock::current->copyLater([=] { valid ? std::memcpy(shared, global, 4) : std::memset(shared, 0, 4); });
}
inline void commitCopies() { EmulatedBlock::current->commit(); }
template <int pending>
void waitForCopies() {
    EmulatedBlock::current->wait(pending);
}

}  // namespace shardlab::kernels::cuda
