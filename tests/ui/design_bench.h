// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/launch/job/run_header.h"
#include "tests/support/wings.h"
#include "tests/ui/bench_context.h"

namespace shardlab::sample {

/// A bench in Design whose model follows the document, as the workbench has it.
struct DesignBench : sample::Bench {
    explicit DesignBench(const Layout& layout = sample::layout(1, 4, 8)) : Bench(Workspace::Design) {
        QObject::connect(&document, &Document::planChanged, &model, [this] { show(); });
        document.replace(layout, {});
        show();
        selection.setVisible({0, model.prediction().end()});
    }
    void show() {
        if (document.plan() && document.planIsCurrent())
            model.begin(headerOf(*document.plan()), document.plan()->simulation.events);
    }
};

}  // namespace shardlab::sample
