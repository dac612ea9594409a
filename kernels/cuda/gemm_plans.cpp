// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/gemm_plans.cuh"

#include "kernels/cuda/capture_lock.cuh"
#include "kernels/cuda/check.cuh"

#include <cublasLt.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace shardlab::kernels::cuda {

namespace {

constexpr std::size_t workspaceBytes = std::size_t{64} << 20;

void checked(cublasStatus_t status, const char* call) {
    if (status != CUBLAS_STATUS_SUCCESS)
        throw std::runtime_error(std::string("cuBLASLt: ") + call + ": " + cublasLtGetStatusString(status));
}

cudaDataType_t typeOf(DType type) {
    return type == DType::BF16 ? CUDA_R_16BF : type == DType::F16 ? CUDA_R_16F : CUDA_R_32F;
}

/// The largest power of two, up to 256, that divides an address.
std::uint32_t alignmentOf(const void* data) {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    return address % 256 == 0 ? 256 : static_cast<std::uint32_t>(address & (~address + 1));
}

class Layout {
public:
    Layout(DType type, int rows, int columns, int stride) {
        checked(cublasLtMatrixLayoutCreate(&layout_, typeOf(type), static_cast<std::uint64_t>(rows),
                                           static_cast<std::uint64_t>(columns), stride),
                "cublasLtMatrixLayoutCreate");
    }
    Layout(Layout&& other) noexcept : layout_(std::exchange(other.layout_, nullptr)) {}
    Layout& operator=(Layout&&) = delete;
    ~Layout() {
        if (layout_) cublasLtMatrixLayoutDestroy(layout_);
    }
    operator cublasLtMatrixLayout_t() const { return layout_; }

private:
    cublasLtMatrixLayout_t layout_ = nullptr;
};

cublasLtEpilogue_t epilogueOf(Epilogue epilogue) {
    switch (epilogue) {
    case Epilogue::None: break;
    case Epilogue::Bias: return CUBLASLT_EPILOGUE_BIAS;
    case Epilogue::BiasGelu: return CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
    }
    return CUBLASLT_EPILOGUE_DEFAULT;
}

/// The library's matrices are column-major, so it is asked for Cᵀ = op(B)ᵀ·op(A)ᵀ, whose first factor is B.
struct Plan {
    cublasLtMatmulDesc_t operation = nullptr;
    Layout first;
    Layout second;
    Layout result;
    cublasLtMatmulAlgo_t algorithm{};
    bool known = false;

    explicit Plan(const GemmShape& s)
        : first(s.type, s.transposeB ? s.k : s.n, s.transposeB ? s.n : s.k, s.strideB),
          second(s.type, s.transposeA ? s.m : s.k, s.transposeA ? s.k : s.m, s.strideA),
          result(s.output, s.n, s.m, s.strideC) {
        // Without TF32: fp32 means fp32.
        checked(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
        set(CUBLASLT_MATMUL_DESC_TRANSA, s.transposeB ? CUBLAS_OP_T : CUBLAS_OP_N);
        set(CUBLASLT_MATMUL_DESC_TRANSB, s.transposeA ? CUBLAS_OP_T : CUBLAS_OP_N);
        set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogueOf(s.epilogue));
        if (s.epilogue != Epilogue::None) set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, typeOf(s.type));
        if (s.epilogue == Epilogue::BiasGelu)  // its aux has the result's type, which is the default
            set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, static_cast<std::int64_t>(s.strideC));
    }
    Plan(Plan&& other) noexcept
        : operation(std::exchange(other.operation, nullptr)), first(std::move(other.first)),
          second(std::move(other.second)), result(std::move(other.result)), algorithm(other.algorithm),
          known(other.known) {}
    Plan& operator=(Plan&&) = delete;
    ~Plan() {
        if (operation) cublasLtMatmulDescDestroy(operation);
    }

    template <class Value>
    void set(cublasLtMatmulDescAttributes_t attribute, const Value& value) {
        checked(cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof value),
                "cublasLtMatmulDescSetAttribute");
    }
    void point(const GemmShape& shape, const GemmOperands& operands) {
        if (shape.epilogue != Epilogue::None) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, operands.vector);
        if (shape.epilogue == Epilogue::BiasGelu) set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, operands.aux);
    }
};

struct Alignments {
    std::uint32_t a = 256;
    std::uint32_t b = 256;
    std::uint32_t c = 256;
    std::uint32_t vector = 256;  ///< an algorithm is chosen by it; its address is part of the operation
    auto operator<=>(const Alignments&) const = default;
};

class Preference {
public:
    Preference() { checked(cublasLtMatmulPreferenceCreate(&preference_), "cublasLtMatmulPreferenceCreate"); }
    Preference(const Preference&) = delete;
    Preference& operator=(const Preference&) = delete;
    ~Preference() { cublasLtMatmulPreferenceDestroy(preference_); }
    operator cublasLtMatmulPreference_t() const { return preference_; }
    template <class Value>
    void set(cublasLtMatmulPreferenceAttributes_t attribute, const Value& value) {
        checked(cublasLtMatmulPreferenceSetAttribute(preference_, attribute, &value, sizeof value),
                "cublasLtMatmulPreferenceSetAttribute");
    }

private:
    cublasLtMatmulPreference_t preference_ = nullptr;
};

}  // namespace

struct GemmPlans::Library {
    cublasLtHandle_t handle = nullptr;
    void* workspace = nullptr;
    using Plans = std::map<std::pair<GemmShape, Alignments>, Plan>;  // a map, because entries must stay where they are
    Plans plans;

    struct Product {
        Library* library;
        Plans::value_type* plan;
        GemmOperands operands;
        bool operator==(const Product&) const = default;
        void operator()(cudaStream_t stream) const {
            const GemmShape& shape = plan->first.first;
            Plan& p = plan->second;
            p.point(shape, operands);
            const float beta = shape.accumulates ? 1.0f : 0.0f;
            checked(cublasLtMatmul(library->handle, p.operation, &operands.alpha, operands.b, p.first, operands.a,
                                   p.second, &beta, operands.c, p.result, operands.c, p.result, &p.algorithm,
                                   library->workspace, workspaceBytes, stream),
                    "cublasLtMatmul");
        }
    };

    /// Takes the library's first choice, which is the same in every run, so that runs repeat to the bit. The plan stays
    /// unknown where the library has nothing for the product; any other answer than that is an error.
    void choose(Plan& plan, const Alignments& alignments) {
        Preference preference;
        preference.set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspaceBytes);
        // The parts of a sum may be added up in fp32 only.
        preference.set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                       static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
        preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignments.b);
        preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignments.a);
        preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignments.c);
        preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignments.c);
        cublasLtMatmulHeuristicResult_t found{};
        int count = 0;
        cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
        {
            const auto apart = captureLock();
            status = cublasLtMatmulAlgoGetHeuristic(handle, plan.operation, plan.first, plan.second, plan.result,
                                                    plan.result, preference, 1, &found, &count);
        }
        if (status == CUBLAS_STATUS_SUCCESS && count > 0) status = found.state;
        if (status == CUBLAS_STATUS_NOT_SUPPORTED || (status == CUBLAS_STATUS_SUCCESS && count == 0)) return;
        checked(status, "cublasLtMatmulAlgoGetHeuristic");
        plan.known = true;
        plan.algorithm = found.algo;
    }
};

GemmPlans::GemmPlans() : library_(std::make_unique<Library>()) {
    checked(cublasLtCreate(&library_->handle), "cublasLtCreate");
    check(cudaMalloc(&library_->workspace, workspaceBytes), "cudaMalloc", workspaceBytes);
}

GemmPlans::~GemmPlans() {
    library_->plans.clear();
    cudaFree(library_->workspace);
    cublasLtDestroy(library_->handle);
}

bool GemmPlans::multiply(const GemmShape& shape, const GemmOperands& operands, LaunchQueue& queue) {
    Alignments alignments{alignmentOf(operands.a), alignmentOf(operands.b), alignmentOf(operands.c)};
    if (operands.aux) alignments.c = std::min(alignments.c, alignmentOf(operands.aux));
    if (operands.vector) alignments.vector = alignmentOf(operands.vector);
    auto found = library_->plans.find({shape, alignments});
    if (found == library_->plans.end()) {
        Plan plan(shape);
        plan.point(shape, operands);
        library_->choose(plan, alignments);
        found = library_->plans.emplace(std::pair(shape, alignments), std::move(plan)).first;
    }
    if (!found->second.known) return false;
    queue.call(Library::Product{library_.get(), &*found, operands});
    return true;
}

}  // namespace shardlab::kernels::cuda
