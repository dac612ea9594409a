// SPDX-License-Identifier: GPL-3.0-or-later
// Which steps stand for a run where no moment is named, in its picture and in views: the last ones, with details where
// the program did not record them of all.
#include "tests/support/wings.h"
#include "tests/ui/sample_run.h"
#include "ui/core/run_model.h"
#include "ui/window/picture.h"

#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

class PictureStepsTest : public QObject {
    Q_OBJECT
private:
    /// Twelve steps, of which those from `without` on have no details.
    static std::vector<int> shown(int without) {
        const Plan plan = sample::plan(sample::layout(1, 2, 2));
        std::vector<Event> events = sample::events(plan, 12, 1);
        std::erase_if(events,
                      [&](const Event& event) { return event.step >= without && event.kind != EventKind::Step; });
        for (Event& event : events)
            if (event.step >= without && event.kind == EventKind::Step) event.value = 1;
        RunModel model;
        model.begin(headerOf(plan), plan.simulation.events);
        model.append(events);
        std::vector<int> steps;
        for (const StepExtent& step : stepsOfPicture(model)) steps.push_back(step.step);
        if (steps.empty() || model.steps().at(-1)->step != steps.back()) return {};
        return steps;
    }

private Q_SLOTS:
    void theLastOnesWithDetails() {
        QCOMPARE(shown(12), (std::vector<int>{10, 11}));
        QCOMPARE(shown(8), (std::vector<int>{6, 7}));
        QCOMPARE(shown(1), (std::vector<int>{0}));
        QCOMPARE(shown(0), (std::vector<int>{10, 11}));  // there are none
    }
};

QTEST_MAIN(PictureStepsTest)
#include "picture_steps_test.moc"
