// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/layout_form/field_editor.h"

#include "ui/core/child.h"
#include "ui/core/document.h"
#include "ui/views/layout_form/choice_editors.h"
#include "ui/views/layout_form/faults_editor.h"
#include "ui/views/layout_form/hosts_editor.h"
#include "ui/views/layout_form/number_editors.h"
#include "ui/views/layout_form/order_editor.h"
#include "ui/views/layout_form/stages_editor.h"
#include "ui/core/field_words.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

namespace shardlab::ui {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace

FieldEditor::FieldEditor(const Field& field, Document& document, QWidget* parent)
    : QWidget(parent), field_(field), document_(document) {
    setObjectName(text(field.pointer));
}

void FieldEditor::edit(const std::function<void(Layout&)>& change, const QString& shown) {
    Layout layout = document_.layout();
    change(layout);
    document_.change(std::move(layout), shardlab::ui::tr("Set %1 to %2").arg(term(field_.label).toLower(), shown),
                     text(field_.pointer));
}

void FieldEditor::name(QWidget& control) const {
    control.setAccessibleName(term(field_.label));
    control.setAccessibleDescription(fieldHelp(field_));
    control.setToolTip(fieldHelp(field_));
}

FieldEditor* makeFieldEditor(const Field& field, Document& document, QWidget* parent) {
    return std::visit(
        Overloaded{
            [&](IntegerField access) -> FieldEditor* { return child<IntegerEditor>(field, access, document, parent); },
            [&](LongField access) -> FieldEditor* {
                if (field.pointer == "/run/size_limit") return child<BytesEditor>(field, access, document, parent);
                return child<LongEditor>(field, access, document, parent);
            },
            [&](NumberField access) -> FieldEditor* { return child<NumberEditor>(field, access, document, parent); },
            [&](BooleanField access) -> FieldEditor* { return child<BooleanEditor>(field, access, document, parent); },
            [&](TextField access) -> FieldEditor* {
                if (!choicesOf(field).isEmpty()) return child<ChoiceEditor>(field, document, parent);
                return child<PlainTextEditor>(field, access, document, parent);
            },
            [&](const WordField&) -> FieldEditor* { return child<ChoiceEditor>(field, document, parent); },
            [&](const WordSetField& access) -> FieldEditor* {
                return child<WordSetEditor>(field, access, document, parent);
            },
            [&](IntegerListField access) -> FieldEditor* {
                if (field.pointer == "/schedule/stages") return child<StagesEditor>(field, access, document, parent);
                return child<IntegerListEditor>(field, access, document, parent);
            },
            [&](TextListField access) -> FieldEditor* {
                if (field.pointer == "/run/faults") return child<FaultsEditor>(field, access, document, parent);
                return child<OrderEditor>(field, access, document, parent);
            },
            [&](NumberListField access) -> FieldEditor* {
                return child<NumberListEditor>(field, access, document, parent);
            },
            [&](HostListField access) -> FieldEditor* { return child<HostsEditor>(field, access, document, parent); },
            [&](PaceField access) -> FieldEditor* { return child<PaceEditor>(field, access, document, parent); }},
        field.access);
}

}  // namespace shardlab::ui
