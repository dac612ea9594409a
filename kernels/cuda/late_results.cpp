// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/late_results.cuh"

#include "kernels/cuda/check.cuh"

namespace shardlab::kernels::cuda {

LateResults::LateResults() {
    void* places = nullptr;
    check(cudaHostAlloc(&places, most * sizeof(double), cudaHostAllocMapped), "cudaHostAlloc", most * sizeof(double));
    places_ = static_cast<double*>(places);
}

LateResults::~LateResults() { cudaFreeHost(places_); }

bool LateResults::ask(double* result, double factor, const std::function<void(double*)>& launch) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() == most) return false;
    launch(places_ + (handedOver_ + waiting_.size()) % most);
    waiting_.push_back({result, factor});
    return true;
}

std::uint64_t LateResults::asked() {
    const std::lock_guard lock(mutex_);
    return handedOver_ + waiting_.size();
}

void LateResults::handOver(std::uint64_t asked) {
    const std::lock_guard lock(mutex_);
    for (; handedOver_ < asked; ++handedOver_) {
        *waiting_.front().result = places_[handedOver_ % most] * waiting_.front().factor;
        waiting_.pop_front();
    }
}

}  // namespace shardlab::kernels::cuda
