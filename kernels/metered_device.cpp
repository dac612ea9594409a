// SPDX-License-Identifier: Apache-2.0
#include "kernels/metered_device.h"

#include "kernels/metered_call.h"

namespace shardlab {
namespace {

double product(int m, int n, int k) { return 2.0 * m * n * k; }

/// Elements of Q, of K, of V, or of the output.
double elementsOf(const AttentionShape& shape) {
    return static_cast<double>(shape.samples) * shape.sequence * shape.heads * shape.width;
}

/// Of one product with the scores: half of them, up to the diagonal, count.
double scoreFlops(const AttentionShape& shape) { return elementsOf(shape) * shape.sequence; }

/// Of a block, elements of its queries, and of its keys.
double queryElements(const AttentionBlock& block) {
    return static_cast<double>(block.samples) * block.queries * block.heads * block.width;
}
double keyElements(const AttentionBlock& block) {
    return static_cast<double>(block.samples) * block.keys * block.heads * block.width;
}
/// Of one product with its scores; of causal ones half of them count.
double scoreFlops(const AttentionBlock& block) { return (block.causal ? 1 : 2) * queryElements(block) * block.keys; }

double keptBytes(const AttentionNeeds& needs, ConstArray kept) {
    const auto elements = static_cast<double>(needs.kept);
    return bytesOf(kept, needs.keepsProbabilities ? elements / 2 : elements);
}

}  // namespace

std::string_view name(KernelKind kind) {
    constexpr std::array<std::string_view, kernelKinds> names{"A·B",
                                                              "A·Bᵀ",
                                                              "Aᵀ·B",
                                                              "attention",
                                                              "attention gradient",
                                                              "layer norm",
                                                              "layer norm gradient",
                                                              "GELU",
                                                              "bias",
                                                              "dropout",
                                                              "embedding",
                                                              "cross-entropy",
                                                              "optimizer",
                                                              "elementwise",
                                                              "copy",
                                                              "routing",
                                                              "RMSNorm",
                                                              "RMSNorm gradient",
                                                              "SwiGLU",
                                                              "rotary embedding",
                                                              "patches",
                                                              "pooling"};
    return names[static_cast<std::size_t>(kind)];
}

void MeteredDevice::start(double (*now)()) {
    uses_ = {};
    now_ = now;
}

void MeteredDevice::upload(const void* host, void* data, std::size_t bytes) {
    const Call call(*this, KernelKind::Copy, 0, 2.0 * static_cast<double>(bytes));
    device_.upload(host, data, bytes);
}

void MeteredDevice::download(const void* data, void* host, std::size_t bytes) {
    const Call call(*this, KernelKind::Copy, 0, 2.0 * static_cast<double>(bytes));
    device_.download(data, host, bytes);
}

void MeteredDevice::copy(const void* from, void* to, std::size_t bytes) {
    const Call call(*this, KernelKind::Copy, 0, 2.0 * static_cast<double>(bytes));
    device_.copy(from, to, bytes);
}

void MeteredDevice::clear(void* data, std::size_t bytes) {
    const Call call(*this, KernelKind::Copy, 0, static_cast<double>(bytes));
    device_.clear(data, bytes);
}

void MeteredDevice::gemm(int m, int n, int k, float alpha, Matrix a, Matrix b, float beta, Array c, int strideC) {
    const KernelKind kind = a.transpose   ? KernelKind::ProductTransposedA
                            : b.transpose ? KernelKind::ProductTransposedB
                                          : KernelKind::Product;
    const Call call(*this, kind, product(m, n, k),
                    bytesOf(a.data, 1.0 * m * k) + bytesOf(b.data, 1.0 * k * n) +
                        bytesOf(c, (beta != 0 ? 2.0 : 1.0) * m * n));
    device_.gemm(m, n, k, alpha, a, b, beta, c, strideC);
}

void MeteredDevice::gemmBias(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias, Array c) {
    const Call call(*this, KernelKind::Product, product(m, n, k),
                    bytesOf(a, 1.0 * m * k) + bytesOf(b, 1.0 * k * n) + bytesOf(bias, n) + bytesOf(c, 1.0 * m * n));
    device_.gemmBias(m, n, k, a, b, bias, c);
}

void MeteredDevice::gemmBiasGelu(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias, Array x,
                                 Array output) {
    const Call call(*this, KernelKind::Product, product(m, n, k),
                    bytesOf(a, 1.0 * m * k) + bytesOf(b, 1.0 * k * n) + bytesOf(bias, n) + bytesOf(x, 1.0 * m * n) +
                        bytesOf(output, 1.0 * m * n));
    device_.gemmBiasGelu(m, n, k, a, b, bias, x, output);
}

void MeteredDevice::gemmGeluGrad(int m, int n, int k, ConstArray a, ConstArray b, Array x, Array scratch) {
    const Call call(*this, KernelKind::ProductTransposedB, product(m, n, k),
                    bytesOf(a, 1.0 * m * k) + bytesOf(b, 1.0 * k * n) + bytesOf(x, 2.0 * m * n));
    device_.gemmGeluGrad(m, n, k, a, b, x, scratch);
}

void MeteredDevice::addBias(int rows, int columns, ConstArray bias, Array matrix) {
    const Call call(*this, KernelKind::Bias, 0, bytesOf(matrix, 2.0 * rows * columns));
    device_.addBias(rows, columns, bias, matrix);
}

void MeteredDevice::addBiasAndResidual(int rows, int columns, ConstArray bias, ConstArray residual, Array matrix) {
    const Call call(*this, KernelKind::Bias, 0, bytesOf(matrix, 3.0 * rows * columns));
    device_.addBiasAndResidual(rows, columns, bias, residual, matrix);
}

void MeteredDevice::addColumnSums(int rows, int columns, ConstArray gradient, Array bias) {
    const Call call(*this, KernelKind::Bias, 0, bytesOf(gradient, 1.0 * rows * columns) + bytesOf(bias, 2.0 * columns));
    device_.addColumnSums(rows, columns, gradient, bias);
}

void MeteredDevice::layerNorm(int rows, int columns, ConstArray input, ConstArray gamma, ConstArray beta, float* mean,
                              float* rstd, Array output) {
    const Call call(*this, KernelKind::LayerNorm, 0, bytesOf(input, 2.0 * rows * columns));
    device_.layerNorm(rows, columns, input, gamma, beta, mean, rstd, output);
}

void MeteredDevice::layerNormInputGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* mean,
                                       const float* rstd, ConstArray outputGradient, ConstArray residualGradient,
                                       Array inputGradient) {
    const Call call(*this, KernelKind::LayerNormGradient, 0,
                    bytesOf(input, 3.0 * rows * columns) + bytesOf(residualGradient, 1.0 * rows * columns));
    device_.layerNormInputGrad(rows, columns, input, gamma, mean, rstd, outputGradient, residualGradient,
                               inputGradient);
}

void MeteredDevice::layerNormWeightGrad(int rows, int columns, ConstArray input, const float* mean, const float* rstd,
                                        ConstArray outputGradient, Array gammaGradient, Array betaGradient) {
    const Call call(*this, KernelKind::LayerNormGradient, 0,
                    bytesOf(input, 2.0 * rows * columns) + bytesOf(gammaGradient, 4.0 * columns));
    device_.layerNormWeightGrad(rows, columns, input, mean, rstd, outputGradient, gammaGradient, betaGradient);
}

void MeteredDevice::biasGelu(int rows, int columns, ConstArray bias, Array x, Array output) {
    const Call call(*this, KernelKind::Gelu, 0, bytesOf(x, 3.0 * rows * columns));
    device_.biasGelu(rows, columns, bias, x, output);
}

void MeteredDevice::geluGrad(std::int64_t count, ConstArray outputGradient, Array x) {
    const Call call(*this, KernelKind::Gelu, 0, bytesOf(x, 3.0 * static_cast<double>(count)));
    device_.geluGrad(count, outputGradient, x);
}

void MeteredDevice::rmsNorm(int rows, int columns, ConstArray input, ConstArray gamma, float* rstd, Array output) {
    const Call call(*this, KernelKind::RmsNorm, 0, bytesOf(input, 2.0 * rows * columns));
    device_.rmsNorm(rows, columns, input, gamma, rstd, output);
}

void MeteredDevice::rmsNormInputGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* rstd,
                                     ConstArray outputGradient, ConstArray residualGradient, Array inputGradient) {
    const Call call(*this, KernelKind::RmsNormGradient, 0,
                    bytesOf(input, 3.0 * rows * columns) + bytesOf(residualGradient, 1.0 * rows * columns));
    device_.rmsNormInputGrad(rows, columns, input, gamma, rstd, outputGradient, residualGradient, inputGradient);
}

void MeteredDevice::rmsNormWeightGrad(int rows, int columns, ConstArray input, const float* rstd,
                                      ConstArray outputGradient, Array gammaGradient) {
    const Call call(*this, KernelKind::RmsNormGradient, 0,
                    bytesOf(input, 2.0 * rows * columns) + bytesOf(gammaGradient, 2.0 * columns));
    device_.rmsNormWeightGrad(rows, columns, input, rstd, outputGradient, gammaGradient);
}

void MeteredDevice::swiglu(int rows, int columns, ConstArray joined, Array output) {
    const Call call(*this, KernelKind::Swiglu, 0, bytesOf(joined, 3.0 * rows * columns));
    device_.swiglu(rows, columns, joined, output);
}

void MeteredDevice::swigluGrad(int rows, int columns, ConstArray outputGradient, Array joined) {
    const Call call(*this, KernelKind::Swiglu, 0, bytesOf(joined, 5.0 * rows * columns));
    device_.swigluGrad(rows, columns, outputGradient, joined);
}

void MeteredDevice::rotary(const RotaryShape& shape, ConstArray joined, Array apart) {
    const double tokens = static_cast<double>(shape.samples) * shape.sequence;
    const Call call(*this, KernelKind::Rotary, 0,
                    bytesOf(joined, tokens * (shape.joinedColumns() + shape.apartColumns())));
    device_.rotary(shape, joined, apart);
}

void MeteredDevice::rotaryGrad(const RotaryShape& shape, ConstArray apartGradient, Array joinedGradient) {
    const double tokens = static_cast<double>(shape.samples) * shape.sequence;
    const Call call(*this, KernelKind::Rotary, 0,
                    bytesOf(apartGradient, tokens * (shape.joinedColumns() + shape.apartColumns())));
    device_.rotaryGrad(shape, apartGradient, joinedGradient);
}

void MeteredDevice::dropout(int rows, int columns, const DropoutMask& mask, Array matrix) {
    const Call call(*this, KernelKind::Dropout, 0, bytesOf(matrix, 2.0 * rows * columns));
    device_.dropout(rows, columns, mask, matrix);
}

void MeteredDevice::dropoutTo(int rows, int columns, const DropoutMask& mask, ConstArray matrix, Array output) {
    const Call call(*this, KernelKind::Dropout, 0, bytesOf(matrix, 2.0 * rows * columns));
    device_.dropoutTo(rows, columns, mask, matrix, output);
}

void MeteredDevice::addBiasDropoutAndResidual(int rows, int columns, ConstArray bias, const DropoutMask& mask,
                                              ConstArray residual, Array matrix) {
    const Call call(*this, KernelKind::Dropout, 0, bytesOf(matrix, 3.0 * rows * columns));
    device_.addBiasDropoutAndResidual(rows, columns, bias, mask, residual, matrix);
}

AttentionNeeds MeteredDevice::attentionNeeds(const AttentionShape& shape, DType type, bool drops) const {
    return device_.attentionNeeds(shape, type, drops);
}

void MeteredDevice::attention(const AttentionShape& shape, ConstArray qkv, Array kept, Array output,
                              const AttentionDropout& dropout, float* scratch) {
    const AttentionNeeds needs = attentionNeeds(shape, qkv.type, dropout.mask.share > 0);
    const Call call(*this, KernelKind::Attention, 2 * scoreFlops(shape),
                    bytesOf(qkv, 4 * elementsOf(shape)) + keptBytes(needs, kept));
    device_.attention(shape, qkv, kept, output, dropout, scratch);
}

void MeteredDevice::attentionGrad(const AttentionShape& shape, ConstArray qkv, Array kept, ConstArray output,
                                  ConstArray outputGradient, Array qkvGradient, const AttentionDropout& dropout,
                                  float* scratch) {
    const AttentionNeeds needs = attentionNeeds(shape, qkv.type, dropout.mask.share > 0);
    const double again = needs.keepsProbabilities ? 0 : 1;  // the scores
    const Call call(*this, KernelKind::AttentionGradient, (4 + again) * scoreFlops(shape),
                    bytesOf(qkv, 7 * elementsOf(shape)) + keptBytes(needs, kept));
    device_.attentionGrad(shape, qkv, kept, output, outputGradient, qkvGradient, dropout, scratch);
}

std::size_t MeteredDevice::attentionBlockScratch(int rows, int width) const {
    return device_.attentionBlockScratch(rows, width);
}

void MeteredDevice::attentionBlock(const AttentionBlock& block, ConstArray qkv, ConstArray keysValues, bool first,
                                   float* output, float* logSums, float* scratch) {
    const Call call(*this, KernelKind::Attention, 2 * scoreFlops(block),
                    bytesOf(qkv, queryElements(block)) + bytesOf(keysValues, 2 * keyElements(block)) +
                        bytesOf(output, (first ? 1 : 2) * queryElements(block)));
    device_.attentionBlock(block, qkv, keysValues, first, output, logSums, scratch);
}

void MeteredDevice::attentionBlockGrad(const AttentionBlock& block, ConstArray qkv, ConstArray keysValues,
                                       ConstArray output, ConstArray outputGradient, const float* logSums,
                                       float* queryGradient, float* keysValuesGradient, float* scratch) {
    const Call call(*this, KernelKind::AttentionGradient, 5 * scoreFlops(block),
                    bytesOf(qkv, 3 * queryElements(block)) + bytesOf(keysValues, 2 * keyElements(block)) +
                        bytesOf(queryGradient, 2 * queryElements(block)) +
                        bytesOf(keysValuesGradient, 4 * keyElements(block)));
    device_.attentionBlockGrad(block, qkv, keysValues, output, outputGradient, logSums, queryGradient,
                               keysValuesGradient, scratch);
}

void MeteredDevice::takeKeysValues(int rows, int hidden, ConstArray qkv, Array keysValues) {
    const Call call(*this, KernelKind::Copy, 0, bytesOf(keysValues, 4.0 * rows * hidden));
    device_.takeKeysValues(rows, hidden, qkv, keysValues);
}

void MeteredDevice::joinGradients(int rows, int hidden, const float* queryGradient, const float* keysValuesGradient,
                                  Array qkvGradient) {
    const Call call(*this, KernelKind::Copy, 0,
                    bytesOf(queryGradient, 3.0 * rows * hidden) + bytesOf(qkvGradient, 3.0 * rows * hidden));
    device_.joinGradients(rows, hidden, queryGradient, keysValuesGradient, qkvGradient);
}

void MeteredDevice::embed(const EmbeddingShape& shape, const std::int32_t* tokens, ConstArray tokenTable,
                          ConstArray positionTable, Array output) {
    const double elements = 1.0 * shape.samples * shape.sequence * shape.hidden;
    const Call call(*this, KernelKind::Embedding, 0, bytesOf(tokenTable, elements) + bytesOf(output, elements));
    device_.embed(shape, tokens, tokenTable, positionTable, output);
}

void MeteredDevice::embedGrad(const EmbeddingShape& shape, const std::int32_t* tokens, ConstArray outputGradient,
                              Array tokenGradient, Array positionGradient) {
    const double elements = 1.0 * shape.samples * shape.sequence * shape.hidden;
    const Call call(*this, KernelKind::Embedding, 0,
                    bytesOf(outputGradient, elements) + bytesOf(tokenGradient, 2 * elements));
    device_.embedGrad(shape, tokens, outputGradient, tokenGradient, positionGradient);
}

void MeteredDevice::crossEntropy(int rows, int vocabulary, ConstArray logits, const std::int32_t* targets,
                                 double* loss) {
    const Call call(*this, KernelKind::CrossEntropy, 0, bytesOf(logits, 1.0 * rows * vocabulary));
    device_.crossEntropy(rows, vocabulary, logits, targets, loss);
}

void MeteredDevice::crossEntropyWithGradient(int rows, int vocabulary, Array logits, const std::int32_t* targets,
                                             double* loss) {
    const Call call(*this, KernelKind::CrossEntropy, 0, bytesOf(logits, 2.0 * rows * vocabulary));
    device_.crossEntropyWithGradient(rows, vocabulary, logits, targets, loss);
}

void MeteredDevice::largestLogits(const VocabularyPart& part, ConstArray logits, float* largest) {
    const Call call(*this, KernelKind::CrossEntropy, 0, bytesOf(logits, 1.0 * part.rows * part.columns));
    device_.largestLogits(part, logits, largest);
}

void MeteredDevice::sumExponentials(const VocabularyPart& part, const float* largest, const std::int32_t* targets,
                                    ConstArray logits, float* sums, float* own) {
    const Call call(*this, KernelKind::CrossEntropy, 0, bytesOf(logits, 1.0 * part.rows * part.columns));
    device_.sumExponentials(part, largest, targets, logits, sums, own);
}

void MeteredDevice::crossEntropyGradient(const VocabularyPart& part, const float* largest, const float* sums,
                                         const std::int32_t* targets, Array logits) {
    const Call call(*this, KernelKind::CrossEntropy, 0, bytesOf(logits, 2.0 * part.rows * part.columns));
    device_.crossEntropyGradient(part, largest, sums, targets, logits);
}

void MeteredDevice::sharedLoss(int rows, const float* largest, const float* sums, const float* own, double* loss) {
    const Call call(*this, KernelKind::CrossEntropy, 0, 3.0 * sizeof(float) * rows);
    device_.sharedLoss(rows, largest, sums, own, loss);
}

double MeteredDevice::sumOfSquares(std::span<const ArrayPart> parts) {
    double bytes = 0;
    for (const ArrayPart& part : parts) bytes += bytesOf(part.values, static_cast<double>(part.count));
    const Call call(*this, KernelKind::Elementwise, 0, bytes);
    return device_.sumOfSquares(parts);
}

void MeteredDevice::convert(std::int64_t count, ConstArray from, Array to) {
    const auto elements = static_cast<double>(count);
    const Call call(*this, KernelKind::Elementwise, 0, bytesOf(from, elements) + bytesOf(to, elements));
    device_.convert(count, from, to);
}

void MeteredDevice::add(std::int64_t count, ConstArray from, Array to) {
    const auto elements = static_cast<double>(count);
    const Call call(*this, KernelKind::Elementwise, 0, bytesOf(from, elements) + bytesOf(to, 2 * elements));
    device_.add(count, from, to);
}

void MeteredDevice::multiply(std::int64_t count, float factor, Array values) {
    const Call call(*this, KernelKind::Elementwise, 0, bytesOf(values, 2 * static_cast<double>(count)));
    device_.multiply(count, factor, values);
}

void MeteredDevice::noteNotFinite(std::int64_t count, ConstArray values, std::int32_t number, std::int32_t* first) {
    const Call call(*this, KernelKind::Elementwise, 0, bytesOf(values, static_cast<double>(count)));
    device_.noteNotFinite(count, values, number, first);
}

void MeteredDevice::addExponents(std::int64_t count, ConstArray values, ExponentHistogram& histogram) {
    const Call call(*this, KernelKind::Elementwise, 0, bytesOf(values, static_cast<double>(count)));
    device_.addExponents(count, values, histogram);
}

void MeteredDevice::adamw(const AdamWUpdate& update, std::span<const AdamWPart> parts) {
    double bytes = 0;
    for (const AdamWPart& part : parts) {
        const auto elements = static_cast<double>(part.count);
        const double moments = 4 * sizeof(float) * elements;
        // With a master copy the value is only written.
        bytes += bytesOf(part.gradient, elements) + moments +
                 (part.master ? bytesOf(part.value, elements) + 2 * sizeof(float) * elements
                              : bytesOf(part.value, 2 * elements));
    }
    const Call call(*this, KernelKind::Optimizer, 0, bytes);
    device_.adamw(update, parts);
}

void MeteredDevice::adamw8Bit(const AdamWUpdate& update, std::span<const AdamW8BitPart> parts) {
    double bytes = 0;
    for (const AdamW8BitPart& part : parts) {
        const auto elements = static_cast<double>(part.count);
        const double moments =
            4 * elements + 4.0 * sizeof(float) * static_cast<double>(momentBlocks(part.begin, part.count));
        bytes += bytesOf(part.gradient, elements) + moments +
                 (part.master ? bytesOf(part.value, elements) + 2 * sizeof(float) * elements
                              : bytesOf(part.value, 2 * elements));
    }
    const Call call(*this, KernelKind::Optimizer, 0, bytes);
    device_.adamw8Bit(update, parts);
}

void MeteredDevice::sgd(std::int64_t count, const SgdUpdate& update, ConstArray gradient, Array value, float* velocity,
                        float* master) {
    const auto elements = static_cast<double>(count);
    const double kept = (velocity ? 2 * sizeof(float) * elements : 0) + (master ? 2 * sizeof(float) * elements : 0);
    const Call call(*this, KernelKind::Optimizer, 0,
                    bytesOf(gradient, elements) + bytesOf(value, (master ? 1 : 2) * elements) + kept);
    device_.sgd(count, update, gradient, value, velocity, master);
}

namespace {

/// Of parts with rows and columns, `times` over the gradient and, where `written`, once over the values.
template <class Part>
double bytesOfParts(std::span<const Part> parts, int times, bool written) {
    double bytes = 0;
    for (const Part& part : parts) {
        const double elements = 1.0 * part.rows * part.columns;
        bytes += times * bytesOf(part.gradient, elements);
        if (written)
            bytes += part.master ? bytesOf(part.value, elements) + 2 * sizeof(float) * elements
                                 : bytesOf(part.value, 2 * elements);
        bytes += 2 * sizeof(float) * (1.0 * part.rows + part.columns);
    }
    return bytes;
}

}  // namespace

void MeteredDevice::adafactorSums(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) {
    const Call call(*this, KernelKind::Optimizer, 0, bytesOfParts(parts, 1, false));
    device_.adafactorSums(update, parts);
}

void MeteredDevice::adafactorNorms(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) {
    const Call call(*this, KernelKind::Optimizer, 0, bytesOfParts(parts, 1, false));
    device_.adafactorNorms(update, parts);
}

void MeteredDevice::adafactor(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) {
    const Call call(*this, KernelKind::Optimizer, 0, bytesOfParts(parts, 1, true));
    device_.adafactor(update, parts);
}

void MeteredDevice::sm3(const Sm3Update& update, std::span<const Sm3Part> parts) {
    double moments = 0;
    for (const Sm3Part& part : parts) moments += part.moment ? 2.0 * sizeof(float) * part.rows * part.columns : 0;
    const Call call(*this, KernelKind::Optimizer, 0, bytesOfParts(parts, 1, true) + moments);
    device_.sm3(update, parts);
}

void MeteredDevice::gateNoise(int rows, int columns, std::uint64_t key, std::int64_t firstRow, float* noise,
                              float* logits) {
    const Call call(*this, KernelKind::Routing, 0, 4.0 * sizeof(float) * rows * columns);
    device_.gateNoise(rows, columns, key, firstRow, noise, logits);
}

void MeteredDevice::route(const GateShape& shape, const GateRule& rule, const GateScores& logits,
                          const Routes& routes) {
    const double columns = shape.experts + (logits.groups ? shape.groups : 0),
                 choices = 1.0 * shape.tokens() * shape.choices;
    const double assigned = routes.assigned ? 2.0 * shape.tokens() * shape.experts : 0;
    const Call call(*this, KernelKind::Routing, 0,
                    sizeof(float) * (2 * shape.tokens() * columns + assigned + 2 * choices + shape.rows()));
    device_.route(shape, rule, logits, routes);
}

void MeteredDevice::routeGrad(const GateShape& shape, const Balance& balance, const Routes& routes,
                              const float* weightGradient, const GateScores& probabilities, const GateScores& noise) {
    const double columns = shape.experts + (probabilities.groups ? shape.groups : 0);
    const double scores = shape.tokens() * columns, choices = 1.0 * shape.tokens() * shape.choices;
    const Call call(*this, KernelKind::Routing, 0, sizeof(float) * ((noise.experts ? 4 : 2) * scores + 2 * choices));
    device_.routeGrad(shape, balance, routes, weightGradient, probabilities, noise);
}

void MeteredDevice::countLoad(const GateShape& shape, const float* asked, std::int32_t* tally) {
    const Call call(*this, KernelKind::Routing, 0, 4.0 * shape.experts * (shape.samples + 4));
    device_.countLoad(shape, asked, tally);
}

void MeteredDevice::gatherRows(int rows, int columns, int choices, const std::int32_t* places, const float* weights,
                               ConstArray from, Array to) {
    const Call call(*this, KernelKind::Routing, 0, bytesOf(to, 2.0 * rows * columns));
    device_.gatherRows(rows, columns, choices, places, weights, from, to);
}

void MeteredDevice::sumRows(int tokens, int columns, int choices, const std::int32_t* rows, const float* weights,
                            ConstArray from, Array to) {
    const Call call(*this, KernelKind::Routing, 0, bytesOf(to, (1.0 + choices) * tokens * columns));
    device_.sumRows(tokens, columns, choices, rows, weights, from, to);
}

void MeteredDevice::dotRows(int tokens, int columns, int choices, const std::int32_t* rows, ConstArray from,
                            ConstArray matrix, float* dots) {
    const Call call(*this, KernelKind::Routing, 0, bytesOf(matrix, (1.0 + choices) * tokens * columns));
    device_.dotRows(tokens, columns, choices, rows, from, matrix, dots);
}

}  // namespace shardlab
