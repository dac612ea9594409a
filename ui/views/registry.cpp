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
        {"home", "Home", false, false, false, false, make<HomeView>, false, false, true},
        {"layout_form", "Layout", true, false, false, false, make<LayoutForm>},
        {"notes", "Notes", true, false, false, false, make<NotesView>},
        {"sliders", "Sliders", true, false, false, false, make<SlidersView>},
        {"answer", "Answer", true, false, false, false, make<AnswerView>, true, true},
        {"order", "Order", true, false, false, false, make<OrderView>},
        {"candidates", "Candidates", true, false, false, false, make<CandidatesView>},
        {"schedules", "Schedules", true, false, false, false, make<SchedulesView>},
        {"evidence", "Evidence", true, false, false, false, make<EvidenceView>},
        {"traffic", "Traffic", true, false, false, false, make<TrafficView>, true, true},
        {"traffic_matrix", "Traffic matrix", true, true, true, false, make<TrafficMatrixView>, true, true},
        {"mesh", "Mesh", true, true, true, true, make<MeshView>, true, true},
        {"lesson", "Lesson", false, false, false, true, make<LessonView>},
        {"replay", "Replay", false, false, true, false, make<ReplayView>, false},
        {"figures", "Figures", false, true, true, true, make<FiguresView>, false},
        {"timeline", "Timeline", true, true, true, true, make<TimelineView>, true, true},
        {"compare", "Compare", false, false, true, false, make<CompareView>},
        {"memory_over_time", "Memory over time", true, true, true, true, make<MemoryOverTimeView>, true, true},
        {"memory_per_rank", "Memory per rank", true, true, true, true, make<MemoryPerRankView>, true, true},
        {"critical_path", "Critical path", true, true, true, false, make<CriticalPathView>, true, true},
        {"inside", "Inside", true, true, true, true, make<InsideView>, true, true},
        {"activations", "Activations", true, false, false, false, make<ActivationsView>, true, true},
        {"kernels", "Kernels", true, false, false, false, make<KernelsView>},
        {"waterfall", "Waterfall", true, false, false, false, make<WaterfallView>, true, true},
        {"loss", "Loss", false, true, true, true, make<LossView>},
        {"loss_scale", "Loss scale", false, true, true, true, make<LossScaleView>},
        {"scales", "Scales", false, true, true, true, make<ScalesView>},
        {"exchange", "Exchange", false, true, true, true, make<ExchangeView>},
        {"gradients", "Gradients", false, true, true, false, make<GradientsView>},
        {"experts", "Experts", false, true, true, true, make<ExpertsView>},
        {"area", "Area", true, true, true, false, make<AreaView>, true, true},
        {"query", "Query", false, true, true, false, make<QueryView>},
        {"selected", "Selected", false, true, true, true, make<SelectedView>},
        {"run_notes", "Notes on the run", false, true, true, false, make<RunNotesView>},
        {"events", "Events", false, true, true, false, make<EventsView>},
    };
    return kinds;
}

}  // namespace shardlab::ui
