// SPDX-License-Identifier: GPL-3.0-or-later
// The words of the engine's tables that the desktop shows, and so translates.
#pragma once

#include "tests/support/wings.h"

#include "engine/base/memory_category.h"
#include "engine/launch/lesson/chapters.h"
#include "engine/layout/fields.h"
#include "engine/layout/mesh/axis.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/action_kind.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/evidence/run_facets.h"
#include "engine/predict/plan/waterfall.h"
#include "engine/predict/search/step_overhead.h"
#include "engine/trace/event/event.h"
#include "engine/trace/run_file/run_observer.h"

#include <set>
#include <string>

namespace shardlab::test {

template <class Kind>
void addNames(std::set<std::string>& words, int count) {
    for (int i = 0; i < count; ++i) words.emplace(name(static_cast<Kind>(i)));
}

inline std::set<std::string> tableWords() {
    std::set<std::string> words;
    for (int i = 0; i < 256; ++i) words.emplace(name(static_cast<EventKind>(i)));
    addNames<Lane>(words, laneCount);
    addNames<MemoryCategory>(words, memoryCategoryCount);
    addNames<RunState>(words, static_cast<int>(RunState::Ended) + 1);
    addNames<Command>(words, static_cast<int>(Command::InjectFault) + 1);
    addNames<StepOverheadKind>(words, static_cast<int>(StepOverheadKind::Kernels) + 1);
    addNames<WaterfallPart>(words, waterfallParts);
    for (std::size_t i = 0; i < waterfallParts; ++i) words.emplace(meaning(static_cast<WaterfallPart>(i)));
    for (const RunFacet facet : runFacets) words.emplace(name(facet));
    for (const Axis axis : axesAsWritten) words.emplace(name(axis));
    for (std::size_t i = 0; i < actionKindCount; ++i) words.emplace(actionTraits[static_cast<ActionKind>(i)].title);
    for (const ScheduleMethod& method : scheduleMethods()) words.emplace(method.title);
    for (const Field& field : fields()) {
        words.emplace(field.label);
        words.emplace(field.help);
        words.emplace(field.unit);
        const std::string_view rest = field.pointer.substr(1);
        if (const std::size_t end = rest.find('/'); end != rest.npos) words.emplace(rest.substr(0, end));
    }
    words.emplace("layout");  // the section of fields without one
    for (const char* outcome : {"finished", "stopped", "failed"}) words.emplace(outcome);
    const auto all = presets();
    for (const Preset& preset : *all) {
        words.insert(preset.family);
        words.insert(preset.summary);
    }
    const auto chapters = lessonChapters();
    for (const LessonChapter& chapter : *chapters) words.insert(chapter.title);
    words.erase("");
    words.erase("unknown");
    return words;
}

}  // namespace shardlab::test
