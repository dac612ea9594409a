// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check.h"

#include "engine/layout/check/check_rules.h"
#include "engine/layout/fault_list.h"
#include "engine/layout/fields.h"

#include <algorithm>

namespace shardlab::layout {
namespace {

/// Place of a fault's field in the table; of "/cluster/hosts/0/name" that of "/cluster/hosts".
std::size_t fieldIndex(const Fault& fault) {
    std::size_t best = fields().size();
    std::size_t length = 0;
    for (std::size_t i = 0; i < fields().size(); ++i) {
        const std::string_view pointer = fields()[i].pointer;
        if (pointer.size() > length && fault.pointer.starts_with(pointer)) {
            best = i;
            length = pointer.size();
        }
    }
    return best;
}

}  // namespace

std::vector<Fault> check(const Layout& layout, std::span<const ScheduleMethod> schedules) {
    std::vector<Fault> faults;
    checkFields(layout, schedules, faults);
    checkModel(layout, faults);
    checkLatent(layout, faults);
    checkCnn(layout, faults);
    checkTensor(layout, faults);
    checkContext(layout, faults);
    checkExpert(layout, schedules, faults);
    checkRecompute(layout, faults);
    checkStack(layout, faults);
    checkOffload(layout, schedules, faults);
    checkSwap(layout, schedules, faults);
    checkPrecision(layout, schedules, faults);
    checkParallel(layout, schedules, faults);
    checkExchange(layout, schedules, faults);
    checkCoded(layout, faults);
    checkOptimizer(layout, faults);
    checkRun(layout, faults);
    checkElasticity(layout, schedules, faults);
    std::ranges::stable_sort(faults, {}, fieldIndex);
    listFirst(faults);
    return faults;
}

}  // namespace shardlab::layout
