// SPDX-License-Identifier: Apache-2.0
// Every operation of a device at the shapes of a GPT-2 of 124 M parameters: time, rates, and how much of the time the
// operation would need at least, from the ceilings measured first (a copy within the device, a large product).
// kernel_speed [cuda|cpu] [bf16|fp16|fp32] [samples] [op]
#include "kernels/cuda_device.h"
#include "kernels/metered_device.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace shardlab::test;

namespace {

constexpr int hidden = 768, heads = 12, sequence = 1024, vocabulary = 50304, layers = 12;

/// One buffer several times, so that what a call reads is not what the call before left in a cache.
class Rotating {
public:
    Rotating(Device& device, DType type, std::int64_t count, int times = 4)
        : device_(&device), type_(type), count_((count + 127) / 128 * 128), times_(times),
          data_(device.allocate(bytes())) {}
    Rotating(const Rotating&) = delete;
    Rotating& operator=(const Rotating&) = delete;
    ~Rotating() { device_->release(data_); }
    std::size_t bytes() const {
        return static_cast<std::size_t>(count_) * static_cast<std::size_t>(times_) * sizeOf(type_);
    }
    Array operator[](int i) const { return Array(data_, type_) + i % times_ * count_; }
    float* floats(int i) const { return (*this)[i].floats(); }

    /// Normal numbers, the same ones again after some millions.
    Rotating& random(float spread = 0.5f) {
        std::mt19937 engine(7);
        std::normal_distribution<float> normal(0, spread);
        const std::size_t some = std::min<std::size_t>(std::size_t{1} << 20, bytes() / sizeOf(type_));
        std::vector<float> values(some);
        for (float& value : values) value = normal(engine);
        void* floats = device_->allocate(some * 4);
        device_->upload(values.data(), floats, some * 4);
        device_->convert(static_cast<std::int64_t>(some), {floats, DType::F32}, {data_, type_});
        for (std::size_t done = some * sizeOf(type_); done < bytes(); done *= 2)
            device_->copy(data_, static_cast<std::byte*>(data_) + done, std::min(done, bytes() - done));
        device_->synchronize();
        device_->release(floats);
        return *this;
    }

private:
    Device* device_;
    DType type_;
    std::int64_t count_;
    int times_;
    void* data_;
};

/// Seconds of one call: the median of batches that last some milliseconds.
double secondsOf(Device& device, const std::function<void(int)>& call) {
    using Clock = std::chrono::steady_clock;
    int i = 0;
    const auto batch = [&](int calls) {
        const auto begin = Clock::now();
        for (int c = 0; c < calls; ++c) call(i++);
        device.synchronize();
        return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    batch(2);
    const double once = batch(2) / 2;
    const int calls = std::clamp(static_cast<int>(0.02 / once), 1, 200);
    std::vector<double> times;
    for (int round = 0; round < (once > 1 ? 1 : 7); ++round) times.push_back(batch(calls) / calls);
    std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
    return times[times.size() / 2];
}

class Table {
public:
    Table(MeteredDevice& meter, DType type, std::string only) : meter_(meter), device_(meter), only_(std::move(only)) {
        Device& device = device_;
        const std::int64_t size = onGpu() ? std::int64_t{1} << 31 : std::int64_t{1} << 28;
        {
            const Rotating from(device, DType::F32, size / 4, 1), to(device, DType::F32, size / 4, 1);
            device.clear(from[0].data, static_cast<std::size_t>(size));
            bytesPerSecond_ = 2 * static_cast<double>(size) / secondsOf(device, [&](int) {
                                  device.copy(from[0].data, to[0].data, static_cast<std::size_t>(size));
                              });
        }
        const int n = onGpu() ? 8192 : 1024;
        const std::int64_t count = std::int64_t{n} * n;
        Rotating a(device, type, count, 1), b(device, type, count, 1);
        const Rotating c(device, type, count, 1);
        a.random();
        b.random();
        flopsPerSecond_ =
            2.0 * n * n * n / secondsOf(device, [&](int) { device.gemm(n, n, n, a[0], false, b[0], false, 0, c[0]); });
        std::printf("%s: copy %.0f GB/s (read and written), product of %d³ %.1f TFLOP/s\n", device.name().c_str(),
                    bytesPerSecond_ * 1e-9, n, flopsPerSecond_ * 1e-12);
        std::printf("%-28s %-24s %9s %8s %9s %7s\n", "op", "shape", "ms", "GB/s", "TFLOP/s", "floor");
    }

    bool onGpu() const { return !device_.onHost(); }
    bool wants(const std::string& op) const { return only_.empty() || op.find(only_) != std::string::npos; }

    void row(const std::string& op, const std::string& shape, const std::function<void(int)>& call) {
        if (!wants(op)) return;
        double bytes = 0, flops = 0;
        meter_.start([] { return 0.0; });
        call(0);
        meter_.stop();
        for (std::size_t kind = 0; kind < kernelKinds; ++kind) {
            bytes += meter_.use(static_cast<KernelKind>(kind)).bytes;
            flops += meter_.use(static_cast<KernelKind>(kind)).flops;
        }
        const double seconds = secondsOf(device_, call);
        const double least = std::max(bytes / bytesPerSecond_, flops / flopsPerSecond_);
        std::printf("%-28s %-24s %9.4f %8.0f %9.1f %6.0f%%\n", op.c_str(), shape.c_str(), seconds * 1e3,
                    bytes / seconds * 1e-9, flops / seconds * 1e-12, 100 * least / seconds);
        std::fflush(stdout);
    }

private:
    MeteredDevice& meter_;
    Device& device_;  ///< the same
    std::string only_;
    double bytesPerSecond_ = 0;
    double flopsPerSecond_ = 0;
};

std::string shapeOf(int m, int n, int k) {
    return std::to_string(m) + "×" + std::to_string(n) + "×" + std::to_string(k);
}

struct Bench {
    Device& device;
    DType type;
    int samples;
    Table& table;
    int rows = samples * sequence;

    /// The four products of a layer, alone and with what follows them, forward and backward; and those of the logits.
    void products() const {
        const std::int64_t wide = std::int64_t{rows} * 4 * hidden;
        Rotating a(device, type, wide, 2), b(device, type, std::int64_t{4} * hidden * hidden, 2);
        Rotating c(device, type, wide, 2), d(device, type, wide, 2), bias(device, type, 4 * hidden, 1);
        Rotating gradient(device, DType::F32, std::int64_t{4} * hidden * hidden, 2);
        for (Rotating* each : {&a, &b, &c, &d, &bias, &gradient}) each->random();
        constexpr int shapes[][2] = {
            {3 * hidden, hidden}, {hidden, hidden}, {4 * hidden, hidden}, {hidden, 4 * hidden}};
        for (const auto& [n, k] : shapes)
            table.row("gemm", shapeOf(rows, n, k),
                      [&, n = n, k = k](int i) { device.gemm(rows, n, k, a[i], false, b[i], false, 0, c[i]); });
        table.row("gemmBias", shapeOf(rows, 3 * hidden, hidden),
                  [&](int i) { device.gemmBias(rows, 3 * hidden, hidden, a[i], b[i], bias[0], c[i]); });
        table.row("gemmBiasResidual", shapeOf(rows, hidden, 4 * hidden),
                  [&](int i) { device.gemmBiasResidual(rows, hidden, 4 * hidden, a[i], b[i], bias[0], d[i], c[i]); });
        table.row("gemmBiasGelu", shapeOf(rows, 4 * hidden, hidden),
                  [&](int i) { device.gemmBiasGelu(rows, 4 * hidden, hidden, a[i], b[i], bias[0], c[i], d[i]); });
        for (const auto& [k, n] : shapes)
            table.row("gemm, of input", shapeOf(rows, n, k),
                      [&, n = n, k = k](int i) { device.gemm(rows, n, k, a[i], false, b[i], true, 0, c[i]); });
        table.row("gemmGeluGrad", shapeOf(rows, 4 * hidden, hidden),
                  [&](int i) { device.gemmGeluGrad(rows, 4 * hidden, hidden, a[i], b[i], c[i], d[i], {}); });
        for (const auto& [n, k] : shapes)
            table.row("gemm, of weights", shapeOf(k, n, rows),
                      [&, n = n, k = k](int i) { device.gemm(k, n, rows, a[i], true, c[i], false, 1, gradient[i]); });
    }

    /// The products of a layer's forward in 8 bits, which stand beside those above, and what rounds their factors.
    void codes() const {
        struct Recipe {
            const char* name;
            Fp8Tiles x, w;
            DType scales = DType::F32;
        };
        constexpr Recipe recipes[] = {{"fp8", {}, {}},
                                      {"fp8-rows", {1, 0}, {0, 1}},
                                      {"fp8-blocks", {1, 128}, {128, 128}},
                                      {"mxfp8", {1, 32}, {32, 1}, DType::U8}};
        constexpr int shapes[][2] = {
            {3 * hidden, hidden}, {hidden, hidden}, {4 * hidden, hidden}, {hidden, 4 * hidden}};
        const std::int64_t wide = std::int64_t{rows} * 4 * hidden, square = std::int64_t{4} * hidden * hidden;
        Rotating x(device, type, wide, 1), w(device, type, square, 1), largest(device, DType::F32, wide / 32, 1);
        const Rotating y(device, type, wide, 2), codesX(device, DType::U8, wide, 2),
            codesW(device, DType::U8, square, 2);
        const Rotating ofX(device, DType::F32, wide / 32, 1), ofW(device, DType::F32, square / 32, 1);
        x.random();
        w.random();
        const auto codesOf = [](const Rotating& in, int i) { return static_cast<std::uint8_t*>(in[i].data); };
        for (const Recipe& recipe : recipes)
            for (const auto& [n, k] : shapes) {
                const auto scaled = [&](const Rotating& from, int high, int across, const Fp8Tiles& tiles,
                                        Array scales) {
                    device.fp8Largest(high, across, from[0], tiles, false, largest.floats(0));
                    device.fp8Scales(tiles.count(high, across), Fp8Format::E4M3, true, largest.floats(0), scales);
                };
                const Array scalesX(ofX[0].data, recipe.scales), scalesW(ofW[0].data, recipe.scales);
                scaled(x, rows, k, recipe.x, scalesX);
                scaled(w, k, n, recipe.w, scalesW);
                for (int i = 0; i < 2; ++i) {
                    device.fp8Round(rows, k, x[0], recipe.x, Fp8Format::E4M3, scalesX, false, codesOf(codesX, i),
                                    nullptr);
                    device.fp8Round(k, n, w[0], recipe.w, Fp8Format::E4M3, scalesW, true, codesOf(codesW, i), nullptr);
                }
                table.row(std::string("gemmFp8, ") + recipe.name, shapeOf(rows, n, k), [&, n = n, k = k](int i) {
                    device.gemmFp8(rows, n, k, {rows, k, codesOf(codesX, i), scalesX, recipe.x}, false,
                                   {k, n, codesOf(codesW, i), scalesW, recipe.w, Fp8Format::E4M3, true}, false, 0,
                                   y[i]);
                });
            }
        const std::string shape = std::to_string(rows) + "×" + std::to_string(hidden);
        for (const bool turned : {false, true})
            table.row(turned ? "gemmFp8's rounding, turned" : "gemmFp8's rounding", shape, [&, turned = turned](int i) {
                device.fp8Round(rows, hidden, x[0], {1, 128}, Fp8Format::E4M3, ofX[0], turned, codesOf(codesX, i),
                                nullptr);
            });
    }

    void logitProducts() const {
        Rotating x(device, type, std::int64_t{rows} * hidden, 2), w(device, type, std::int64_t{vocabulary} * hidden, 1);
        Rotating logits(device, type, std::int64_t{rows} * vocabulary, 1);
        Rotating gradient(device, DType::F32, std::int64_t{vocabulary} * hidden, 1);
        for (Rotating* each : {&x, &w, &logits, &gradient}) each->random();
        table.row("gemm", shapeOf(rows, vocabulary, hidden),
                  [&](int i) { device.gemm(rows, vocabulary, hidden, x[i], false, w[0], true, 0, logits[0]); });
        table.row("gemm, of input", shapeOf(rows, hidden, vocabulary),
                  [&](int i) { device.gemm(rows, hidden, vocabulary, logits[0], false, w[0], false, 0, x[i]); });
        table.row("gemm, of weights", shapeOf(vocabulary, hidden, rows),
                  [&](int i) { device.gemm(vocabulary, hidden, rows, logits[0], true, x[i], false, 1, gradient[0]); });
        const std::vector<std::int32_t> targets(static_cast<std::size_t>(rows), 77);
        Rotating onDevice(device, DType::I32, rows, 1);
        device.upload(targets.data(), onDevice[0].data, targets.size() * 4);
        const auto* numbers = static_cast<const std::int32_t*>(onDevice[0].data);
        const std::string shape = std::to_string(rows) + "×" + std::to_string(vocabulary);
        double loss = 0;
        table.row("crossEntropy", shape, [&](int) {
            device.crossEntropy({rows, vocabulary}, logits[0], numbers, &loss);
        });
        table.row("crossEntropyWithGradient", shape, [&](int) {
            device.crossEntropyWithGradient({rows, vocabulary}, logits[0], numbers, &loss);
        });
    }

    /// Operations that memory bounds: rows × hidden and rows × 4·hidden.
    void rowsOfValues() const {
        const std::int64_t wide = std::int64_t{rows} * 4 * hidden;
        Rotating a(device, type, wide), b(device, type, wide), c(device, type, wide);
        Rotating weights(device, type, 4 * hidden, 1);
        Rotating sums(device, DType::F32, 4 * hidden, 1), others(device, DType::F32, 4 * hidden, 1);
        Rotating mean(device, DType::F32, rows), rstd(device, DType::F32, rows);
        for (Rotating* each : {&a, &b, &c, &weights, &sums, &others, &mean, &rstd}) each->random();
        const auto valuesRow = [&](const char* name, int columns, const std::function<void(int)>& call) {
            table.row(name, std::to_string(rows) + "×" + std::to_string(columns), call);
        };
        const int h = hidden;
        const DropoutMask mask{42, 0, 0.1f};
        valuesRow("layerNorm", h, [&](int i) {
            device.layerNorm(rows, h, 1e-5f, a[i], weights[0], weights[0], mean.floats(i), rstd.floats(i), b[i]);
        });
        valuesRow("layerNormInputGrad", h, [&](int i) {
            device.layerNormInputGrad(rows, h, a[i], weights[0], mean.floats(i), rstd.floats(i), b[i], c[i], c[i]);
        });
        valuesRow("layerNormWeightGrad", h, [&](int i) {
            device.layerNormWeightGrad(rows, h, a[i], mean.floats(i), rstd.floats(i), b[i], sums[0], others[0]);
        });
        valuesRow("addBias", h, [&](int i) { device.addBias(rows, h, weights[0], a[i]); });
        valuesRow("addBiasAndResidual", h, [&](int i) { device.addBiasAndResidual(rows, h, weights[0], b[i], a[i]); });
        for (const int n : {h, 3 * h, 4 * h})
            valuesRow("addColumnSums", n, [&, n](int i) { device.addColumnSums(rows, n, a[i], sums[0]); });
        valuesRow("biasGelu", 4 * h, [&](int i) { device.biasGelu(rows, 4 * h, weights[0], a[i], b[i]); });
        valuesRow("geluGrad", 4 * h, [&](int i) { device.geluGrad(wide, b[i], a[i]); });
        valuesRow("dropoutTo", h, [&](int i) { device.dropoutTo(rows, h, mask, a[i], b[i], {}); });
        valuesRow("addBiasDropoutAndResidual", h,
                  [&](int i) { device.addBiasDropoutAndResidual(rows, h, weights[0], mask, b[i], a[i]); });
        valuesRow("add", 4 * h, [&](int i) { device.add(wide, b[i], a[i]); });
        valuesRow("multiply", 4 * h, [&](int i) { device.multiply(wide, 1.0f, a[i]); });
        Rotating note(device, DType::I32, 1, 1);
        device.clear(note[0].data, 4);
        valuesRow("noteNotFinite", 4 * h,
                  [&](int i) { device.noteNotFinite(wide, a[i], 3, static_cast<std::int32_t*>(note[0].data)); });
        ExponentHistogram histogram;
        valuesRow("addExponents", 4 * h, [&](int i) { device.addExponents(wide, a[i], histogram); });
    }

    void embeddings() const {
        Rotating table_(device, type, std::int64_t{vocabulary} * hidden, 1), places(device, type, sequence * hidden, 1);
        Rotating out(device, type, std::int64_t{rows} * hidden);
        Rotating gradient(device, DType::F32, std::int64_t{vocabulary} * hidden, 1);
        Rotating placeGradient(device, DType::F32, sequence * hidden, 1);
        for (Rotating* each : {&table_, &places, &out, &gradient, &placeGradient}) each->random();
        // As often as words are: the n-th of them in inverse proportion to n.
        std::mt19937 engine(5);
        std::uniform_real_distribution<double> uniform;
        std::vector<std::int32_t> tokens;
        for (int i = 0; i < rows; ++i)
            tokens.push_back(static_cast<int>(std::pow(double(vocabulary), uniform(engine))) - 1);
        Rotating onDevice(device, DType::I32, rows, 1);
        device.upload(tokens.data(), onDevice[0].data, tokens.size() * 4);
        const auto* numbers = static_cast<const std::int32_t*>(onDevice[0].data);
        const EmbeddingShape shape{samples, sequence, hidden, 0, vocabulary};
        const std::string text = std::to_string(rows) + "×" + std::to_string(hidden);
        table.row("embed", text, [&](int i) { device.embed(shape, numbers, table_[0], places[0], out[i]); });
        table.row("embedGrad", text,
                  [&](int i) { device.embedGrad(shape, numbers, out[i], gradient[0], placeGradient[0]); });
    }

    void attentions() const {
        const AttentionShape shape{samples, sequence, heads, hidden / heads};
        const AttentionNeeds needs = device.attentionNeeds(shape, type, false);
        Rotating qkv(device, type, std::int64_t{rows} * 3 * hidden, 2);
        Rotating out(device, type, std::int64_t{rows} * hidden, 2);
        Rotating gradient(device, type, std::int64_t{rows} * 3 * hidden, 1);
        Rotating kept(device, needs.keepsProbabilities ? type : DType::F32, static_cast<std::int64_t>(needs.kept), 1);
        const std::size_t most = std::max({needs.forwardScratch, needs.backwardScratch, std::size_t{1}});
        Rotating scratch(device, DType::F32, static_cast<std::int64_t>(most), 1);
        for (Rotating* each : {&qkv, &out}) each->random();
        const std::string text = shapeOf(samples, heads, sequence) + "×" + std::to_string(shape.width);
        table.row("attention", text,
                  [&](int i) { device.attention(shape, qkv[i], kept[0], out[i], {}, {}, scratch.floats(0)); });
        table.row("attentionGrad", text, [&](int i) {
            device.attentionGrad(shape, qkv[i], kept[0], out[i], out[i + 1], gradient[0], {}, {}, scratch.floats(0));
        });
    }

    /// All parameters of the model, weights in T with fp32 masters and gradients.
    void optimizers() const {
        std::vector<std::int64_t> counts{std::int64_t{vocabulary} * hidden, std::int64_t{sequence} * hidden};
        const std::int64_t square = std::int64_t{hidden} * hidden;
        for (int layer = 0; layer < layers; ++layer)
            counts.insert(counts.end(), {hidden, hidden, 3 * square, 3 * hidden, square, hidden, hidden, hidden,
                                         4 * square, 4 * hidden, 4 * square, hidden});
        counts.insert(counts.end(), {hidden, hidden});
        std::int64_t all = 0;
        for (const std::int64_t count : counts) all += (count + 127) / 128 * 128;
        Rotating value(device, type, all, 1), gradient(device, DType::F32, all, 1), master(device, DType::F32, all, 1);
        Rotating first(device, DType::F32, all, 1), second(device, DType::F32, all, 1);
        for (Rotating* each : {&value, &gradient, &master, &first}) each->random(0.02f);
        device.clear(second[0].data, second.bytes());
        const bool masters = type != DType::F32;
        std::vector<AdamWPart> parts;
        std::vector<ArrayPart> gradients;
        std::int64_t at = 0;
        for (const std::int64_t count : counts) {
            parts.push_back({count, 0.1f, gradient[0] + at, value[0] + at, masters ? master.floats(0) + at : nullptr,
                             first.floats(0) + at, second.floats(0) + at});
            gradients.push_back({gradient[0] + at, count});
            at += (count + 127) / 128 * 128;
        }
        const std::string shape = std::to_string(all / 1000000) + " M in " + std::to_string(counts.size());
        table.row("adamw", shape, [&](int) { device.adamw({1e-4f, 0.9f, 0.95f, 1e-8f, 0.1f, 0.05f, 1}, parts); });
        table.row("sumOfSquares", shape, [&](int) { device.sumOfSquares(gradients); });
        float* const exact = masters ? master.floats(0) : nullptr;
        table.row("sgd", shape, [&](int) {
            device.sgd(all, {1e-4f, 0.9f, 0, 1}, gradient[0], value[0], first.floats(0), exact);
        });
        table.row("convert", shape, [&](int) { device.convert(all, gradient[0], value[0]); });
    }
};

}  // namespace

int main(int count, char** arguments) {
    const auto argument = [&](int i, const char* otherwise) {
        return std::string(count > i ? arguments[i] : otherwise);
    };
    const bool gpu = argument(1, "cuda") == "cuda";
    const std::string typeName = argument(2, "bf16");
    const DType type = typeName == "fp32" ? DType::F32 : typeName == "fp16" ? DType::F16 : DType::BF16;
    DeviceOrReason opened = gpu ? openCudaDevice(0) : DeviceOrReason{makeCpuDevice(), {}};
    if (!opened.device) {
        std::fprintf(stderr, "kernel_speed: %s\n", opened.reason.c_str());
        return 1;
    }
    MeteredDevice meter(*opened.device);
    Table table(meter, type, argument(4, ""));
    const Bench bench{meter, type, std::stoi(argument(3, gpu ? "32" : "1")), table};
    bench.products();
    bench.codes();
    bench.logitProducts();
    bench.rowsOfValues();
    bench.embeddings();
    bench.attentions();
    bench.optimizers();
}
