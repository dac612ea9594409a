// SPDX-License-Identifier: Apache-2.0
// Text into a layout, its faults, and where it is legal and small, its plan. A first line "/pointer=value" is an
// assignment to what follows.
#include "engine/layout/check/check.h"
#include "engine/layout/layout_file.h"
#include "engine/predict/plan/plan.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/validate.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/wings.h"

#include <cmath>

using namespace shardlab;
using namespace shardlab::test;
using namespace shardlab::fuzz;

namespace {

void requireClear(const std::vector<Fault>& faults) {
    for (const Fault& fault : faults) {
        require(!fault.what.empty(), "a fault says what is wrong");
        require(fault.pointer.empty() || fault.pointer.front() == '/', "a fault names its field by a pointer");
        require(toText(fault).size() <= 65536, "a fault is no longer than 64 KiB");
    }
}

/// So that a plan is a matter of a millisecond.
bool isSmall(const Layout& layout) {
    return rankCount(layout) <= 16 && stageCount(layout) <= 16 && microbatches(layout) <= 16 &&
           layout.model.layers <= 32;
}

void requireFinite(const Plan& plan) {
    require(std::isfinite(plan.stepSeconds) && plan.stepSeconds > 0, "a step takes some time");
    require(std::isfinite(plan.tokensPerSecond) && plan.tokensPerSecond >= 0, "so many tokens a second");
    require(plan.bubble >= 0 && plan.bubble <= 1, "the bubble is a share");
    require(plan.mfu >= 0 && plan.mfu <= 1, "the flops used are a share");
    require(std::isfinite(plan.flopsPerStep) && plan.flopsPerStep > 0, "a step has flops");
    require(plan.parameters > 0, "the model has parameters");
    require(static_cast<int>(plan.memory.size()) == rankCount(plan.layout), "every rank has memory");
    require(!findWrong(plan.lowered), "what is simulated and executed can run");
}

void judge(const ParsedLayout& parsed) {
    requireClear(parsed.faults);
    const Layout& layout = parsed.layout;
    const Result<ParsedLayout> again = parseLayout(writeLayout(layout));
    require(again && again->faults.empty() && again->layout == layout, "a layout comes back as it was written");
    const std::vector<Fault> faults = check(layout, scheduleMethods());
    requireClear(faults);
    if (!faults.empty() || !isSmall(layout)) return;
    const auto plan = makePlan(layout);
    require(plan.has_value(), "a legal layout has a plan");
    requireFinite(*plan);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = Input(data, size).rest();
    if (!text.starts_with('/')) {
        const Result<ParsedLayout> parsed = parseLayout(text);
        parsed ? judge(*parsed) : fuzz::requireClear(parsed.error());
        return 0;
    }
    const std::size_t line = std::min(text.find('\n'), text.size());
    const Result<ParsedLayout> base = parseLayout(text.substr(std::min(line + 1, text.size())));
    const Result<ParsedLayout> set = setField(base ? base->layout : Layout{}, text.substr(0, line));
    set ? judge(*set) : fuzz::requireClear(set.error());
    return 0;
}
