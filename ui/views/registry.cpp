// SPDX-License-Identifier: GPL-3.0-or-later
// Every view there is: one include and one line each. Where a view stands at first is in window/arrangement.cpp.
#include "ui/core/child.h"
#include "ui/core/view.h"
#include "ui/views/area/area_view.h"
#include "ui/views/answer/answer_view.h"
#include "ui/views/candidates/candidates_view.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/critical_path/critical_path_view.h"
#include "ui/views/exchange/exchange_view.h"
#include "ui/views/explain/explain_view.h"
#include "ui/views/experts/experts_view.h"
#include "ui/views/exponents/exponents_view.h"
#include "ui/views/kernels/kernels_view.h"
#include "ui/views/layout_form/layout_form.h"
#include "ui/views/memory_curve/memory_curve_view.h"
#include "ui/views/mesh/mesh_view.h"
#include "ui/views/notes/notes_view.h"
#include "ui/views/query/query_view.h"
#include "ui/views/schedule_editor/schedule_editor_view.h"
#include "ui/views/schedules/schedules_view.h"
#include "ui/views/sliders/sliders_view.h"
#include "ui/views/traffic/traffic_view.h"
#include "ui/views/traffic_matrix/traffic_matrix_view.h"
#include "ui/views/cards/cards_view.h"
#include "ui/views/events/events_view.h"
#include "ui/views/inspector/inspector_view.h"
#include "ui/views/lesson/lesson_view.h"
#include "ui/views/loss/loss_view.h"
#include "ui/views/loss_scale/loss_scale_view.h"
#include "ui/views/memory/memory_view.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/transport/transport_view.h"

#include <vector>

namespace shardlab {
namespace {

template <class Kind>
View* make(const ViewContext& context, QWidget* parent) {
    return child<Kind>(context, parent);
}

}  // namespace

std::span<const ViewKind> viewKinds() {
    // id, title, design, run, replay, learn, create, head, predicts
    static const std::vector<ViewKind> kinds{
        {"layout_form", "Layout", true, false, false, false, make<LayoutForm>},
        {"explain", "Notes", true, false, false, false, make<ExplainView>},
        {"sliders", "Sliders", true, false, false, false, make<SlidersView>},
        {"answer", "Answer", true, false, false, false, make<AnswerView>, true, true},
        {"schedule_editor", "Order", true, false, false, false, make<ScheduleEditorView>},
        {"candidates", "Candidates", true, false, false, false, make<CandidatesView>},
        {"schedules", "Schedules", true, false, false, false, make<SchedulesView>},
        {"traffic", "Traffic", true, false, false, false, make<TrafficView>, true, true},
        {"traffic_matrix", "Rank to rank", true, true, true, false, make<TrafficMatrixView>, true, true},
        {"mesh", "Mesh", true, true, true, true, make<MeshView>, true, true},
        {"lesson", "Lesson", false, false, false, true, make<LessonView>},
        {"transport", "Replay", false, false, true, false, make<TransportView>, false},
        {"cards", "Figures", false, true, true, true, make<CardsView>, false},
        {"timeline", "Timeline", true, true, true, true, make<TimelineView>, true, true},
        {"compare", "Compare", false, false, true, false, make<CompareView>},
        {"memory_curve", "Memory over time", true, true, true, true, make<MemoryCurveView>, true, true},
        {"memory", "Memory per rank", true, true, true, true, make<MemoryView>, true, true},
        {"critical_path", "Critical path", true, true, true, false, make<CriticalPathView>, true, true},
        {"kernels", "Kernels", true, false, false, false, make<KernelsView>},
        {"loss", "Loss", false, true, true, true, make<LossView>},
        {"loss_scale", "Loss scale", false, true, true, true, make<LossScaleView>},
        {"exchange", "Exchange", false, true, true, true, make<ExchangeView>},
        {"exponents", "Gradients", false, true, true, false, make<ExponentsView>},
        {"experts", "Experts", false, true, true, true, make<ExpertsView>},
        {"area", "Area", true, true, true, false, make<AreaView>, true, true},
        {"query", "Query", false, true, true, false, make<QueryView>},
        {"inspector", "Selected", false, true, true, true, make<InspectorView>},
        {"notes", "Notes on the run", false, true, true, false, make<NotesView>},
        {"events", "Events", false, true, true, false, make<EventsView>},
    };
    return kinds;
}

}  // namespace shardlab
