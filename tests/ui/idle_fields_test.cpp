// SPDX-License-Identifier: GPL-3.0-or-later
// The form shows the fields that change something; the others are counted, and come by a click, a search or a link.
#include "desktop_fixture.h"

#include "ui/views/layout_form/field_row.h"
#include "ui/views/layout_form/layout_form.h"

#include "engine/layout/fields.h"
#include "tests/support/wings.h"

#include <QLineEdit>
#include <QToolButton>
#include <QtTest>

using namespace shardlab::test;

class IdleFieldsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void fieldsWithoutEffectWaitBehindAButton() {
        Desk desk;
        LayoutForm form(desk.workbench.context(Workspace::Design), nullptr);
        form.resize(320, 700);
        form.show();
        const auto shown = [&](const char* pointer) {
            return form.row(QString::fromLatin1(pointer))->isVisibleTo(&form);
        };
        const auto button = [&](const QString& text) -> QToolButton* {
            for (auto* found : form.findChildren<QToolButton*>())
                if (found->isVisibleTo(&form) && found->accessibleName() == QStringLiteral("OPTIMIZER: ") + text)
                    return found;
            return nullptr;
        };
        const auto without = [&] {
            int count = 0;
            for (const FieldRow* row : form.rows())
                if (row->field().pointer.starts_with("/optimizer/") && !row->hasEffect()) ++count;
            return count;
        };
        QVERIFY(!shown("/optimizer/momentum") && shown("/optimizer/betas"));
        const int idle = without();
        QVERIFY(idle > 1);
        QToolButton* more = button(QStringLiteral("%1 more fields, without effect here").arg(idle));
        QVERIFY(more);
        more->click();
        QVERIFY(shown("/optimizer/momentum") && shown("/optimizer/betas"));
        QCOMPARE(more->text(), QStringLiteral("hide %1 fields without effect").arg(idle));
        more->click();
        QVERIFY(!shown("/optimizer/momentum"));
        // What changes something by another choice comes into sight by itself, and what changes nothing any more goes.
        Layout layout = desk.document().layout();
        layout.optimizer.kind = OptimizerKind::Sgd;
        desk.document().change(layout, QStringLiteral("test"));
        QVERIFY(shown("/optimizer/momentum") && !shown("/optimizer/betas"));
        // Who looks for a field finds it all the same, and who is led to one sees it.
        auto* wanted = form.findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
        wanted->setText(QStringLiteral("betas"));
        QVERIFY(shown("/optimizer/betas"));
        wanted->clear();
        QVERIFY(!shown("/optimizer/betas"));
        desk.document().requestField(QStringLiteral("/optimizer/betas"));
        QVERIFY(shown("/optimizer/betas"));
    }
};

QTEST_MAIN(IdleFieldsTest)
#include "idle_fields_test.moc"
