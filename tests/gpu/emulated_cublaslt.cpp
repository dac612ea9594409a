// SPDX-License-Identifier: Apache-2.0
// cuBLASLt's functions, of a library that knows no product, so that ours are tested. SHARDLAB_EMULATED_HEURISTIC is the
// status that its heuristic answers with instead; with 0 (success) it multiplies products of fp32 without an epilogue,
// and codes of 8 bits as far as cuBLASLt 13's documentation says that the GPU's compute capability has them.
// SHARDLAB_EMULATED_CANDIDATES says how many algorithms it has, of which each is quicker than the one before.
// As cuBLASLt 13.3's, the heuristic fails while a stream is captured. Where nothing is computed (emulation::dry), it
// knows all products. Matrices whose rows tensor cores would not load at once are counted.
#include "tests/gpu/emulated_cuda.h"

#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>
#include <vector>

struct cublasLtContext {};

namespace {

struct Matrix {
    cudaDataType type = CUDA_R_32F;
    std::uint64_t rows = 0, columns = 0;
    std::int64_t stride = 0;
};
struct Operation {
    std::map<int, std::vector<std::byte>> attributes;
    template <class Value>
    Value get(cublasLtMatmulDescAttributes_t attribute, Value value) const {
        const auto found = attributes.find(attribute);
        if (found != attributes.end()) std::memcpy(&value, found->second.data(), sizeof value);
        return value;
    }
};

/// What the caller sees is a block of words; the first of them leads to what is kept here.
template <class Kept, class Shown>
Kept*& keptOf(Shown* shown) {
    static_assert(sizeof(Shown) >= sizeof(Kept*));
    return *reinterpret_cast<Kept**>(shown);
}
template <class Kept, class Shown>
cublasStatus_t make(Shown** shown, Kept kept) {
    *shown = new Shown{};
    keptOf<Kept>(*shown) = new Kept(std::move(kept));
    return CUBLAS_STATUS_SUCCESS;
}
template <class Kept, class Shown>
cublasStatus_t drop(Shown* shown) {
    delete keptOf<Kept>(shown);
    delete shown;
    return CUBLAS_STATUS_SUCCESS;
}

int candidates() {
    const char* const wanted = std::getenv("SHARDLAB_EMULATED_CANDIDATES");
    return wanted ? std::atoi(wanted) : 1;
}

Matrix matrixOf(cublasLtMatrixLayout_t layout) { return *keptOf<Matrix>(layout); }

bool hasCodes(const Matrix& matrix) { return matrix.type == CUDA_R_8F_E4M3 || matrix.type == CUDA_R_8F_E5M2; }
std::int64_t bytesOf(cudaDataType type) {
    return type == CUDA_R_32F ? 4 : type == CUDA_R_16BF || type == CUDA_R_16F ? 2 : 1;
}

double read(const void* data, const Matrix& matrix, std::uint64_t row, std::uint64_t column) {
    const std::int64_t at = static_cast<std::int64_t>(column) * matrix.stride + static_cast<std::int64_t>(row);
    const auto ofCode = [&](__nv_fp8_interpretation_t format) {
        return __half2float(__nv_cvt_fp8_to_halfraw(static_cast<const __nv_fp8_storage_t*>(data)[at], format));
    };
    switch (matrix.type) {
    case CUDA_R_8F_E4M3: return ofCode(__NV_E4M3);
    case CUDA_R_8F_E5M2: return ofCode(__NV_E5M2);
    case CUDA_R_16BF: return __bfloat162float(static_cast<const __nv_bfloat16*>(data)[at]);
    case CUDA_R_16F: return __half2float(static_cast<const __half*>(data)[at]);
    default: return static_cast<const float*>(data)[at];
    }
}
void write(double value, void* data, const Matrix& matrix, std::uint64_t row, std::uint64_t column) {
    const std::int64_t at = static_cast<std::int64_t>(column) * matrix.stride + static_cast<std::int64_t>(row);
    const auto rounded = static_cast<float>(value);
    if (matrix.type == CUDA_R_16BF) static_cast<__nv_bfloat16*>(data)[at] = __float2bfloat16(rounded);
    else if (matrix.type == CUDA_R_16F) static_cast<__half*>(data)[at] = __float2half(rounded);
    else static_cast<float*>(data)[at] = rounded;
}

/// What the codes of a factor are multiplied with, laid out as the documentation's "Scaling factor layouts" has it.
struct Scales {
    int mode = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
    const void* data = nullptr;

    Scales(const Operation& of, cublasLtMatmulDescAttributes_t modes, cublasLtMatmulDescAttributes_t pointers)
        : mode(of.get(modes, int{CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F})),
          data(of.get(pointers, static_cast<const void*>(nullptr))) {}
    /// The scale of element `k` along the sum, in row or column `outer` of `extent`.
    double of(std::uint64_t outer, std::uint64_t k, std::uint64_t extent, std::uint64_t depth) const {
        const auto upTo4 = [](std::uint64_t count) { return (count + 3) / 4 * 4; };
        const auto* const floats = static_cast<const float*>(data);
        switch (mode) {
        case CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F: return floats[outer];
        case CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F: return floats[k / 128 * extent + outer];
        case CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F:
            return floats[outer / 128 * upTo4((depth + 127) / 128) + k / 128];
        case CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0: {
            const std::uint64_t inner = k / 32, blocks = upTo4((depth + 31) / 32) / 4;
            const std::uint64_t block = outer / 128 * blocks + inner / 4;
            const std::uint64_t place = outer % 32 * 16 + outer % 128 / 32 * 4 + inner % 4;
            return std::ldexp(1.0, static_cast<const std::uint8_t*>(data)[block * 512 + place] - 127);
        }
        default: return data ? *floats : 1.0;
        }
    }
    bool usable() const {
        return data ? reinterpret_cast<std::uintptr_t>(data) % 16 == 0
                    : mode == CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
    }
};
Scales scalesOfA(const Operation& of) {
    return {of, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER};
}
Scales scalesOfB(const Operation& of) {
    return {of, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER};
}

bool knowsCodes(const Operation& what, const Matrix& a, const Matrix& b, const Matrix& d) {
    const int capability = shardlab::emulation::capability();
    if (!hasCodes(a) || !hasCodes(b) || (a.type == CUDA_R_8F_E5M2 && b.type == CUDA_R_8F_E5M2)) return false;
    if (what.get(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_N) != CUBLAS_OP_T ||
        what.get(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N) != CUBLAS_OP_N || a.rows != b.rows || hasCodes(d))
        return false;
    for (const std::uint64_t size : {a.rows, a.columns, b.columns})
        if (size % 16 != 0) return false;
    const int ofA = scalesOfA(what).mode, ofB = scalesOfB(what).mode;
    const auto both = [&](int mode) { return ofA == mode && ofB == mode; };
    if (both(CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F)) return capability >= 89;
    if (both(CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0)) return capability >= 100;
    if (both(CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F)) return capability == 90;
    const auto of128 = [](int mode) {
        return mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F || mode == CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
    };
    return capability == 90 && of128(ofA) && of128(ofB) && !both(CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F);
}

}  // namespace

const char* cublasLtGetStatusString(cublasStatus_t status) {
    return status == CUBLAS_STATUS_INTERNAL_ERROR ? "an internal operation failed" : "an emulated status";
}
std::size_t cublasLtGetVersion() { return 130'100; }
cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
    *handle = new cublasLtContext;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, std::uint64_t rows,
                                          std::uint64_t columns, std::int64_t stride) {
    return make(layout, Matrix{type, rows, columns, stride});
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) { return drop<Matrix>(layout); }
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* operation, cublasComputeType_t, cudaDataType_t) {
    return make(operation, Operation{});
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation) { return drop<Operation>(operation); }
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
    const auto* const begin = static_cast<const std::byte*>(value);
    keptOf<Operation>(operation)->attributes[attribute].assign(begin, begin + bytes);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
    *preference = new cublasLtMatmulPreferenceOpaque_t{};
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
    delete preference;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t,
                                                    const void*, std::size_t) {
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t, int wanted,
                                              cublasLtMatmulHeuristicResult_t* found, int* count) {
    *count = 0;
    if (shardlab::emulation::captures()) return CUBLAS_STATUS_INTERNAL_ERROR;
    if (shardlab::emulation::dry()) {
        *found = {};
        *count = 1;
        return CUBLAS_STATUS_SUCCESS;
    }
    const char* const answer = std::getenv("SHARDLAB_EMULATED_HEURISTIC");
    const auto status = answer ? static_cast<cublasStatus_t>(std::atoi(answer)) : CUBLAS_STATUS_NOT_SUPPORTED;
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    const Operation& what = *keptOf<Operation>(operation);
    const bool knows = matrixOf(a).type == CUDA_R_32F || knowsCodes(what, matrixOf(a), matrixOf(b), matrixOf(d));
    if (!knows || what.get(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT) != CUBLASLT_EPILOGUE_DEFAULT)
        return status;  // none
    for (; *count < std::min(wanted, candidates()); ++*count) {
        found[*count] = {};
        found[*count].algo.data[0] = static_cast<std::uint64_t>(*count);
    }
    return status;
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                       cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                       const cublasLtMatmulAlgo_t* algorithm, cublasLtMatmulHeuristicResult_t*) {
    return algorithm->data[0] < static_cast<std::uint64_t>(candidates()) ? CUBLAS_STATUS_SUCCESS
                                                                         : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t operation, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t layoutA, const void* b, cublasLtMatrixLayout_t layoutB,
                              const void* beta, const void* c, cublasLtMatrixLayout_t layoutC, void* d,
                              cublasLtMatrixLayout_t, const cublasLtMatmulAlgo_t* algorithm, void*, std::size_t,
                              cudaStream_t stream) {
    const Operation& what = *keptOf<Operation>(operation);
    const auto epilogue = what.get(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT);
    const bool codes = hasCodes(matrixOf(layoutA));
    const Scales scalesA = scalesOfA(what), scalesB = scalesOfB(what);
    shardlab::emulation::count(stream, codes                                   ? "product of codes"
                                       : epilogue == CUBLASLT_EPILOGUE_DEFAULT ? "product"
                                       : epilogue == CUBLASLT_EPILOGUE_BIAS    ? "product with bias"
                                                                               : "product with bias and GELU");
    if (codes) {
        for (const void* const data : {a, b, c, static_cast<const void*>(d)})
            if (reinterpret_cast<std::uintptr_t>(data) % 16 != 0) return CUBLAS_STATUS_INVALID_VALUE;
        if (!scalesA.usable() || !scalesB.usable()) return CUBLAS_STATUS_INVALID_VALUE;
    }
    const int number = static_cast<int>(algorithm->data[0]);
    if (number > 0) shardlab::emulation::count(stream, "product by candidate " + std::to_string(number));
    const auto lingers = std::chrono::milliseconds(50 * (candidates() - 1 - number));
    const bool transA = what.get(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_N) == CUBLAS_OP_T;
    const bool transB = what.get(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N) == CUBLAS_OP_T;
    const Matrix first = matrixOf(layoutA), second = matrixOf(layoutB), result = matrixOf(layoutC);
    for (const Matrix& each : {first, second, result})
        if (each.stride * bytesOf(each.type) % 16 != 0)
            shardlab::emulation::count(stream, "matrix whose rows are not aligned to 16 bytes");
    shardlab::emulation::enqueue(stream, [=, scale = *static_cast<const float*>(alpha),
                                          keep = *static_cast<const float*>(beta)] {
        std::this_thread::sleep_for(lingers);
        const std::uint64_t depth = transA ? first.rows : first.columns;
        for (std::uint64_t column = 0; column < result.columns; ++column)
            for (std::uint64_t row = 0; row < result.rows; ++row) {
                double sum = 0;
                for (std::uint64_t k = 0; k < depth; ++k) {
                    const double factors = (transA ? read(a, first, k, row) : read(a, first, row, k)) *
                                           (transB ? read(b, second, column, k) : read(b, second, k, column));
                    sum += codes ? factors * scalesA.of(row, k, result.rows, depth) *
                                       scalesB.of(column, k, result.columns, depth)
                                 : factors;
                }
                write(scale * sum + (keep == 0 ? 0.0 : keep * read(c, result, row, column)), d, result, row, column);
            }
    });
    return CUBLAS_STATUS_SUCCESS;
}
