// SPDX-License-Identifier: GPL-3.0-or-later
// Every view there is: one include and one line each. Where a view stands at first is in window/arrangement.cpp.
#include "ui/core/child.h"
#include "ui/core/view.h"
#include "ui/views/activations/activations_view.h"
#include "ui/views/answer/answer_view.h"
#include "ui/views/area/area_view.h"
#include "ui/views/candidates/candidates_view.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/counters/counters_view.h"
#include "ui/views/critical_path/critical_path_view.h"
#include "ui/views/events/events_view.h"
#include "ui/views/evidence/evidence_view.h"
#include "ui/views/exchange/exchange_view.h"
#include "ui/views/experts/experts_view.h"
#include "ui/views/figures/figures_view.h"
#include "ui/views/gradients/gradients_view.h"
#include "ui/views/home/home_view.h"
#include "ui/views/inside/inside_view.h"
#include "ui/views/kernels/kernels_view.h"
#include "ui/views/layout_form/layout_form.h"
#include "ui/views/lesson/lesson_view.h"
#include "ui/views/loss/loss_view.h"
#include "ui/views/loss_scale/loss_scale_view.h"
#include "ui/views/memory_over_time/memory_over_time_view.h"
#include "ui/views/memory_per_rank/memory_per_rank_view.h"
#include "ui/views/mesh/mesh_view.h"
#include "ui/views/notes/notes_view.h"
#include "ui/views/order/order_view.h"
#include "ui/views/query/query_view.h"
#include "ui/views/replay/replay_view.h"
#include "ui/views/run_notes/run_notes_view.h"
#include "ui/views/scales/scales_view.h"
#include "ui/views/schedules/schedules_view.h"
#include "ui/views/selected/selected_view.h"
#include "ui/views/sliders/sliders_view.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/traffic/traffic_view.h"
#include "ui/views/traffic_matrix/traffic_matrix_view.h"
#include "ui/views/waterfall/waterfall_view.h"

#include <vector>

namespace shardlab::ui {
namespace {

template <class Kind>
View* make(const ViewContext& context, QWidget* parent) {
    return child<Kind>(context, parent);
}

constexpr Workspaces home = in(Workspace::Home), design = in(Workspace::Design), replay = in(Workspace::Replay),
                     learn = in(Workspace::Learn), runs = in(Workspace::Run) | replay, watched = runs | learn,
                     drawn = design | runs, all = design | watched;

}  // namespace

std::span<const ViewKind> viewKinds() {
    // id, title, shows, workspaces, create, head, predicts
    static const std::vector<ViewKind> kinds{
        {"home", QT_TR_NOOP("Home"),
         QT_TR_NOOP("Where to begin: presets, recent files, lessons, or a plan for a cluster."), home, make<HomeView>},
        {"layout_form", QT_TR_NOOP("Layout"),
         QT_TR_NOOP("Every field of the layout, by section. What is wrong stands at its field."), design,
         make<LayoutForm>},
        {"notes", QT_TR_NOOP("Notes"),
         QT_TR_NOOP("What the predicted figures follow from, the largest loss first, and what would be quicker."),
         design, make<NotesView>},
        {"sliders", QT_TR_NOOP("Sliders"),
         QT_TR_NOOP("The choices that shape the schedule, as sliders through their legal values."), design,
         make<SlidersView>},
        {"answer", QT_TR_NOOP("Answer"), QT_TR_NOOP("Whether the layout fits, and how fast it trains."), design,
         make<AnswerView>, true, true},
        {"order", QT_TR_NOOP("Order"),
         QT_TR_NOOP("The order of forwards and backwards on each pipeline rank. It can be edited by hand."), design,
         make<OrderView>},
        {"candidates", QT_TR_NOOP("Candidates"),
         QT_TR_NOOP("Legal layouts of the same model on the same devices, ranked by predicted step time."), design,
         make<CandidatesView>},
        {"schedules", QT_TR_NOOP("Schedules"), QT_TR_NOOP("This layout under every schedule, side by side."), design,
         make<SchedulesView>},
        {"evidence", QT_TR_NOOP("Evidence"),
         QT_TR_NOOP("Predicted against published figures of real runs, a point a run."), design, make<EvidenceView>},
        {"traffic", QT_TR_NOOP("Traffic"), QT_TR_NOOP("Bytes that cross each axis of the mesh in one step."), design,
         make<TrafficView>, true, true},
        {"traffic_matrix", QT_TR_NOOP("Traffic matrix"),
         QT_TR_NOOP("Bytes that each rank sends to each other rank in one step."), drawn, make<TrafficMatrixView>, true,
         true},
        {"mesh", QT_TR_NOOP("Mesh"), QT_TR_NOOP("Which rank holds which layers, and how busy it is, grouped by host."),
         all, make<MeshView>, true, true},
        {"lesson", QT_TR_NOOP("Lesson"), QT_TR_NOOP("A lesson: guess, run an experiment, and see what came out."),
         learn, make<LessonView>},
        {"replay", QT_TR_NOOP("Replay"), QT_TR_NOOP("Goes through a recorded run, forwards and backwards."), replay,
         make<ReplayView>, false},
        {"figures", QT_TR_NOOP("Figures"),
         QT_TR_NOOP("The figures of the step in sight, each with what was predicted."), watched, make<FiguresView>,
         false},
        {"timeline", QT_TR_NOOP("Timeline"),
         QT_TR_NOOP("What each rank does over time: a bar an action, numbered by microbatch."), all, make<TimelineView>,
         true, true},
        {"compare", QT_TR_NOOP("Compare"),
         QT_TR_NOOP("The run beside its prediction or another run, on one time scale."), replay, make<CompareView>},
        {"memory_over_time", QT_TR_NOOP("Memory over time"),
         QT_TR_NOOP("What one rank holds in memory over time, by category."), all, make<MemoryOverTimeView>, true,
         true},
        {"counters", QT_TR_NOOP("Counters"),
         QT_TR_NOOP("Numbers that the program recorded, a chart a counter, on the timeline's stretch of time."), runs,
         make<CountersView>},
        {"memory_per_rank", QT_TR_NOOP("Memory per rank"),
         QT_TR_NOOP("The most memory that each rank holds, by category."), all, make<MemoryPerRankView>, true, true},
        {"critical_path", QT_TR_NOOP("Critical path"),
         QT_TR_NOOP("The actions on which the length of a step depends: nothing else shortens it."), drawn,
         make<CriticalPathView>, true, true},
        {"inside", QT_TR_NOOP("Inside"),
         QT_TR_NOOP("What the selected action is made of: layers, operations, exchanges."), all, make<InsideView>, true,
         true},
        {"activations", QT_TR_NOOP("Activations"),
         QT_TR_NOOP("What is kept of a microbatch until its backward, by layer and operation."), design,
         make<ActivationsView>, true, true},
        {"kernels", QT_TR_NOOP("Kernels"),
         QT_TR_NOOP("Where a step's time goes on this machine, kernel by kernel, as it was measured."), design,
         make<KernelsView>},
        {"waterfall", QT_TR_NOOP("Waterfall"),
         QT_TR_NOOP("From the time at the device's peak to the whole step: what each loss adds."), design,
         make<WaterfallView>, true, true},
        {"loss", QT_TR_NOOP("Loss"),
         QT_TR_NOOP("Loss of training and validation, and the learning rate, step by step."), watched, make<LossView>},
        {"loss_scale", QT_TR_NOOP("Loss scale"), QT_TR_NOOP("The loss scale, with overflows and skipped steps."),
         watched, make<LossScaleView>},
        {"scales", QT_TR_NOOP("Scales"), QT_TR_NOOP("Scales and saturated values of products in 8 bits."), watched,
         make<ScalesView>},
        {"exchange", QT_TR_NOOP("Exchange"),
         QT_TR_NOOP("How replicas differ where they do not exchange gradients in each step: staleness, drift, "
                    "overwritten updates."),
         watched, make<ExchangeView>},
        {"gradients", QT_TR_NOOP("Gradients"),
         QT_TR_NOOP("How many gradients lie at each power of two, against the range of the number format."), watched,
         make<GradientsView>},
        {"experts", QT_TR_NOOP("Experts"), QT_TR_NOOP("How many tokens ask for each expert, and how many it drops."),
         watched, make<ExpertsView>},
        {"area", QT_TR_NOOP("Area"),
         QT_TR_NOOP("What happened in a dragged area of the timeline, summed by kind and by rank."), drawn,
         make<AreaView>, true, true},
        {"query", QT_TR_NOOP("Query"), QT_TR_NOOP("SQL over the recorded run."), runs, make<QueryView>},
        {"selected", QT_TR_NOOP("Selected"),
         QT_TR_NOOP("The selected action: its times, what it waited for, what waited for it."), watched,
         make<SelectedView>},
        {"run_notes", QT_TR_NOOP("Notes on the run"),
         QT_TR_NOOP("Notes that you write at moments of the run; they are kept in its file."), runs,
         make<RunNotesView>},
        {"events", QT_TR_NOOP("Events"),
         QT_TR_NOOP("What happened, newest first: overflows, validation, checkpoints, failures."), runs,
         make<EventsView>},
    };
    return kinds;
}

}  // namespace shardlab::ui
