// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/gemm_plans.cuh"

#include "kernels/cuda/capture_lock.cuh"
#include "kernels/cuda/check.cuh"
#include "kernels/cuda/gemm_choices.cuh"

#include <cublasLt.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace shardlab::kernels::cuda {

namespace {

constexpr std::size_t workspaceBytes = std::size_t{64} << 20;
constexpr int mostCandidates = 8;

void checked(cublasStatus_t status, const char* call) {
    if (status != CUBLAS_STATUS_SUCCESS)
        throw std::runtime_error(std::string("cuBLASLt: ") + call + ": " + cublasLtGetStatusString(status));
}

cudaDataType_t typeOf(DType type) {
    return type == DType::BF16 ? CUDA_R_16BF : type == DType::F16 ? CUDA_R_16F : CUDA_R_32F;
}

cudaDataType_t typeOf(DType type, const Codes& codes) {
    if (codes.scales == CodeScales::None) return typeOf(type);
    return codes.format == Fp8Format::E4M3 ? CUDA_R_8F_E4M3 : CUDA_R_8F_E5M2;
}

#if CUBLAS_VERSION >= 120900
std::int32_t modeOf(CodeScales scales) {
    switch (scales) {
    case CodeScales::Rows: return CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
    case CodeScales::Runs: return CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F;
    case CodeScales::Squares: return CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
    case CodeScales::ShortRuns: return CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0;
    case CodeScales::None:
    case CodeScales::Whole: break;
    }
    return CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
}
#endif

/// The largest power of two, up to 256, that divides an address.
std::uint32_t alignmentOf(const void* data) {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    return address % 256 == 0 ? 256 : static_cast<std::uint32_t>(address & (~address + 1));
}

class Layout {
public:
    Layout(cudaDataType_t type, int rows, int columns, int stride) {
        checked(cublasLtMatrixLayoutCreate(&layout_, type, static_cast<std::uint64_t>(rows),
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

/// Finds the quickest of several algorithms. A call of the product is computed by one of them and measured where it
/// stands, between the kernels around it: nothing is computed twice, and nobody waits.
class Trial {
public:
    explicit Trial(std::size_t candidates) : least_(candidates, std::numeric_limits<float>::infinity()) {
        for (cudaEvent_t* const event : {&begin_, &end_}) check(cudaEventCreate(event), "cudaEventCreate");
    }
    ~Trial() {
        for (cudaEvent_t event : {begin_, end_}) cudaEventDestroy(event);
    }
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    /// Takes down the time of the call that was measured last; false while that call is under way.
    bool ready() {
        if (!underWay_) return true;
        const cudaError_t status = cudaEventQuery(end_);
        if (status == cudaErrorNotReady) {
            cudaGetLastError();  // clears the error, which is handled here
            return false;
        }
        check(status, "cudaEventQuery");
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
        least_[candidate()] = std::min(least_[candidate()], milliseconds);
        ++calls_;
        underWay_ = false;
        return true;
    }
    bool over() const { return calls_ == tries * least_.size(); }
    std::size_t candidate() const { return calls_ % least_.size(); }
    std::size_t quickest() const { return static_cast<std::size_t>(std::ranges::min_element(least_) - least_.begin()); }
    template <class Call>
    void measure(const Call& call, cudaStream_t stream) {
        check(cudaEventRecord(begin_, stream), "cudaEventRecord");
        call(stream);
        check(cudaEventRecord(end_, stream), "cudaEventRecord");
        underWay_ = true;
    }

private:
    static constexpr std::size_t tries = 5;  ///< of each candidate, whose shortest time counts
    std::vector<float> least_;               ///< milliseconds
    cudaEvent_t begin_ = nullptr, end_ = nullptr;
    std::size_t calls_ = 0;  ///< that were measured
    bool underWay_ = false;
};

/// The library's matrices are column-major, so it is asked for Cᵀ = op(B)ᵀ·op(A)ᵀ, whose first factor is B.
struct Plan {
    cublasLtMatmulDesc_t operation = nullptr;
    Layout first;
    Layout second;
    Layout result;
    std::vector<cublasLtMatmulAlgo_t> algorithms;  ///< none where the library does not know the product
    std::size_t chosen = 0;
    std::unique_ptr<Trial> trial;  ///< of all algorithms; null once one of them has been chosen

    explicit Plan(const GemmShape& s)
        : first(typeOf(s.type, s.codesB), s.transposeB ? s.k : s.n, s.transposeB ? s.n : s.k, s.strideB),
          second(typeOf(s.type, s.codesA), s.transposeA ? s.m : s.k, s.transposeA ? s.k : s.m, s.strideA),
          result(typeOf(s.output), s.n, s.m, s.strideC) {
        // Without TF32: fp32 means fp32.
        checked(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
        set(CUBLASLT_MATMUL_DESC_TRANSA, s.transposeB ? CUBLAS_OP_T : CUBLAS_OP_N);
        set(CUBLASLT_MATMUL_DESC_TRANSB, s.transposeA ? CUBLAS_OP_T : CUBLAS_OP_N);
        set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogueOf(s.epilogue));
#if CUBLAS_VERSION >= 120900
        if (s.type == DType::U8) {
            set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, modeOf(s.codesB.scales));
            set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, modeOf(s.codesA.scales));
        }
#endif
        if (s.epilogue != Epilogue::None) set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, typeOf(s.type));
        if (s.epilogue == Epilogue::BiasGelu)  // its aux has the result's type, which is the default
            set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, static_cast<std::int64_t>(s.strideC));
    }
    Plan(Plan&& other) noexcept
        : operation(std::exchange(other.operation, nullptr)), first(std::move(other.first)),
          second(std::move(other.second)), result(std::move(other.result)), algorithms(std::move(other.algorithms)),
          chosen(other.chosen), trial(std::move(other.trial)) {}
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
        if (shape.type == DType::U8) {
            set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, operands.scalesB);
            set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, operands.scalesA);
        }
    }
};

struct Alignments {
    std::uint32_t a = 256;
    std::uint32_t b = 256;
    std::uint32_t c = 256;
    std::uint32_t vector = 256;  ///< an algorithm is chosen by it; its address is part of the operation
    auto operator<=>(const Alignments&) const = default;
};

/// What stands for a product in a file of choices.
std::string textOf(const GemmShape& s, const Alignments& aligned) {
    constexpr const char* types[] = {"fp32", "bf16", "fp16"};
    const auto factors = [&] {
        constexpr const char* scales[] = {"", "", " rows", " runs", " squares", " short runs"};
        const auto each = [&](const Codes& codes) {
            return std::string(codes.format == Fp8Format::E4M3 ? "e4m3" : "e5m2") +
                   scales[static_cast<int>(codes.scales)];
        };
        return s.type == DType::U8 ? each(s.codesA) + " · " + each(s.codesB) : types[static_cast<int>(s.type)];
    };
    constexpr const char* epilogues[] = {"", " bias", " bias+gelu"};
    std::ostringstream text;
    text << s.m << 'x' << s.n << 'x' << s.k << ' ' << (s.transposeA ? 'T' : 'N') << (s.transposeB ? 'T' : 'N')
         << " rows " << s.strideA << ' ' << s.strideB << ' ' << s.strideC << ' ' << factors()
         << (s.accumulates ? " added to " : " to ") << types[static_cast<int>(s.output)]
         << epilogues[static_cast<int>(s.epilogue)] << " aligned " << aligned.a << ' ' << aligned.b << ' ' << aligned.c
         << ' ' << aligned.vector;
    return text.str();
}

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
    std::optional<GemmChoices> choices;
    using Plans = std::map<std::pair<GemmShape, Alignments>, Plan>;  // a map, because entries must stay where they are
    Plans plans;

    struct Product {
        Library* library;
        Plans::value_type* plan;
        GemmOperands operands;
        std::size_t algorithm;
        bool operator==(const Product&) const = default;
        void operator()(cudaStream_t stream) const {
            const GemmShape& shape = plan->first.first;
            Plan& p = plan->second;
            p.point(shape, operands);
            const float beta = shape.accumulates ? 1.0f : 0.0f;
            checked(cublasLtMatmul(library->handle, p.operation, &operands.alpha, operands.b, p.first, operands.a,
                                   p.second, &beta, operands.before ? operands.before : operands.c, p.result,
                                   operands.c, p.result, &p.algorithms[algorithm], library->workspace, workspaceBytes,
                                   stream),
                    "cublasLtMatmul");
        }
    };

    /// The plan has no algorithm where the library has nothing for the product; any other answer than that is an error.
    void choose(Plan& plan, const GemmShape& shape, const Alignments& alignments) {
        if (choices && takeStored(plan, textOf(shape, alignments))) return;
        Preference preference;
        preference.set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspaceBytes);
        // The parts of a sum may be added up in fp32 only.
        preference.set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                       static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
        preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignments.b);
        preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignments.a);
        preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignments.c);
        preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignments.c);
        std::array<cublasLtMatmulHeuristicResult_t, mostCandidates> found{};
        int count = 0;
        cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
        {
            const auto apart = captureLock();
            status = cublasLtMatmulAlgoGetHeuristic(handle, plan.operation, plan.first, plan.second, plan.result,
                                                    plan.result, preference, choices ? mostCandidates : 1, found.data(),
                                                    &count);
        }
        if (status == CUBLAS_STATUS_SUCCESS && count > 0) status = found[0].state;
        if (status == CUBLAS_STATUS_NOT_SUPPORTED || (status == CUBLAS_STATUS_SUCCESS && count == 0)) return;
        checked(status, "cublasLtMatmulAlgoGetHeuristic");
        for (const auto& each : std::span(found).first(static_cast<std::size_t>(count)))
            if (each.state == CUBLAS_STATUS_SUCCESS) plan.algorithms.push_back(each.algo);
        if (plan.algorithms.size() > 1) plan.trial = std::make_unique<Trial>(plan.algorithms.size());
    }

    bool takeStored(Plan& plan, const std::string& product) const {
        const cublasLtMatmulAlgo_t* const stored = choices->find(product);
        if (!stored) return false;
        cublasLtMatmulHeuristicResult_t needs{};
        cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
        {
            const auto apart = captureLock();
            status = cublasLtMatmulAlgoCheck(handle, plan.operation, plan.first, plan.second, plan.result, plan.result,
                                             stored, &needs);
        }
        if (status != CUBLAS_STATUS_SUCCESS || needs.workspaceSize > workspaceBytes)
            throw std::runtime_error("SHARDLAB_CUDA_PRODUCTS: " + choices->path() + ": cuBLASLt does not compute '" +
                                     product + "' by the algorithm there; without the line it is measured again");
        plan.algorithms = {*stored};
        return true;
    }

    /// Measures one candidate more, or takes the quickest of all. False where the product is still to be computed.
    bool tryNext(Plans::value_type& plan, const GemmOperands& operands, LaunchQueue& queue) {
        auto& [key, p] = plan;
        if (!p.trial || !p.trial->ready()) return false;
        if (!p.trial->over()) {
            p.trial->measure(Product{this, &plan, operands, p.trial->candidate()}, queue.stream());
            return true;
        }
        p.chosen = p.trial->quickest();
        p.trial.reset();
        choices->add(textOf(key.first, key.second), p.algorithms[p.chosen]);
        return false;
    }
};

GemmPlans::GemmPlans(const std::string& gpu) : library_(std::make_unique<Library>()) {
    if (const char* const file = std::getenv("SHARDLAB_CUDA_PRODUCTS")) library_->choices.emplace(file, gpu);
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
    for (const void* const like : {operands.before, static_cast<const void*>(operands.aux)})
        if (like) alignments.c = std::min(alignments.c, alignmentOf(like));
    if (operands.vector) alignments.vector = alignmentOf(operands.vector);
    auto found = library_->plans.find({shape, alignments});
    if (found == library_->plans.end()) {
        Plan plan(shape);
        plan.point(shape, operands);
        library_->choose(plan, shape, alignments);
        found = library_->plans.emplace(std::pair(shape, alignments), std::move(plan)).first;
    }
    if (found->second.algorithms.empty()) return false;
    if (!library_->tryNext(*found, operands, queue))
        queue.call(Library::Product{library_.get(), &*found, operands, found->second.chosen});
    return true;
}

}  // namespace shardlab::kernels::cuda
