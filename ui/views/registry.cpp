// SPDX-License-Identifier: GPL-3.0-or-later
// Every view there is: one include and one line each. Where a view stands at first is in window/arrangement.cpp.
#include "ui/core/child.h"
#include "ui/core/view.h"
#include "ui/views/activations/activations_view.h"
#include "ui/views/answer/answer_view.h"
#include "ui/views/area/area_view.h"
#include "ui/views/candidates/candidates_view.h"
#include "ui/views/compare/compare_view.h"
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

}  // namespace

std::span<const ViewKind> viewKinds() {
    // id, title, design, run, replay, learn, create, head, predicts, home
    static const std::vector<ViewKind> kinds{
        {"home", QT_TR_NOOP("Home"), false, false, false, false, make<HomeView>, false, false, true},
        {"layout_form", QT_TR_NOOP("Layout"), true, false, false, false, make<LayoutForm>},
        {"notes", QT_TR_NOOP("Notes"), true, false, false, false, make<NotesView>},
        {"sliders", QT_TR_NOOP("Sliders"), true, false, false, false, make<SlidersView>},
        {"answer", QT_TR_NOOP("Answer"), true, false, false, false, make<AnswerView>, true, true},
        {"order", QT_TR_NOOP("Order"), true, false, false, false, make<OrderView>},
        {"candidates", QT_TR_NOOP("Candidates"), true, false, false, false, make<CandidatesView>},
        {"schedules", QT_TR_NOOP("Schedules"), true, false, false, false, make<SchedulesView>},
        {"evidence", QT_TR_NOOP("Evidence"), true, false, false, false, make<EvidenceView>},
        {"traffic", QT_TR_NOOP("Traffic"), true, false, false, false, make<TrafficView>, true, true},
        {"traffic_matrix", QT_TR_NOOP("Traffic matrix"), true, true, true, false, make<TrafficMatrixView>, true, true},
        {"mesh", QT_TR_NOOP("Mesh"), true, true, true, true, make<MeshView>, true, true},
        {"lesson", QT_TR_NOOP("Lesson"), false, false, false, true, make<LessonView>},
        {"replay", QT_TR_NOOP("Replay"), false, false, true, false, make<ReplayView>, false},
        {"figures", QT_TR_NOOP("Figures"), false, true, true, true, make<FiguresView>, false},
        {"timeline", QT_TR_NOOP("Timeline"), true, true, true, true, make<TimelineView>, true, true},
        {"compare", QT_TR_NOOP("Compare"), false, false, true, false, make<CompareView>},
        {"memory_over_time", QT_TR_NOOP("Memory over time"), true, true, true, true, make<MemoryOverTimeView>, true,
         true},
        {"memory_per_rank", QT_TR_NOOP("Memory per rank"), true, true, true, true, make<MemoryPerRankView>, true, true},
        {"critical_path", QT_TR_NOOP("Critical path"), true, true, true, false, make<CriticalPathView>, true, true},
        {"inside", QT_TR_NOOP("Inside"), true, true, true, true, make<InsideView>, true, true},
        {"activations", QT_TR_NOOP("Activations"), true, false, false, false, make<ActivationsView>, true, true},
        {"kernels", QT_TR_NOOP("Kernels"), true, false, false, false, make<KernelsView>},
        {"waterfall", QT_TR_NOOP("Waterfall"), true, false, false, false, make<WaterfallView>, true, true},
        {"loss", QT_TR_NOOP("Loss"), false, true, true, true, make<LossView>},
        {"loss_scale", QT_TR_NOOP("Loss scale"), false, true, true, true, make<LossScaleView>},
        {"scales", QT_TR_NOOP("Scales"), false, true, true, true, make<ScalesView>},
        {"exchange", QT_TR_NOOP("Exchange"), false, true, true, true, make<ExchangeView>},
        {"gradients", QT_TR_NOOP("Gradients"), false, true, true, false, make<GradientsView>},
        {"experts", QT_TR_NOOP("Experts"), false, true, true, true, make<ExpertsView>},
        {"area", QT_TR_NOOP("Area"), true, true, true, false, make<AreaView>, true, true},
        {"query", QT_TR_NOOP("Query"), false, true, true, false, make<QueryView>},
        {"selected", QT_TR_NOOP("Selected"), false, true, true, true, make<SelectedView>},
        {"run_notes", QT_TR_NOOP("Notes on the run"), false, true, true, false, make<RunNotesView>},
        {"events", QT_TR_NOOP("Events"), false, true, true, false, make<EventsView>},
    };
    return kinds;
}

}  // namespace shardlab::ui
