// SPDX-License-Identifier: GPL-3.0-or-later
// The words of the engine's tables that the desktop shows, and so translates.
#pragma once

#include "tests/support/said_patterns.h"
#include "tests/support/wings.h"

#include "engine/base/memory_category.h"
#include "engine/launch/lesson/chapters.h"
#include "engine/launch/lesson/lesson_figures.h"
#include "engine/layout/devices.h"
#include "engine/layout/field_effect.h"
#include "engine/layout/field_reference.h"
#include "engine/layout/fields.h"
#include "engine/layout/host_name.h"
#include "engine/layout/mesh/axis.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/action_kind.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/evidence/run_facets.h"
#include "engine/predict/plan/collectives.h"
#include "engine/predict/plan/waterfall.h"
#include "engine/predict/search/change_words.h"
#include "engine/predict/search/step_overhead.h"
#include "engine/trace/event/event.h"
#include "engine/trace/interchange/import.h"
#include "engine/trace/record/status_page.h"
#include "engine/trace/run_file/run_observer.h"
#include "engine/trace/trainers/trainer_target.h"

#include <QStringList>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <netdb.h>
#include <set>
#include <string>
#include <vector>

namespace shardlab::test {

template <class Kind>
void addNames(std::set<std::string>& words, int count) {
    for (int i = 0; i < count; ++i) words.emplace(name(static_cast<Kind>(i)));
}

/// What the system says of the errors that files and links meet.
inline void addSystemReasons(std::set<std::string>& words) {
    for (const int code : {ENOENT,     EACCES,        EPERM,     EISDIR,      ENOTDIR,      ENOSPC,       EROFS,
                           EEXIST,     EIO,           EMFILE,    ELOOP,       EDQUOT,       EFBIG,        ENOTEMPTY,
                           ETXTBSY,    EBUSY,         ENOEXEC,   ENOMEM,      ENAMETOOLONG, ECONNREFUSED, ECONNRESET,
                           EADDRINUSE, EADDRNOTAVAIL, ETIMEDOUT, ENETUNREACH, EHOSTUNREACH})
        words.insert(systemReason(code).english());
    for (const int code : {EAI_NONAME, EAI_AGAIN, EAI_FAIL, EAI_FAMILY, EAI_SERVICE})
        words.emplace(::gai_strerror(code));
}

/// The patterns of all sentences of the engine and of the programs.
inline void addSentences(std::set<std::string>& words) {
    for (const char* folder : {SHARDLAB_SOURCE_DIR "/engine", SHARDLAB_SOURCE_DIR "/app"})
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
            if (entry.is_regular_file()) words.merge(saidPatterns(sourceText(entry.path())));
}

inline std::set<std::string> tableWords() {
    std::set<std::string> words;
    for (int i = 0; i < 256; ++i) words.emplace(name(static_cast<EventKind>(i)));
    addNames<Lane>(words, laneCount);
    addNames<MemoryCategory>(words, memoryCategoryCount);
    addNames<RunState>(words, static_cast<int>(RunState::Ended) + 1);
    addNames<RankPhase>(words, static_cast<int>(RankPhase::Checkpointing) + 1);
    addNames<Command>(words, static_cast<int>(Command::InjectFault) + 1);
    addNames<StepOverheadKind>(words, static_cast<int>(StepOverheadKind::Kernels) + 1);
    addNames<WaterfallPart>(words, waterfallParts);
    for (std::size_t i = 0; i < waterfallParts; ++i) words.emplace(meaning(static_cast<WaterfallPart>(i)));
    for (const RunFacet facet : runFacets) words.emplace(name(facet));
    for (const Axis axis : axesAsWritten) words.emplace(name(axis));
    for (std::size_t i = 0; i < actionKindCount; ++i) words.emplace(actionTraits[static_cast<ActionKind>(i)].title);
    for (const ScheduleMethod& method : scheduleMethods()) {
        words.emplace(method.title);
        for (const int microbatches : {3, 4})  // one of them has no closed form where that is not so for all
            words.emplace(bubbleFormula(method, ScheduleShape{.ranks = 2, .microbatches = microbatches}));
    }
    for (const Field& field : fields()) {
        words.emplace(field.label);
        words.emplace(unitOf(field, 1));
        const std::string_view rest = field.pointer.substr(1);
        if (const std::size_t end = rest.find('/'); end != rest.npos) words.emplace(rest.substr(0, end));
    }
    for (const std::string_view answer : effectAnswers()) words.emplace(answer);
    addSentences(words);
    addSystemReasons(words);
    for (const TrainerTarget& target : trainerTargets()) words.emplace(target.description);
    for (const ImportFormat& format : importFormats())
        for (const std::string_view text : {format.title, format.description}) words.emplace(text);
    for (const Field& field : fields()) words.emplace(field.limits.reason);
    addNames<Algorithm>(words, static_cast<int>(Algorithm::Hierarchical) + 1);
    for (const char* unit : {"cores", "GPU", "GPUs"}) words.emplace(unit);
    words.emplace(legalHostName);
    words.insert(findDevice("cpu")->title);
    // The page of fields tells their help and units, among phrases of its own.
    fieldsPage(scheduleMethods(), [&](std::string_view phrase) { return *words.emplace(phrase).first; });
    words.emplace("layout");  // the section of fields without one
    for (const char* outcome : {"finished", "stopped", "failed"}) words.emplace(outcome);
    const auto all = presets();
    for (const Preset& preset : *all) {
        words.insert(preset.family);
        words.insert(preset.summary);
    }
    const auto chapters = lessonChapters();
    for (const LessonChapter& chapter : *chapters) words.insert(chapter.title);
    for (const LessonFigure& figure : lessonFigures())  // curves of what-ifs are of these
        if (figure.predicted) words.emplace(figure.meaning);
    words.erase("");
    words.erase("unknown");
    return words;
}

}  // namespace shardlab::test
