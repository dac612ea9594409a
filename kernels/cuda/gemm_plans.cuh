// SPDX-License-Identifier: Apache-2.0
// Matrix products of cuBLASLt; the library is asked once how to multiply a shape, and its answer is kept.
#pragma once

#include "kernels/array.h"
#include "kernels/cuda/launch_queue.cuh"
#include "kernels/fp8.h"

#include <compare>
#include <cstdint>
#include <memory>
#include <string>

namespace shardlab::kernels::cuda {

/// What happens to a product before it is written.
enum class Epilogue : std::uint8_t {
    None,
    Bias,      ///< + vector[n]
    BiasGelu,  ///< + vector[n], then to aux, then g
};

/// Which numbers of a factor in codes share a scale, as cuBLASLt is told.
enum class CodeScales : std::uint8_t {
    None,       ///< the factor has no codes
    Whole,      ///< all
    Rows,       ///< of a row of A, a column of B
    Runs,       ///< 128 along the sum
    Squares,    ///< 128 × 128
    ShortRuns,  ///< 32 along the sum, E8M0
};
struct Codes {
    CodeScales scales = CodeScales::None;
    Fp8Format format = Fp8Format::E4M3;
    auto operator<=>(const Codes&) const = default;
};

/// A row-major product as in kernels/gemm.h, with everything that decides how it is computed.
struct GemmShape {
    int m = 0;
    int n = 0;
    int k = 0;
    bool transposeA = false;
    bool transposeB = false;
    int strideA = 0;
    int strideB = 0;
    int strideC = 0;
    DType type = DType::F32;    ///< of A, B and vector; U8 where A and B are codes
    DType output = DType::F32;  ///< of C and aux
    bool accumulates = false;
    Epilogue epilogue = Epilogue::None;
    Codes codesA;
    Codes codesB;
    auto operator<=>(const GemmShape&) const = default;
};

struct GemmOperands {
    const void* a = nullptr;
    const void* b = nullptr;
    void* c = nullptr;
    const void* vector = nullptr;
    void* aux = nullptr;
    float alpha = 1;
    const void* before = nullptr;  ///< to which a product that accumulates is added; null: c
    const void* scalesA = nullptr;
    const void* scalesB = nullptr;
    bool operator==(const GemmOperands&) const = default;
};

/// Takes the library's first choice of an algorithm, which is the same in every run, so that runs repeat to the bit.
/// Where SHARDLAB_CUDA_PRODUCTS names a file, it takes the algorithm in it; a product that the file does not have is
/// computed by several in turn, each time that it is asked for, and the quickest is added to the file. A run whose
/// products are all in the file repeats to the bit.
class GemmPlans {
public:
    /// For the calling thread's GPU, of that name. Throws std::runtime_error where the file says nothing.
    explicit GemmPlans(const std::string& gpu);
    ~GemmPlans();
    GemmPlans(const GemmPlans&) = delete;
    GemmPlans& operator=(const GemmPlans&) = delete;

    /// False where the library does not know this product with its epilogue; nothing was launched then. Throws
    /// std::runtime_error with cuBLASLt's words where the library fails.
    bool multiply(const GemmShape& shape, const GemmOperands& operands, LaunchQueue& queue);

private:
    struct Library;
    std::unique_ptr<Library> library_;
};

}  // namespace shardlab::kernels::cuda
