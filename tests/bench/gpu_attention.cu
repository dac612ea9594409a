// SPDX-License-Identifier: Apache-2.0
// Attention on a GPU: against double precision on small random shapes, twice for equal bits, then its speed.
// nvcc -std=c++20 -O3 -I. -gencode arch=compute_90a,code=sm_90a tests/bench/gpu_attention.cu \
//     kernels/cuda/{attention_{forward,backward},launch_{batch,graph,queue}}.cu -o gpu_attention && ./gpu_attention
//     [seed]
#include "kernels/cpu/dropout_mask.h"
#include "kernels/cuda/attention_launch.cuh"
#include "tests/gpu/attention_reference.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

namespace shardlab::kernels::cuda {

namespace {

const char* nameOf(DType type) { return type == DType::F32 ? "fp32" : type == DType::BF16 ? "bf16" : "fp16"; }
double toleranceOf(DType type) { return type == DType::F32 ? 1e-5 : type == DType::BF16 ? 4.0 / 256 : 4.0 / 2048; }

/// Rounds to the type, and back.
float read(const std::byte* at, DType type) {
    if (type == DType::F32) return *reinterpret_cast<const float*>(at);
    if (type == DType::BF16) return static_cast<float>(*reinterpret_cast<const __nv_bfloat16*>(at));
    return static_cast<float>(*reinterpret_cast<const __half*>(at));
}
void write(std::byte* at, DType type, float value) {
    if (type == DType::F32) *reinterpret_cast<float*>(at) = value;
    else if (type == DType::BF16) *reinterpret_cast<__nv_bfloat16*>(at) = __nv_bfloat16(value);
    else *reinterpret_cast<__half*>(at) = __half(value);
}

/// An array on the GPU, with a guard behind it that must stay as it was.
class GpuArray {
public:
    GpuArray(std::size_t count, DType type) : type_(type), bytes_(count * sizeOf(type)) {
        check(cudaMalloc(&data_, bytes_ + guard), "cudaMalloc");
        poison();
    }
    ~GpuArray() { cudaFree(data_); }
    GpuArray(const GpuArray&) = delete;
    GpuArray& operator=(const GpuArray&) = delete;

    void* data() const { return data_; }
    // The queue's stream does not wait for the one that these go in.
    void poison() {
        check(cudaMemset(data_, 0xFF, bytes_ + guard), "cudaMemset");
        check(cudaDeviceSynchronize(), "cudaMemset");
    }
    void upload(const std::vector<std::byte>& bytes) {
        check(cudaMemcpy(data_, bytes.data(), bytes_, cudaMemcpyHostToDevice), "upload");
        check(cudaDeviceSynchronize(), "upload");
    }
    std::vector<std::byte> bytes() const {
        std::vector<std::byte> all(bytes_ + guard);
        check(cudaMemcpy(all.data(), data_, all.size(), cudaMemcpyDeviceToHost), "download");
        for (std::size_t i = bytes_; i < all.size(); ++i)
            if (all[i] != std::byte{0xFF}) std::printf("written beyond the end\n"), std::exit(1);
        all.resize(bytes_);
        return all;
    }
    test::Numbers numbers() const {
        const std::vector<std::byte> all = bytes();
        test::Numbers values;
        for (std::size_t i = 0; i < all.size(); i += sizeOf(type_)) values.push_back(read(&all[i], type_));
        return values;
    }

private:
    static constexpr std::size_t guard = 256;
    DType type_;
    std::size_t bytes_;
    void* data_ = nullptr;
};

struct Problem {
    AttentionShape shape;
    DType type;
    GpuArray qkv, output, outputGradient, qkvGradient, logSums, rowDots;
    AttentionArguments arguments;

    Problem(const AttentionShape& of, DType t, const AttentionDropout& dropout)
        : shape(of), type(t), qkv(3 * elements(), t), output(elements(), t), outputGradient(elements(), t),
          qkvGradient(3 * elements(), t), logSums(rows(), DType::F32), rowDots(rows(), DType::F32) {
        arguments.sequence = of.sequence;
        arguments.heads = of.heads;
        arguments.width = of.width;
        arguments.samples = of.samples;
        arguments.scale = 1 / std::sqrt(static_cast<float>(of.width));
        arguments.dropout = dropout;
        arguments.qkv = qkv.data();
        arguments.output = output.data();
        arguments.logSums = static_cast<float*>(logSums.data());
        arguments.outputGradient = outputGradient.data();
        arguments.rowDots = static_cast<float*>(rowDots.data());
        arguments.qkvGradient = qkvGradient.data();
    }
    std::size_t rows() const {
        return static_cast<std::size_t>(shape.samples) * static_cast<std::size_t>(shape.heads * shape.sequence);
    }
    std::size_t elements() const { return rows() * static_cast<std::size_t>(shape.width); }
    void forward(LaunchQueue& queue) { launchAttention(arguments, type, queue); }
    void backward(LaunchQueue& queue) { launchAttentionGrad(arguments, type, queue); }
};

/// Draws numbers of a type; what is written down is what is computed with.
test::Numbers draw(GpuArray& array, std::size_t count, DType type, float spread, std::mt19937& random) {
    std::normal_distribution<float> normal;
    std::vector<std::byte> bytes(count * sizeOf(type));
    test::Numbers values;
    for (std::size_t i = 0; i < count; ++i) {
        std::byte* const at = &bytes[i * sizeOf(type)];
        write(at, type, spread * normal(random));
        values.push_back(read(at, type));
    }
    array.upload(bytes);
    return values;
}

/// Enough random numbers, and those again and again.
void repeat(GpuArray& array, std::size_t count, DType type, std::mt19937& random) {
    constexpr std::size_t drawn = 1'000'003;
    std::normal_distribution<float> normal;
    std::vector<std::byte> bytes(count * sizeOf(type));
    for (std::size_t i = 0; i < std::min(drawn, count); ++i) write(&bytes[i * sizeOf(type)], type, normal(random));
    for (std::size_t done = drawn * sizeOf(type); done < bytes.size(); done *= 2)
        std::memcpy(&bytes[done], bytes.data(), std::min(done, bytes.size() - done));
    array.upload(bytes);
}

double worst(const test::Numbers& values, const test::Numbers& expected) {
    double largest = 0;
    double error = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        largest = std::max(largest, std::abs(expected[i]));
        const double off = std::abs(values[i] - expected[i]);
        error = std::isnan(off) ? INFINITY : std::max(error, off);
    }
    return error / largest;
}

bool isRight(LaunchQueue& queue, const AttentionShape& shape, DType type, float share, std::mt19937& random) {
    AttentionDropout dropout;
    dropout.mask.key = random();
    dropout.mask.firstRow = 12345678901;
    dropout.mask.share = share;
    dropout.rowsOfSample = 2 * shape.heads * shape.sequence + 3;
    Problem problem(shape, type, dropout);
    const test::Numbers qkv = draw(problem.qkv, 3 * problem.elements(), type, 1.5f, random);
    const test::Numbers gradient = draw(problem.outputGradient, problem.elements(), type, 1, random);
    const test::AttentionReference expected =
        test::attentionReference(shape, qkv, gradient, dropout.rowsOfSample, [&](std::int64_t row, int key) {
            return share > 0 ? cpu::DropoutRow(dropout.mask, row)(static_cast<std::uint32_t>(key)) : 1.0f;
        });
    bool equal = true;
    std::vector<std::byte> before;
    for (int call = 0; call < 3; ++call) {
        problem.output.poison();
        problem.logSums.poison();
        problem.qkvGradient.poison();
        problem.rowDots.poison();
        problem.forward(queue);
        problem.backward(queue);
        check(cudaDeviceSynchronize(), "kernels");
        std::vector<std::byte> all = problem.output.bytes();
        const std::vector<std::byte> grads = problem.qkvGradient.bytes();
        all.insert(all.end(), grads.begin(), grads.end());
        equal = equal && (call == 0 || all == before);
        before = std::move(all);
    }
    const double output = worst(problem.output.numbers(), expected.output);
    const double sums = worst(problem.logSums.numbers(), expected.logSums);
    const double grads = worst(problem.qkvGradient.numbers(), expected.qkvGradient);
    const bool good = equal && output <= toleranceOf(type) && sums <= 1e-5 && grads <= 2 * toleranceOf(type);
    std::printf("%-4s b %d h %d s %4d d %3d dropout %.1f: output %.1e, log sums %.1e, gradient %.1e%s%s\n",
                nameOf(type), shape.samples, shape.heads, shape.sequence, shape.width, share, output, sums, grads,
                equal ? "" : ", NOT THE SAME BITS", good ? "" : "  WRONG");
    return good;
}

template <class Work>
double median(LaunchQueue& queue, Work work) {
    constexpr int times = 21;
    cudaEvent_t begin;
    cudaEvent_t end;
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
    std::vector<float> all;
    for (int i = 0; i < times + 3; ++i) {
        check(cudaEventRecord(begin, queue.stream()), "event");
        work();
        check(cudaEventRecord(end, queue.stream()), "event");
        check(cudaEventSynchronize(end), "event");
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, begin, end), "event");
        if (i >= 3) all.push_back(milliseconds);
    }
    std::nth_element(all.begin(), all.begin() + times / 2, all.end());
    return static_cast<double>(all[times / 2]);
}

void time(LaunchQueue& queue, const AttentionShape& shape, DType type, float share, std::mt19937& random) {
    AttentionDropout dropout;
    dropout.mask.key = random();
    dropout.mask.share = share;
    dropout.rowsOfSample = shape.heads * shape.sequence;
    Problem problem(shape, type, dropout);
    repeat(problem.qkv, 3 * problem.elements(), type, random);
    repeat(problem.outputGradient, problem.elements(), type, random);
    const double forward = median(queue, [&] { problem.forward(queue); });
    const double backward = median(queue, [&] { problem.backward(queue); });
    const double flops = 2.0 * static_cast<double>(problem.elements()) * shape.sequence;  // of both products, causal
    std::printf("%-4s b %2d h %2d s %4d d %3d dropout %.1f: forward %7.3f ms %4.0f TFLOP/s, "
                "backward %7.3f ms %4.0f TFLOP/s\n",
                nameOf(type), shape.samples, shape.heads, shape.sequence, shape.width, share, forward,
                flops / forward * 1e-9, backward, 2.5 * flops / backward * 1e-9);
    std::fflush(stdout);
}

}  // namespace

int measureAttention(unsigned seed) {
    std::printf("seed %u\n", seed);
    std::mt19937 random(seed);
    LaunchQueue queue(false);
    bool good = true;
    std::vector<AttentionShape> shapes{{1, 1, 1, 64},   {2, 300, 3, 64},  {1, 257, 2, 128},
                                       {1, 129, 2, 32}, {1, 100, 3, 80},  {1, 65, 2, 7},
                                       {1, 70, 1, 200}, {1, 1024, 2, 64}, {1, 640, 1, 128}};
    for (int i = 0; i < 6; ++i)
        shapes.push_back({1 + static_cast<int>(random() % 2), 1 + static_cast<int>(random() % 300),
                          1 + static_cast<int>(random() % 3), 8 * (1 + static_cast<int>(random() % 16))});
    for (const AttentionShape& shape : shapes)
        for (const DType type : {DType::F32, DType::BF16, DType::F16})
            for (const float share : {0.0f, 0.2f}) good = isRight(queue, shape, type, share, random) && good;
    std::printf(good ? "all as expected\n" : "SOMETHING IS WRONG\n");
    for (const DType type : {DType::BF16, DType::F16})
        for (const float share : {0.0f, 0.1f}) {
            time(queue, {32, 1024, 12, 64}, type, share, random);
            time(queue, {8, 4096, 16, 128}, type, share, random);
        }
    time(queue, {4, 8192, 12, 64}, DType::BF16, 0, random);
    time(queue, {4, 1024, 12, 64}, DType::BF16, 0, random);
    time(queue, {4, 1024, 12, 64}, DType::F32, 0, random);
    return good ? 0 : 1;
}

}  // namespace shardlab::kernels::cuda

int main(int count, char** arguments) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    try {
        return shardlab::kernels::cuda::measureAttention(count > 1 ? static_cast<unsigned>(std::atoi(arguments[1]))
                                                                   : std::random_device{}());
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
        return 2;
    }
}
