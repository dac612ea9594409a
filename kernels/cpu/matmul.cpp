// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/matmul.h"

#include "kernels/cpu/instructions.h"
#include "kernels/threads.h"

#include <omp.h>

#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace shardlab::kernels::cpu {

namespace {

/// What a primitive is made for: sizes, alpha, strides, transposes, whether it accumulates, types of the factors and of
/// C, threads.
using Key = std::tuple<int, int, int, float, int, int, int, bool, bool, bool, DType, DType, int>;

using Type = dnnl::memory::data_type;

Type typeOf(DType type) { return type == DType::F32 ? Type::f32 : Type::bf16; }

dnnl::memory::desc describe(int rows, int columns, int stride, bool transpose, Type type) {
    const dnnl::memory::dims strides = transpose ? dnnl::memory::dims{1, stride} : dnnl::memory::dims{stride, 1};
    return {{rows, columns}, type, strides};
}

/// A primitive with the arguments of all its calls.
struct Product {
    dnnl::matmul primitive;
    dnnl::memory a;
    dnnl::memory b;
    dnnl::memory c;
    std::unordered_map<int, dnnl::memory> arguments;
};

/// Each thread makes the primitive of a shape once and keeps it.
struct Products {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    std::map<Key, Product> made;
};

/// With tiles oneDNN 3 gets some products of slices wrong: it takes what lies between the rows of a left factor for a
/// part of them, as its releases 3.7.3 and 3.13.1 say to mend, and a result of one column for a dense one. What packs
/// its factors does not.
bool slicesAreWrong(int m, int n, int k, const Matrix& a, int strideC) {
    const bool slices = !isDense(a, m, k) || strideC != n;
    return DNNL_VERSION_MAJOR >= 3 && a.data.type != DType::F32 && multipliesInTiles() && slices;
}

/// oneDNN's first choice for dense matrices reads its factors in place, its second one packs them. In 16 bits the first
/// adds to C at two thirds of its rate, and without tiles it is slower, except for few rows and a transposed right
/// factor.
bool secondIsQuicker(int m, const Matrix& a, const Matrix& b, bool accumulates) {
    constexpr int fewRows = 512;
    if (a.data.type == DType::F32) return false;
    if (accumulates || multipliesInTiles()) return accumulates;
    return a.transpose || !b.transpose || m >= fewRows;
}

// oneDNN 2 knows alpha when a primitive is made, oneDNN 3 when it is carried out.
#if DNNL_VERSION_MAJOR < 3
void scale(dnnl::primitive_attr& attributes, float alpha) {
    if (alpha != 1) attributes.set_output_scales(0, {alpha});
}
void addScale(std::unordered_map<int, dnnl::memory>&, const dnnl::engine&, float) {}
dnnl::matmul::primitive_desc choices(const dnnl::engine& engine, const dnnl::memory::desc& left,
                                     const dnnl::memory::desc& right, const dnnl::memory::desc& result,
                                     const dnnl::primitive_attr& attributes) {
    return {dnnl::matmul::desc(left, right, result), attributes, engine};
}
#else
void scale(dnnl::primitive_attr& attributes, float alpha) {
    if (alpha != 1) attributes.set_scales_mask(DNNL_ARG_SRC, 0);
}
void addScale(std::unordered_map<int, dnnl::memory>& arguments, const dnnl::engine& engine, float alpha) {
    if (alpha == 1) return;
    dnnl::memory factor({{1}, Type::f32, dnnl::memory::format_tag::x}, engine);
    *static_cast<float*>(factor.get_data_handle()) = alpha;
    arguments.emplace(DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, std::move(factor));
}
dnnl::matmul::primitive_desc choices(const dnnl::engine& engine, const dnnl::memory::desc& left,
                                     const dnnl::memory::desc& right, const dnnl::memory::desc& result,
                                     const dnnl::primitive_attr& attributes) {
    return {engine, left, right, result, attributes};
}
#endif

Product make(const dnnl::engine& engine, int m, int n, int k, float alpha, const Matrix& a, const Matrix& b,
             bool accumulates, DType typeC, int strideC) {
    const auto left = describe(m, k, a.stride, a.transpose, typeOf(a.data.type));
    const auto right = describe(k, n, b.stride, b.transpose, typeOf(b.data.type));
    const auto result = describe(m, n, strideC, false, typeOf(typeC));
    dnnl::primitive_attr attributes;
    scale(attributes, alpha);
    if (accumulates) {
        dnnl::post_ops after;
        after.append_sum(1.0f);
        attributes.set_post_ops(after);
    }
    auto description = choices(engine, left, right, result, attributes);
    const bool firstIsWrong = slicesAreWrong(m, n, k, a, strideC);
    if (firstIsWrong || secondIsQuicker(m, a, b, accumulates)) {
        auto other = choices(engine, left, right, result, attributes);
        const auto is = [&](std::string_view name) {
            return std::string_view(other.impl_info_str()).starts_with(name);
        };
        if (is("brg")) {  // "brg:…" in oneDNN 2, "brg_matmul:…" in oneDNN 3
            while (other.next_impl() && firstIsWrong && !is("gemm:")) {}
            if (is("gemm:")) description = other;
        }
    }
    Product made{dnnl::matmul(description),
                 dnnl::memory(left, engine, nullptr),
                 dnnl::memory(right, engine, nullptr),
                 dnnl::memory(result, engine, nullptr),
                 {}};
    made.arguments = {{DNNL_ARG_SRC, made.a}, {DNNL_ARG_WEIGHTS, made.b}, {DNNL_ARG_DST, made.c}};
    addScale(made.arguments, engine, alpha);
    return made;
}

}  // namespace

bool multipliesBf16() {
    static const bool known = has(dnnl::cpu_isa::avx512_core_bf16);
    return known;
}

bool multipliesInTiles() {
    static const bool known = has(dnnl::cpu_isa::avx512_core_amx);
    return known;
}

void matmul(int m, int n, int k, float alpha, const Matrix& a, const Matrix& b, float beta, Array c, int strideC) {
    thread_local Products products;
    const bool accumulates = beta != 0;
    const Key key{m,
                  n,
                  k,
                  alpha,
                  a.stride,
                  b.stride,
                  strideC,
                  a.transpose,
                  b.transpose,
                  accumulates,
                  a.data.type,
                  c.type,
                  omp_in_parallel() ? 1 : kernelThreads()};
    auto place = products.made.find(key);
    if (place == products.made.end()) {
        Product made = make(products.engine, m, n, k, alpha, a, b, accumulates, c.type, strideC);
        place = products.made.emplace(key, std::move(made)).first;
    }
    Product& product = place->second;
    product.a.set_data_handle(const_cast<void*>(a.data.data));
    product.b.set_data_handle(const_cast<void*>(b.data.data));
    product.c.set_data_handle(c.data);
    product.primitive.execute(products.stream, product.arguments);
    products.stream.wait();
}

}  // namespace shardlab::kernels::cpu
