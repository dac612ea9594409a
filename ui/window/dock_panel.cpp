// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/dock_panel.h"

#include "engine/base/file.h"
#include "ui/core/child.h"
#include "ui/core/document.h"
#include "ui/core/elided_label.h"
#include "ui/core/run_model.h"
#include "ui/core/style_sheet.h"
#include "ui/window/context_menu.h"
#include "ui/core/text.h"
#include "ui/window/figure.h"
#include "ui/core/hint.h"
#include "ui/window/table_window.h"
#include "ui/window/veil.h"
#include "ui/core/words.h"

#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace shardlab::ui {

DockPanel::DockPanel(const ViewKind& kind, const ViewContext& context, QWidget* parent)
    : QDockWidget(ui::tr(kind.title), parent), id_(QString::fromLatin1(kind.id)), shows_(ui::tr(kind.shows)),
      predicted_(kind.predicts && context.workspace == Workspace::Design ? &context.document : nullptr),
      model_(context.model), document_(context.document), theme_(child<ThemeSource>(this)) {
    theme_->setTheme(context.theme.theme());
    connect(&context.theme, &ThemeSource::changed, theme_,
            [this, &theme = context.theme] { theme_->setTheme(theme.theme()); });
    const ViewContext own{context.workspace, context.document, context.model,  context.selection, *theme_,
                          context.search,    context.compare,  context.events, context.lessons,   context.home};
    setObjectName(id_);
    setAccessibleName(windowTitle());
    if (kind.appearsIn(Workspace::Home)) setFeatures(NoDockWidgetFeatures);  // it is all there is on its page
    else setFeatures(DockWidgetClosable | DockWidgetMovable | DockWidgetFloatable);

    auto* frame = child<QFrame>(this);
    frame->setProperty("role", kind.head ? "body" : "bare");
    auto* column = child<QVBoxLayout>(frame);
    column->setContentsMargins(kind.head ? QMargins(1, 0, 1, 1) : QMargins());
    column->setSpacing(0);

    stack_ = child<QStackedWidget>(frame);
    stack_->setProperty("role", "bare");
    view_ = kind.create(own, stack_);
    view_->setObjectName(id_ + QStringLiteral("View"));
    if (view_->accessibleName().isEmpty()) view_->setAccessibleName(windowTitle());
    veil_ = child<Veil>(view_, *theme_);
    view_->installEventFilter(this);
    // A view is in use once it is clicked, also where nothing in it takes keys.
    if (view_->focusPolicy() == Qt::NoFocus) view_->setFocusPolicy(Qt::ClickFocus);
    hint_ = child<Hint>(stack_);
    stack_->addWidget(view_);
    stack_->addWidget(hint_);
    column->addWidget(stack_, 1);
    setWidget(frame);
    // A dock is dragged by its head; one without a head has a title bar of no height.
    setTitleBarWidget(kind.head ? makeHead(windowTitle()) : makeNoHead());

    framed_ = {frame, titleBarWidget()};
    // Where it is all there is, the keyboard can be in no other panel, and a frame would say nothing.
    if (!kind.appearsIn(Workspace::Home))
        connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
            for (QWidget* each : framed_) setFocused(*each, isAncestorOf(now));
        });
    connect(view_, &View::subtitleChanged, this, &DockPanel::refresh);
    connect(&context.model, &RunModel::reset, this, &DockPanel::refresh);
    connect(&context.model.report(), &RunReport::ended, this, &DockPanel::refresh);
    connect(&context.document, &Document::planChanged, this, &DockPanel::refresh);
    refresh();
}

// A panel that is closed while something in it has the focus tells of the change when its members are gone.
DockPanel::~DockPanel() { qApp->disconnect(this); }

/// With a layout: a widget without one has the height −1, by which the dock would be lower than its view.
QWidget* DockPanel::makeNoHead() {
    auto* none = child<QWidget>(this);
    child<QHBoxLayout>(none)->setContentsMargins(0, 0, 0, 0);
    return none;
}

QWidget* DockPanel::makeHead(const QString& title) {
    auto* head = child<QFrame>(this);
    head->setProperty("role", "head");
    auto* row = child<QHBoxLayout>(head);
    row->setContentsMargins(12, 0, 6, 0);
    row->setSpacing(10);
    row->addStrut(32);  // the dock asks the layout, not the widget, how high its title bar is
    auto* name = child<QLabel>(title, head);
    name->setProperty("role", "title");
    name->setToolTip(shows_);
    subtitle_ = child<ElidedLabel>(head);
    subtitle_->setProperty("role", "dim");
    auto* more = child<QToolButton>(head);
    more->setText(QStringLiteral("⋯"));
    more->setProperty("role", "flat");
    more->setAccessibleName(tr("Menu of %1").arg(title));
    more->setToolTip(tr("Copy, save, float or close this view"));
    connect(more, &QToolButton::clicked, this, [this, more] {
        QMenu menu;
        fillMenu(menu);
        menu.exec(more->mapToGlobal(QPoint(0, more->height())));
    });
    row->addWidget(name);
    row->addWidget(subtitle_, 1);
    row->addWidget(more);
    head->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(head, &QWidget::customContextMenuRequested, this, [this, head](const QPoint& at) {
        QMenu menu;
        fillMenu(menu);
        menu.exec(head->mapToGlobal(at));
    });
    return head;
}

void DockPanel::refresh() {
    const QString subtitle = !isStale()                     ? view_->subtitle()
                             : predicted_->faults().empty() ? tr("planning …")
                                                            : tr("from the last legal layout");
    veil_->setVisible(isStale());
    if (subtitle_) {
        subtitle_->setText(subtitle);
        subtitle_->setToolTip(isStale() ? QString() : view_->subtitleHelp());
    }
    const QString hint = view_->emptyText();
    hint_->setText(shows_, hint);
    stack_->setCurrentWidget(hint.isEmpty() ? static_cast<QWidget*>(view_) : hint_);
    view_->setAccessibleDescription(hint.isEmpty() ? subtitle : hint);
}

bool DockPanel::isStale() const { return predicted_ && !predicted_->planIsCurrent(); }

bool DockPanel::marked() const { return framed_.front()->property("focused").toBool(); }

/// Qt tells a scroll area nothing of a change of what is in it while neither is in sight.
bool DockPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == view_ && event->type() == QEvent::Show)
        for (QScrollArea* area : view_->findChildren<QScrollArea*>())
            QCoreApplication::postEvent(area, new QEvent(QEvent::LayoutRequest));
    return QDockWidget::eventFilter(watched, event);
}

void DockPanel::contextMenuEvent(QContextMenuEvent* event) {
    auto* menu = child<QMenu>(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillContextMenu(*menu, *this, event->pos());
    menu->popup(event->globalPos());
}

bool DockPanel::showsView() const { return stack_->currentWidget() == view_; }

QTabBar* DockPanel::tabBar() const {
    for (QTabBar* bar : parentWidget()->findChildren<QTabBar*>(Qt::FindDirectChildrenOnly))
        for (int tab = 0; tab < bar->count(); ++tab)
            if (bar->isVisible() && bar->tabText(tab) == windowTitle()) return bar;
    return nullptr;
}

void fillWithTabs(QMenu& menu, QTabBar& bar) {
    for (int tab = 0; tab < bar.count(); ++tab) {
        QAction* view = menu.addAction(bar.tabText(tab));
        view->setCheckable(true);
        view->setChecked(tab == bar.currentIndex());
        QObject::connect(view, &QAction::triggered, &bar, [&bar, tab] { bar.setCurrentIndex(tab); });
    }
}

void DockPanel::fillMenu(QMenu& menu) {
    if (QTabBar* bar = tabBar(); bar && !isFloating()) {
        fillWithTabs(*menu.addMenu(tr("Views of this stack")), *bar);
        menu.addSeparator();
    }
    QAction* table = menu.addAction(tr("Copy as table"), this, &DockPanel::copyTable);
    table->setEnabled(showsView() && !view_->asTable().isEmpty());
    QAction* shown = menu.addAction(tr("Show as table …"), this, &DockPanel::showTable);
    shown->setEnabled(table->isEnabled());
    menu.addAction(tr("Copy as figure, in pixels"), this, &DockPanel::copyPicture);
    menu.addAction(tr("Copy as figure, in SVG"), this, &DockPanel::copySvg);
    menu.addAction(tr("Save as figure …"), this, &DockPanel::askForPictureFile);
    menu.addSeparator();
    QAction* floating = menu.addAction(tr("In a window of its own"));
    floating->setCheckable(true);
    floating->setChecked(isFloating());
    connect(floating, &QAction::triggered, this, [this](bool on) { setFloating(on); });
    menu.addAction(tr("Close"), this, &QWidget::hide);
}

void DockPanel::copyTable() { QApplication::clipboard()->setText(view_->asTable()); }

Figure DockPanel::figure() {
    const Layout& layout = model_.empty() ? document_.layout() : model_.header().layout;
    const QString source = model_.file().empty() ? text(layout.name) : text(model_.file().filename());
    return Figure(*widget(), *theme_, {windowTitle(), view_->subtitle(), source}, view_->showsFields());
}

void DockPanel::copyPicture() { QApplication::clipboard()->setImage(figure().image()); }

void DockPanel::copySvg() {
    auto drawing = std::make_unique<QMimeData>();
    drawing->setData(QStringLiteral("image/svg+xml"), figure().svg());
    QApplication::clipboard()->setMimeData(drawing.release());  // the clipboard owns it
}

void DockPanel::showTable() { child<TableWindow>(windowTitle(), view_->asTable(), this)->show(); }

bool DockPanel::savePicture(const QString& file) {
    const auto ends = [&](const char* suffix) { return file.endsWith(QLatin1String(suffix), Qt::CaseInsensitive); };
    const Figure made = figure();
    QByteArray content;
    if (ends(".svg") || ends(".pdf")) {
        content = ends(".svg") ? made.svg() : made.pdf();
    } else {
        QBuffer pixels(&content);
        made.image().save(&pixels, "PNG");
    }
    const std::string_view bytes(content.constData(), static_cast<std::size_t>(content.size()));
    const Status written = replaceFile(file.toStdString(), bytes);
    Q_EMIT saved(file, written ? nullptr : &written.error());
    return written.has_value();
}

void DockPanel::askForPictureFile() {
    auto* dialog = child<QFileDialog>(this, tr("Save a picture of %1").arg(windowTitle()), QString(),
                                      tr("SVG drawings (*.svg);;PDF drawings (*.pdf);;PNG pictures (*.png)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("svg"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        for (const char* suffix : {"svg", "pdf", "png"})
            if (filter.contains(QLatin1Char('.') + QLatin1String(suffix)))
                dialog->setDefaultSuffix(QLatin1String(suffix));
    });
    dialog->selectFile(id_);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) { savePicture(file); });
    dialog->open();
}

}  // namespace shardlab::ui
