// SPDX-License-Identifier: Apache-2.0
// A GPU as a device: one queue, in which everything is done in the order it was asked for, and a stream of copies
// beside it. <op>.cu beside this file defines the members of an op. Errors of CUDA are exceptions: they end the run.
#pragma once

#include "kernels/cuda/launch.cuh"
#include "kernels/device.h"

#include <cuda_runtime.h>

#include <memory>
#include <string>

namespace shardlab::cuda {

class EventClock;
class GemmPlans;
class LateResults;
class MemoryCache;
class UploadRing;

class CudaDevice final : public Device {
public:
    /// GPU `index`, which the calling thread uses from now on.
    explicit CudaDevice(int index);
    ~CudaDevice() override;

    std::string name() const override { return properties_.name; }
    void beginRange(const char* name) override;
    void endRange() override;
    std::shared_ptr<DeviceMoment> mark() override;
    std::string identity() const override;
    DeviceGroupsOrReason groups() override;
    void enter() override;

    void* allocate(std::size_t bytes) override;
    void release(void* data) override;
    bool onHost() const override { return false; }
    void upload(const void* host, void* data, std::size_t bytes) override;
    void download(const void* data, void* host, std::size_t bytes) override;
    void copy(const void* from, void* to, std::size_t bytes) override;
    void clear(void* data, std::size_t bytes) override;
    void synchronize() override;
    void* allocateStaging(std::size_t bytes) override;
    void releaseStaging(void* data) override;
    std::shared_ptr<DeviceMoment> uploadBeside(const DeviceMoment* after, const void* staging, void* data,
                                               std::size_t bytes) override;
    std::shared_ptr<DeviceMoment> uploadAhead(const void* staging, void* data, std::size_t bytes) override;
    void await(const DeviceMoment& moment) override;
    std::shared_ptr<DeviceMoment> downloadBeside(const void* data, void* staging, std::size_t bytes) override;

    using GemmOps::gemm;
    void gemm(int m, int n, int k, float alpha, Matrix a, Matrix b, float beta, Array c, int strideC) override;
    void gemmBias(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias, Array c) override;
    void gemmBiasGelu(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias, Array x, Array output) override;
    void gemmGeluGrad(int m, int n, int k, ConstArray a, ConstArray b, Array x, Array scratch) override;

    void addBias(int rows, int columns, ConstArray bias, Array matrix) override;
    void addBiasAndResidual(int rows, int columns, ConstArray bias, ConstArray residual, Array matrix) override;
    void addColumnSums(int rows, int columns, ConstArray gradient, Array bias) override;

    void layerNorm(int rows, int columns, ConstArray input, ConstArray gamma, ConstArray beta, float* mean, float* rstd,
                   Array output) override;
    void layerNormInputGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* mean,
                            const float* rstd, ConstArray outputGradient, ConstArray residualGradient,
                            Array inputGradient) override;
    void layerNormWeightGrad(int rows, int columns, ConstArray input, const float* mean, const float* rstd,
                             ConstArray outputGradient, Array gammaGradient, Array betaGradient) override;

    void rmsNorm(int rows, int columns, ConstArray input, ConstArray gamma, float* rstd, Array output) override;
    void rmsNormInputGrad(int rows, int columns, ConstArray input, ConstArray gamma, const float* rstd,
                          ConstArray outputGradient, ConstArray residualGradient, Array inputGradient) override;
    void rmsNormWeightGrad(int rows, int columns, ConstArray input, const float* rstd, ConstArray outputGradient,
                           Array gammaGradient) override;

    void biasGelu(int rows, int columns, ConstArray bias, Array x, Array output) override;
    void geluGrad(std::int64_t count, ConstArray outputGradient, Array x) override;

    void swiglu(int rows, int columns, ConstArray joined, Array output) override;
    void swigluGrad(int rows, int columns, ConstArray outputGradient, Array joined) override;

    void rotary(const RotaryShape& shape, ConstArray joined, Array apart) override;
    void rotaryGrad(const RotaryShape& shape, ConstArray apartGradient, Array joinedGradient) override;

    void scalePixels(std::int64_t count, const std::int32_t* pixels, Array images) override;
    void spreadPatches(const ImageShape& shape, ConstArray images, Array patches) override;
    void sumPatches(const ImageShape& shape, ConstArray patches, ConstArray activated, Array images) override;
    void relu(std::int64_t count, Array x) override;
    void maxPool(const ImageShape& shape, ConstArray images, Array pooled, std::uint8_t* codes) override;
    void maxPoolGrad(const ImageShape& shape, ConstArray pooledGradient, Array images) override;
    void maxPoolCodedGrad(const ImageShape& shape, const std::uint8_t* codes, ConstArray pooledGradient,
                          Array images) override;
    void packFloats(std::int64_t count, int bits, ConstArray from, std::uint8_t* packed) override;
    void unpackFloats(std::int64_t count, int bits, const std::uint8_t* packed, Array to) override;

    void dropout(int rows, int columns, const DropoutMask& mask, Array matrix) override;
    void dropoutTo(int rows, int columns, const DropoutMask& mask, ConstArray matrix, Array output) override;
    void addBiasDropoutAndResidual(int rows, int columns, ConstArray bias, const DropoutMask& mask, ConstArray residual,
                                   Array matrix) override;

    AttentionNeeds attentionNeeds(const AttentionShape& shape, DType type, bool drops) const override;
    void attention(const AttentionShape& shape, ConstArray qkv, Array kept, Array output,
                   const AttentionDropout& dropout, float* scratch) override;
    void attentionGrad(const AttentionShape& shape, ConstArray qkv, Array kept, ConstArray output,
                       ConstArray outputGradient, Array qkvGradient, const AttentionDropout& dropout,
                       float* scratch) override;

    std::size_t attentionBlockScratch(int rows, int width) const override;
    void attentionBlock(const AttentionBlock& block, ConstArray qkv, ConstArray keysValues, bool first, float* output,
                        float* logSums, float* scratch) override;
    void attentionBlockGrad(const AttentionBlock& block, ConstArray qkv, ConstArray keysValues, ConstArray output,
                            ConstArray outputGradient, const float* logSums, float* queryGradient,
                            float* keysValuesGradient, float* scratch) override;
    void takeKeysValues(int rows, int hidden, ConstArray qkv, Array keysValues) override;
    void joinGradients(int rows, int hidden, const float* queryGradient, const float* keysValuesGradient,
                       Array qkvGradient) override;

    void embed(const EmbeddingShape& shape, const std::int32_t* tokens, ConstArray tokenTable, ConstArray positionTable,
               Array output) override;
    void embedGrad(const EmbeddingShape& shape, const std::int32_t* tokens, ConstArray outputGradient,
                   Array tokenGradient, Array positionGradient) override;

    void crossEntropy(int rows, int vocabulary, ConstArray logits, const std::int32_t* targets, double* loss) override;
    void crossEntropyWithGradient(int rows, int vocabulary, Array logits, const std::int32_t* targets,
                                  double* loss) override;
    void largestLogits(const VocabularyPart& part, ConstArray logits, float* largest) override;
    void sumExponentials(const VocabularyPart& part, const float* largest, const std::int32_t* targets,
                         ConstArray logits, float* sums, float* own) override;
    void crossEntropyGradient(const VocabularyPart& part, const float* largest, const float* sums,
                              const std::int32_t* targets, Array logits) override;
    void sharedLoss(int rows, const float* largest, const float* sums, const float* own, double* loss) override;

    double sumOfSquares(std::span<const ArrayPart> parts) override;
    void convert(std::int64_t count, ConstArray from, Array to) override;
    void add(std::int64_t count, ConstArray from, Array to) override;
    void multiply(std::int64_t count, float factor, Array values) override;
    void noteNotFinite(std::int64_t count, ConstArray values, std::int32_t number, std::int32_t* first) override;
    void addExponents(std::int64_t count, ConstArray values, ExponentHistogram& histogram) override;

    void adamw(const AdamWUpdate& update, std::span<const AdamWPart> parts) override;
    void sgd(std::int64_t count, const SgdUpdate& update, ConstArray gradient, Array value, float* velocity,
             float* master) override;
    void adafactorSums(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) override;
    void adafactorNorms(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) override;
    void adamw8Bit(const AdamWUpdate& update, std::span<const AdamW8BitPart> parts) override;
    void adafactor(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) override;
    void sm3(const Sm3Update& update, std::span<const Sm3Part> parts) override;

    void gateNoise(int rows, int columns, std::uint64_t key, std::int64_t firstRow, float* noise,
                   float* logits) override;
    void route(const GateShape& shape, const GateRule& rule, const GateScores& logits, const Routes& routes) override;
    void routeGrad(const GateShape& shape, const Balance& balance, const Routes& routes, const float* weightGradient,
                   const GateScores& probabilities, const GateScores& noise) override;
    void countLoad(const GateShape& shape, const float* asked, std::int32_t* tally) override;
    void gatherRows(int rows, int columns, int choices, const std::int32_t* places, const float* weights,
                    ConstArray from, Array to) override;
    void sumRows(int tokens, int columns, int choices, const std::int32_t* rows, const float* weights, ConstArray from,
                 Array to) override;
    void dotRows(int tokens, int columns, int choices, const std::int32_t* rows, ConstArray from, ConstArray matrix,
                 float* dots) override;

    // For the ops themselves and for what else works on this GPU.

    /// What was asked for so far has gone to it.
    cudaStream_t stream() { return queue_->stream(); }
    const cudaDeviceProp& properties() const { return properties_; }
    EventClock& clock() { return *clock_; }

private:
    /// Memory for what an op needs within one call; the next call may write over it.
    template <class T>
    T* scratch(std::size_t elements) {
        return static_cast<T*>(scratchBytes(elements * sizeof(T)));
    }
    void* scratchBytes(std::size_t bytes);
    /// Σ values, of the device, in a fixed order; waits for it.
    double sumOnHost(std::int64_t count, const double* values);
    /// *mean = Σ values ÷ count, of the device, in the same order, by the time of synchronize(); does not wait.
    void meanLater(std::int64_t count, const double* values, double* mean);

    int index_ = 0;
    cudaDeviceProp properties_{};
    std::unique_ptr<LaunchQueue> queue_;
    cudaStream_t copies_ = nullptr;   ///< beside it
    cudaStream_t returns_ = nullptr;  ///< from the host ahead of their use, while copies go there
    std::unique_ptr<MemoryCache> memory_;
    std::unique_ptr<UploadRing> uploads_;
    std::unique_ptr<GemmPlans> plans_;
    std::shared_ptr<EventClock> clock_;
    std::unique_ptr<DeviceGroups> groups_;  ///< once they have been asked for, and there are any
    void* scratch_ = nullptr;
    std::size_t scratchSize_ = 0;
    double* result_ = nullptr;  ///< on the host, written by kernels; read after synchronize()
    std::unique_ptr<LateResults> later_;
};

}  // namespace shardlab::cuda
