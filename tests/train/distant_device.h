// SPDX-License-Identifier: Apache-2.0
// A device whose memory the processor cannot reach, on any machine: a processor's kernels behind addresses that are
// none. Whoever reads or writes a device's memory by himself crashes.
#pragma once

#include "kernels/device.h"

#include <bit>
#include <cstring>
#include <vector>

namespace shardlab {

class DistantDevice : public Device {
public:
    std::string name() const override { return "distant"; }

    void* allocate(std::size_t bytes) override { return far(inner_->allocate(bytes)); }
    void release(void* data) override { inner_->release(near(data)); }
    bool onHost() const override { return false; }
    void upload(const void* host, void* data, std::size_t bytes) override { std::memcpy(near(data), host, bytes); }
    void download(const void* data, void* host, std::size_t bytes) override { std::memcpy(host, near(data), bytes); }
    void copy(const void* from, void* to, std::size_t bytes) override { inner_->copy(near(from), near(to), bytes); }
    void clear(void* data, std::size_t bytes) override { inner_->clear(near(data), bytes); }
    void synchronize() override { inner_->synchronize(); }
    void* allocateStaging(std::size_t bytes) override { return inner_->allocate(bytes); }
    void releaseStaging(void* data) override { inner_->release(data); }

    using GemmOps::gemm;
    void gemm(int m, int n, int k, float alpha, Matrix a, Matrix b, float beta, Array c, int strideC) override {
        a.data = near(a.data);
        b.data = near(b.data);
        inner_->gemm(m, n, k, alpha, a, b, beta, near(c), strideC);
    }
    void gemmBias(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias, Array c) override {
        inner_->gemmBias(m, n, k, near(a), near(b), near(bias), near(c));
    }
    void gemmBiasGelu(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias, Array x,
                      Array output) override {
        inner_->gemmBiasGelu(m, n, k, near(a), near(b), near(bias), near(x), near(output));
    }
    void gemmGeluGrad(int m, int n, int k, ConstArray a, ConstArray b, Array x, Array scratch) override {
        inner_->gemmGeluGrad(m, n, k, near(a), near(b), near(x), near(scratch));
    }

    void addBias(int rows, int columns, ConstArray bias, Array matrix) override {
        inner_->addBias(rows, columns, near(bias), near(matrix));
    }
    void addBiasAndResidual(int rows, int columns, ConstArray bias, ConstArray residual, Array matrix) override {
        inner_->addBiasAndResidual(rows, columns, near(bias), near(residual), near(matrix));
    }
    void addColumnSums(int rows, int columns, ConstArray gradient, Array bias) override {
        inner_->addColumnSums(rows, columns, near(gradient), near(bias));
    }

    void layerNorm(int rows, int columns, ConstArray input, ConstArray gamma, ConstArray beta, float* mean, float* rstd,
                   Array output) override {
        inner_->layerNorm(rows, columns, near(input), near(gamma), near(beta), near(mean), near(rstd), near(output));
    }
    void layerNormInputGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* mean,
                            const float* rstd, ConstArray outputGradient, ConstArray residualGradient,
                            Array inputGradient) override {
        inner_->layerNormInputGrad(rows, columns, near(input), near(gamma), near(mean), near(rstd),
                                   near(outputGradient), near(residualGradient), near(inputGradient));
    }
    void layerNormWeightGrad(int rows, int columns, ConstArray input, const float* mean, const float* rstd,
                             ConstArray outputGradient, Array gammaGradient, Array betaGradient) override {
        inner_->layerNormWeightGrad(rows, columns, near(input), near(mean), near(rstd), near(outputGradient),
                                    near(gammaGradient), near(betaGradient));
    }

    void rmsNorm(int rows, int columns, ConstArray input, ConstArray gamma, float* rstd, Array output) override {
        inner_->rmsNorm(rows, columns, near(input), near(gamma), near(rstd), near(output));
    }
    void rmsNormInputGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* rstd,
                          ConstArray outputGradient, ConstArray residualGradient, Array inputGradient) override {
        inner_->rmsNormInputGrad(rows, columns, near(input), near(gamma), near(rstd), near(outputGradient),
                                 near(residualGradient), near(inputGradient));
    }
    void rmsNormWeightGrad(int rows, int columns, ConstArray input, const float* rstd, ConstArray outputGradient,
                           Array gammaGradient) override {
        inner_->rmsNormWeightGrad(rows, columns, near(input), near(rstd), near(outputGradient), near(gammaGradient));
    }

    void biasGelu(int rows, int columns, ConstArray bias, Array x, Array output) override {
        inner_->biasGelu(rows, columns, near(bias), near(x), near(output));
    }
    void geluGrad(std::int64_t count, ConstArray outputGradient, Array x) override {
        inner_->geluGrad(count, near(outputGradient), near(x));
    }

    void swiglu(int rows, int columns, ConstArray joined, Array output) override {
        inner_->swiglu(rows, columns, near(joined), near(output));
    }
    void swigluGrad(int rows, int columns, ConstArray outputGradient, Array joined) override {
        inner_->swigluGrad(rows, columns, near(outputGradient), near(joined));
    }

    void rotary(const RotaryShape& shape, ConstArray joined, Array apart) override {
        inner_->rotary(shape, near(joined), near(apart));
    }
    void rotaryGrad(const RotaryShape& shape, ConstArray apartGradient, Array joinedGradient) override {
        inner_->rotaryGrad(shape, near(apartGradient), near(joinedGradient));
    }

    void scalePixels(std::int64_t count, const std::int32_t* pixels, Array images) override {
        inner_->scalePixels(count, near(pixels), near(images));
    }
    void spreadPatches(const ImageShape& shape, ConstArray images, Array patches) override {
        inner_->spreadPatches(shape, near(images), near(patches));
    }
    void sumPatches(const ImageShape& shape, ConstArray patches, ConstArray activated, Array images) override {
        inner_->sumPatches(shape, near(patches), near(activated), near(images));
    }
    void relu(std::int64_t count, Array x) override { inner_->relu(count, near(x)); }
    void maxPool(const ImageShape& shape, ConstArray images, Array pooled, std::uint8_t* codes) override {
        inner_->maxPool(shape, near(images), near(pooled), near(codes));
    }
    void maxPoolGrad(const ImageShape& shape, ConstArray pooledGradient, Array images) override {
        inner_->maxPoolGrad(shape, near(pooledGradient), near(images));
    }
    void maxPoolCodedGrad(const ImageShape& shape, const std::uint8_t* codes, ConstArray pooledGradient,
                          Array images) override {
        inner_->maxPoolCodedGrad(shape, near(codes), near(pooledGradient), near(images));
    }
    void packFloats(std::int64_t count, int bits, ConstArray from, std::uint8_t* packed) override {
        inner_->packFloats(count, bits, near(from), near(packed));
    }
    void unpackFloats(std::int64_t count, int bits, const std::uint8_t* packed, Array to) override {
        inner_->unpackFloats(count, bits, near(packed), near(to));
    }

    void dropout(int rows, int columns, const DropoutMask& mask, Array matrix) override {
        inner_->dropout(rows, columns, mask, near(matrix));
    }
    void dropoutTo(int rows, int columns, const DropoutMask& mask, ConstArray matrix, Array output) override {
        inner_->dropoutTo(rows, columns, mask, near(matrix), near(output));
    }
    void addBiasDropoutAndResidual(int rows, int columns, ConstArray bias, const DropoutMask& mask, ConstArray residual,
                                   Array matrix) override {
        inner_->addBiasDropoutAndResidual(rows, columns, near(bias), mask, near(residual), near(matrix));
    }

    /// As a GPU's: the gradient wants a place of its own.
    AttentionNeeds attentionNeeds(const AttentionShape& shape, DType type, bool drops) const override {
        AttentionNeeds needs = inner_->attentionNeeds(shape, type, drops);
        needs.inPlace = false;
        return needs;
    }
    void attention(const AttentionShape& shape, ConstArray qkv, Array kept, Array output,
                   const AttentionDropout& dropout, float* scratch) override {
        inner_->attention(shape, near(qkv), near(kept), near(output), dropout, near(scratch));
    }
    void attentionGrad(const AttentionShape& shape, ConstArray qkv, Array kept, ConstArray output,
                       ConstArray outputGradient, Array qkvGradient, const AttentionDropout& dropout,
                       float* scratch) override {
        const std::size_t values = std::size_t(shape.samples) * shape.sequence * 3 * shape.heads * shape.width;
        std::memcpy(near(qkvGradient).data, near(qkv).data, values * sizeOf(qkv.type));
        inner_->attentionGrad(shape, near(qkvGradient), near(kept), near(output), near(outputGradient),
                              near(qkvGradient), dropout, near(scratch));
    }

    std::size_t attentionBlockScratch(int rows, int width) const override {
        return inner_->attentionBlockScratch(rows, width);
    }
    void attentionBlock(const AttentionBlock& block, ConstArray qkv, ConstArray keysValues, bool first, float* output,
                        float* logSums, float* scratch) override {
        inner_->attentionBlock(block, near(qkv), near(keysValues), first, near(output), near(logSums), near(scratch));
    }
    void attentionBlockGrad(const AttentionBlock& block, ConstArray qkv, ConstArray keysValues, ConstArray output,
                            ConstArray outputGradient, const float* logSums, float* queryGradient,
                            float* keysValuesGradient, float* scratch) override {
        inner_->attentionBlockGrad(block, near(qkv), near(keysValues), near(output), near(outputGradient),
                                   near(logSums), near(queryGradient), near(keysValuesGradient), near(scratch));
    }
    void takeKeysValues(int rows, int hidden, ConstArray qkv, Array keysValues) override {
        inner_->takeKeysValues(rows, hidden, near(qkv), near(keysValues));
    }
    void joinGradients(int rows, int hidden, const float* queryGradient, const float* keysValuesGradient,
                       Array qkvGradient) override {
        inner_->joinGradients(rows, hidden, near(queryGradient), near(keysValuesGradient), near(qkvGradient));
    }

    void embed(const EmbeddingShape& shape, const std::int32_t* tokens, ConstArray tokenTable, ConstArray positionTable,
               Array output) override {
        inner_->embed(shape, near(tokens), near(tokenTable), near(positionTable), near(output));
    }
    void embedGrad(const EmbeddingShape& shape, const std::int32_t* tokens, ConstArray outputGradient,
                   Array tokenGradient, Array positionGradient) override {
        inner_->embedGrad(shape, near(tokens), near(outputGradient), near(tokenGradient), near(positionGradient));
    }

    void crossEntropy(int rows, int vocabulary, ConstArray logits, const std::int32_t* targets, double* loss) override {
        inner_->crossEntropy(rows, vocabulary, near(logits), near(targets), loss);
    }
    void crossEntropyWithGradient(int rows, int vocabulary, Array logits, const std::int32_t* targets,
                                  double* loss) override {
        inner_->crossEntropyWithGradient(rows, vocabulary, near(logits), near(targets), loss);
    }
    void largestLogits(const VocabularyPart& part, ConstArray logits, float* largest) override {
        inner_->largestLogits(part, near(logits), near(largest));
    }
    void sumExponentials(const VocabularyPart& part, const float* largest, const std::int32_t* targets,
                         ConstArray logits, float* sums, float* own) override {
        inner_->sumExponentials(part, near(largest), near(targets), near(logits), near(sums), near(own));
    }
    void crossEntropyGradient(const VocabularyPart& part, const float* largest, const float* sums,
                              const std::int32_t* targets, Array logits) override {
        inner_->crossEntropyGradient(part, near(largest), near(sums), near(targets), near(logits));
    }
    void sharedLoss(int rows, const float* largest, const float* sums, const float* own, double* loss) override {
        inner_->sharedLoss(rows, near(largest), near(sums), near(own), loss);
    }

    double sumOfSquares(std::span<const ArrayPart> parts) override {
        std::vector<ArrayPart> reached(parts.begin(), parts.end());
        for (ArrayPart& part : reached) part.values = near(part.values);
        return inner_->sumOfSquares(reached);
    }
    void convert(std::int64_t count, ConstArray from, Array to) override {
        inner_->convert(count, near(from), near(to));
    }
    void add(std::int64_t count, ConstArray from, Array to) override { inner_->add(count, near(from), near(to)); }
    void multiply(std::int64_t count, float factor, Array values) override {
        inner_->multiply(count, factor, near(values));
    }
    void noteNotFinite(std::int64_t count, ConstArray values, std::int32_t number, std::int32_t* first) override {
        inner_->noteNotFinite(count, near(values), number, near(first));
    }
    void addExponents(std::int64_t count, ConstArray values, ExponentHistogram& histogram) override {
        inner_->addExponents(count, near(values), histogram);
    }

    void adamw(const AdamWUpdate& update, std::span<const AdamWPart> parts) override {
        std::vector<AdamWPart> reached(parts.begin(), parts.end());
        for (AdamWPart& part : reached) {
            part.gradient = near(part.gradient);
            part.value = near(part.value);
            part.master = near(part.master);
            part.first = near(part.first);
            part.second = near(part.second);
        }
        inner_->adamw(update, reached);
    }
    void adamw8Bit(const AdamWUpdate& update, std::span<const AdamW8BitPart> parts) override {
        std::vector<AdamW8BitPart> reached(parts.begin(), parts.end());
        for (AdamW8BitPart& part : reached) {
            part.gradient = near(part.gradient);
            part.value = near(part.value);
            part.master = near(part.master);
            part.first = near(part.first);
            part.second = near(part.second);
            part.firstScales = near(part.firstScales);
            part.secondScales = near(part.secondScales);
        }
        inner_->adamw8Bit(update, reached);
    }
    void sgd(std::int64_t count, const SgdUpdate& update, ConstArray gradient, Array value, float* velocity,
             float* master) override {
        inner_->sgd(count, update, near(gradient), near(value), near(velocity), near(master));
    }
    void adafactorSums(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) override {
        inner_->adafactorSums(update, reached(parts));
    }
    void adafactorNorms(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) override {
        inner_->adafactorNorms(update, reached(parts));
    }
    void adafactor(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) override {
        inner_->adafactor(update, reached(parts));
    }
    void sm3(const Sm3Update& update, std::span<const Sm3Part> parts) override {
        std::vector<Sm3Part> all(parts.begin(), parts.end());
        for (Sm3Part& part : all) {
            part.gradient = near(part.gradient);
            part.value = near(part.value);
            part.master = near(part.master);
            part.rowLargest = near(part.rowLargest);
            part.columnLargest = near(part.columnLargest);
            part.moment = near(part.moment);
        }
        inner_->sm3(update, all);
    }

    void gateNoise(int rows, int columns, std::uint64_t key, std::int64_t firstRow, float* noise,
                   float* logits) override {
        inner_->gateNoise(rows, columns, key, firstRow, near(noise), near(logits));
    }
    void route(const GateShape& shape, const GateRule& rule, const GateScores& logits, const Routes& routes) override {
        inner_->route(shape, rule, reached(logits), reached(routes));
    }
    void routeGrad(const GateShape& shape, const Balance& balance, const Routes& routes, const float* weightGradient,
                   const GateScores& probabilities, const GateScores& noise) override {
        inner_->routeGrad(shape, balance, reached(routes), near(weightGradient), reached(probabilities),
                          reached(noise));
    }
    void countLoad(const GateShape& shape, const float* asked, std::int32_t* tally) override {
        inner_->countLoad(shape, near(asked), near(tally));
    }
    void gatherRows(int rows, int columns, int choices, const std::int32_t* places, const float* weights,
                    ConstArray from, Array to) override {
        inner_->gatherRows(rows, columns, choices, near(places), near(weights), near(from), near(to));
    }
    void sumRows(int tokens, int columns, int choices, const std::int32_t* rows, const float* weights, ConstArray from,
                 Array to) override {
        inner_->sumRows(tokens, columns, choices, near(rows), near(weights), near(from), near(to));
    }
    void dotRows(int tokens, int columns, int choices, const std::int32_t* rows, ConstArray from, ConstArray matrix,
                 float* dots) override {
        inner_->dotRows(tokens, columns, choices, near(rows), near(from), near(matrix), near(dots));
    }

private:
    static constexpr std::uintptr_t nowhere = std::uintptr_t{1} << 62;  ///< no processor maps such an address

    template <class T>
    static T* far(T* data) {
        return data ? std::bit_cast<T*>(std::bit_cast<std::uintptr_t>(data) ^ nowhere) : nullptr;
    }
    template <class T>
    static T* near(T* data) {
        return far(data);
    }
    static Array near(Array array) { return {near(array.data), array.type}; }
    static ConstArray near(ConstArray array) { return {near(array.data), array.type}; }
    static Routes reached(const Routes& routes) {
        return {near(routes.weights), near(routes.rows),     near(routes.places), near(routes.asked),
                near(routes.sums),    near(routes.assigned), near(routes.rounds)};
    }
    static GateScores reached(const GateScores& scores) { return {near(scores.experts), near(scores.groups)}; }
    static std::vector<AdafactorPart> reached(std::span<const AdafactorPart> parts) {
        std::vector<AdafactorPart> all(parts.begin(), parts.end());
        for (AdafactorPart& part : all) {
            part.gradient = near(part.gradient);
            part.value = near(part.value);
            part.master = near(part.master);
            part.rowSums = near(part.rowSums);
            part.columnSums = near(part.columnSums);
            part.total = near(part.total);
            part.squares = near(part.squares);
        }
        return all;
    }

    std::unique_ptr<Device> inner_ = makeCpuDevice();
};

}  // namespace shardlab
