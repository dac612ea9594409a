// SPDX-License-Identifier: GPL-3.0-or-later
// What a view needs to stand alone; for tests only.
#pragma once

#include "tests/ui/sample_run.h"
#include "tests/support/wings.h"
#include "ui/core/compare_session.h"
#include "ui/core/document.h"
#include "ui/core/event_search.h"
#include "ui/core/lesson_session.h"
#include "ui/core/run_model.h"
#include "ui/core/search_session.h"
#include "ui/core/selection.h"
#include "ui/core/theme.h"
#include "ui/core/view.h"

namespace shardlab::sample {

struct Bench {
    explicit Bench(Workspace where = Workspace::Run) : workspace(where) { theme.setDark(true); }
    ViewContext context() { return {workspace, document, model, selection, theme, search, compare, events, lessons}; }

    Workspace workspace;
    Document document;
    RunModel model;
    Selection selection;
    ThemeSource theme;
    SearchSession search{document};
    CompareSession compare{model};
    EventSearch events{model, selection};
    RunModel experiment;
    LessonSession lessons{document, experiment, Job::start};
};

}  // namespace shardlab::sample
