// SPDX-License-Identifier: Apache-2.0
// cuBLASLt's functions, of a library that knows no product, so that ours are tested. SHARDLAB_EMULATED_HEURISTIC is the
// status that its heuristic answers with instead; with 0 (success) it multiplies products of fp32 without an epilogue.
// SHARDLAB_EMULATED_CANDIDATES says how many algorithms it has, of which each is quicker than the one before.
// As cuBLASLt 13.3's, the heuristic fails while a stream is captured. Where nothing is computed (emulation::dry), it
// knows all products. Matrices whose rows tensor cores would not load at once are counted.
#include "tests/gpu/emulated_cuda.h"

#include <cublasLt.h>

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
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int wanted,
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
    const auto epilogue = keptOf<Operation>(operation)->get(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT);
    if (matrixOf(a).type != CUDA_R_32F || epilogue != CUBLASLT_EPILOGUE_DEFAULT) return status;  // none
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
    shardlab::emulation::count(stream, epilogue == CUBLASLT_EPILOGUE_DEFAULT ? "product"
                                       : epilogue == CUBLASLT_EPILOGUE_BIAS  ? "product with bias"
                                                                             : "product with bias and GELU");
    const int number = static_cast<int>(algorithm->data[0]);
    if (number > 0) shardlab::emulation::count(stream, "product by candidate " + std::to_string(number));
    const auto lingers = std::chrono::milliseconds(50 * (candidates() - 1 - number));
    const bool transA = what.get(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_N) == CUBLAS_OP_T;
    const bool transB = what.get(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N) == CUBLAS_OP_T;
    const Matrix first = matrixOf(layoutA), second = matrixOf(layoutB), result = matrixOf(layoutC);
    for (const Matrix& each : {first, second, result})
        if (each.stride * (each.type == CUDA_R_32F ? 4 : 2) % 16 != 0)
            shardlab::emulation::count(stream, "matrix whose rows are not aligned to 16 bytes");
    shardlab::emulation::enqueue(
        stream, [=, scale = *static_cast<const float*>(alpha), keep = *static_cast<const float*>(beta)] {
            std::this_thread::sleep_for(lingers);
            const auto at = [](const void* data, const Matrix& matrix, std::uint64_t row, std::uint64_t column) {
                return static_cast<const float*>(
                    data)[static_cast<std::int64_t>(column) * matrix.stride + static_cast<std::int64_t>(row)];
            };
            const std::uint64_t depth = transA ? first.rows : first.columns;
            for (std::uint64_t column = 0; column < result.columns; ++column)
                for (std::uint64_t row = 0; row < result.rows; ++row) {
                    float sum = 0;
                    for (std::uint64_t k = 0; k < depth; ++k)
                        sum += (transA ? at(a, first, k, row) : at(a, first, row, k)) *
                               (transB ? at(b, second, column, k) : at(b, second, k, column));
                    const float before = keep == 0 ? 0 : keep * at(c, result, row, column);
                    static_cast<float*>(
                        d)[static_cast<std::int64_t>(column) * result.stride + static_cast<std::int64_t>(row)] =
                        scale * sum + before;
                }
        });
    return CUBLAS_STATUS_SUCCESS;
}
