// SPDX-License-Identifier: Apache-2.0
#include "engine/train/optim/optimizer_host.h"

#include "engine/train/optim/optimizer.h"

namespace shardlab::train {

namespace {

bool follows(const ArraySpan& before, const ArraySpan& next) {
    return (before.data() + static_cast<std::int64_t>(before.size())).data == next.data().data;
}

ArraySpan joined(const ArraySpan& before, const ArraySpan& next) {
    return {before.data(), before.size() + next.size()};
}

}  // namespace

HostMirror::HostMirror(std::span<const Parameter> owned, Device& device, Arena& host, Values values)
    : device_(device), parameters_(owned.begin(), owned.end()) {
    const std::size_t elements = elementsOf(owned);
    if (elements == 0) return;
    if (values == Values::OnDevice)
        values_ = host.allocate(MemoryCategory::Parameters, elements, owned.front().value.type());
    gradients_ = host.allocateZeroed(MemoryCategory::Gradients, elements, owned.front().gradient.type());
    std::size_t begin = 0;
    for (Parameter& parameter : parameters_) {
        const std::size_t count = parameter.value.size();
        if (count == 0) continue;
        Run* const last = runs_.empty() ? nullptr : &runs_.back();
        if (last && follows(last->value, parameter.value) && follows(last->gradient, parameter.gradient)) {
            last->value = joined(last->value, parameter.value);
            last->gradient = joined(last->gradient, parameter.gradient);
        } else {
            runs_.push_back({parameter.value, parameter.gradient, begin});
        }
        if (values == Values::OnDevice) parameter.value = values_.span().subspan(begin, count);
        parameter.gradient = gradients_.span().subspan(begin, count);
        begin += count;
    }
    this->begin();
}

void HostMirror::begin() {
    if (values_.empty()) return;
    for (const Run& run : runs_) {
        const ArraySpan here = values_.span().subspan(run.begin, run.value.size());
        device_.download(run.value.data().data, here.data().data, here.bytes().size());
    }
}

std::shared_ptr<DeviceMoment> HostMirror::fetchGradients() {
    std::shared_ptr<DeviceMoment> last;
    for (const Run& run : runs_) {
        const ArraySpan here = gradients_.span().subspan(run.begin, run.gradient.size());
        last = device_.downloadBeside(run.gradient.data().data, here.data().data, here.bytes().size());
    }
    return last;
}

std::shared_ptr<DeviceMoment> HostMirror::returnValues() {
    std::shared_ptr<DeviceMoment> last;
    for (const Run& run : runs_) {
        const ArraySpan here = values_.span().subspan(run.begin, run.value.size());
        last = device_.uploadBeside(nullptr, here.data().data, run.value.data().data, here.bytes().size());
    }
    return last;
}

}  // namespace shardlab::train
