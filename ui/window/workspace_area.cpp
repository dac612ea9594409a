// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/workspace_area.h"

#include "ui/core/child.h"
#include "ui/window/dock_panel.h"
#include "ui/core/words.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHash>
#include <QHelpEvent>
#include <QLayout>
#include <QMenu>
#include <QResizeEvent>
#include <QScopedValueRollback>
#include <QSettings>
#include <QTabBar>
#include <QToolTip>

#include <algorithm>
#include <iterator>
#include <utility>

namespace shardlab::ui {
namespace {

/// The version is saved with an arrangement. It is raised where the default arrangements change so much that saved ones
/// no longer make sense, or where views get other ids.
constexpr int arrangementVersion = 5;
constexpr int versionWithFormerIds = 4;
constexpr int separator = 8;
constexpr int settleRounds = 4;
constexpr int dockRounding = 2;  ///< pixels by which the docks' layout may miss a size
constexpr int resizeSettleMilliseconds = 25;
constexpr int dockMilliseconds = 400;  ///< in which a dock that is let go has reached its place
/// Beside a saved arrangement: whether the person gave sizes or only closed views, and which sizes in which area. Names
/// that no view has. What is kept as "low" is a Room; it was a boolean once.
const QString sizesSuffix = QStringLiteral("_sizes"), ownKey = QStringLiteral("own"), roomKey = QStringLiteral("low"),
              sizedInKey = QStringLiteral("in");

/// The id that a view had in arrangements of versionWithFormerIds.
QString formerId(const QString& id) {
    static const QHash<QString, QString> former{
        {"notes", "explain"},    {"run_notes", "notes"},        {"order", "schedule_editor"},
        {"figures", "cards"},    {"gradients", "exponents"},    {"selected", "inspector"},
        {"replay", "transport"}, {"memory_per_rank", "memory"}, {"memory_over_time", "memory_curve"},
    };
    return former.value(id, id);
}

/// The length of a part that does not grow.
int fixedLength(const Place& part, int length) {
    constexpr int narrow = 1200, more = 1280;  // what a window of 1280 leaves, and what one of 2560 has beyond that
    if (part.wide == 0) return part.size;
    return part.size + (part.wide - part.size) * std::clamp(length - narrow, 0, more) / more;
}

/// What separators and fixed parts of a group leave of `length` pixels.
int roomToGrow(const Place& group, int length) {
    int room = length - separator * (static_cast<int>(group.parts.size()) - 1);
    for (const Place& part : group.parts)
        if (!part.grows) room -= fixedLength(part, length);
    return std::max(0, room);
}

/// Lengths of a group's parts in `length` pixels: fixed parts keep theirs, growing ones share the rest.
std::vector<int> lengths(const Place& group, int length) {
    int growing = 0;
    for (const Place& part : group.parts)
        if (part.grows) growing += part.size;
    const double scale = growing > 0 ? roomToGrow(group, length) / static_cast<double>(growing) : 1.0;
    std::vector<int> result;
    for (const Place& part : group.parts)
        result.push_back(std::max(1, part.grows ? static_cast<int>(part.size * scale) : fixedLength(part, length)));
    return result;
}

}  // namespace

QString name(Workspace workspace) {
    switch (workspace) {
    case Workspace::Design: return shardlab::ui::tr("Design");
    case Workspace::Run: return shardlab::ui::tr("Run");
    case Workspace::Replay: return shardlab::ui::tr("Replay");
    case Workspace::Learn: return shardlab::ui::tr("Learn");
    case Workspace::Home: return shardlab::ui::tr("Home");
    }
    return {};
}

WorkspaceArea::WorkspaceArea(const ViewContext& context, QWidget* parent)
    : QMainWindow(parent), workspace_(context.workspace) {
    setWindowFlags(Qt::Widget);  // the constructor makes every QMainWindow a window of its own
    settleTimer_.setSingleShot(true);
    settleTimer_.setInterval(resizeSettleMilliseconds);
    connect(&settleTimer_, &QTimer::timeout, this, &WorkspaceArea::settle);
    setObjectName(name(workspace_) + QStringLiteral("Area"));
    setAccessibleName(name(workspace_));
    setDockNestingEnabled(true);
    setDockOptions(AllowNestedDocks | AllowTabbedDocks | AnimatedDocks);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setDocumentMode(true);
    setContentsMargins(8, 8, 8, 8);
    for (const ViewKind& kind : viewKinds()) {
        if (!kind.appearsIn(workspace_)) continue;
        panels_.push_back(child<DockPanel>(kind, context, this));
        connect(panels_.back(), &DockPanel::saved, this, &WorkspaceArea::saved);
        const QString id = panels_.back()->id();
        connect(&panels_.back()->view(), &View::subtitleChanged, this, [this, id] {
            if (fitting_.contains(id) && !own_) applySizes();
        });
        connect(&panels_.back()->view(), &View::sightWanted, this, [this, id] { showPanel(id); });
    }
    arrange();
    for (DockPanel* panel : panels_)
        connect(panel, &QDockWidget::topLevelChanged, this, [this] {
            if (arranging_) return;
            own_ = true;
            ownSizes_.clear();
            aside_.clear();
            QTimer::singleShot(dockMilliseconds, this, &WorkspaceArea::applySizes);
        });
}

void WorkspaceArea::restoreArrangement() {
    const QSettings settings;
    const QByteArray state = settings.value(settingsKey()).toByteArray();
    const QVariantMap kept = settings.value(settingsKey() + sizesSuffix).toMap();
    const bool restored = !state.isEmpty() && (restoreState(state, arrangementVersion) || restoreWithFormerIds(state));
    // Where no more was changed than that views were closed, sizes are the default ones.
    own_ = restored && kept.value(ownKey, true).toBool();
    room_ = restored ? static_cast<Room>(std::clamp(kept.value(roomKey, 0).toInt(), 0, static_cast<int>(Room::Tight)))
                     : Room::Ample;
    sizedIn_ = kept.value(sizedInKey).toSize();
    ownSizes_.clear();
    if (!own_ || sizedIn_.isEmpty()) return;
    for (const DockPanel* panel : panels_)
        if (const QSize size = kept.value(panel->id()).toSize(); size.isValid()) ownSizes_.insert(panel->id(), size);
}

bool WorkspaceArea::restoreWithFormerIds(const QByteArray& state) {
    for (DockPanel* panel : panels_) panel->setObjectName(formerId(panel->id()));
    const bool restored = restoreState(state, versionWithFormerIds);
    for (DockPanel* panel : panels_) panel->setObjectName(panel->id());
    return restored;
}

QString WorkspaceArea::settingsKey() const {
    static constexpr const char* keys[] = {"arrangement/design", "arrangement/run", "arrangement/replay",
                                           "arrangement/learn", "arrangement/home"};
    return QString::fromLatin1(keys[static_cast<int>(workspace_)]);
}

DockPanel* WorkspaceArea::panel(const QString& id) const {
    for (DockPanel* panel : panels_)
        if (panel->id() == id) return panel;
    return nullptr;
}

DockPanel* WorkspaceArea::firstPanel(const Place& place) const {
    return place.parts.empty() ? panel(place.view) : firstPanel(place.parts.front());
}

void WorkspaceArea::arrange() {
    const Place whole = defaultArrangement(workspace_, room_);
    if (panels_.empty()) return;
    for (DockPanel* panel : panels_) {
        panel->setFloating(false);
        removeDockWidget(panel);
    }
    DockPanel* first = firstPanel(whole);
    addDockWidget(Qt::TopDockWidgetArea, first);
    split(whole);
    for (DockPanel* panel : panels_) panel->show();
    raiseFirst(whole);
}

void WorkspaceArea::rearrange() {
    std::vector<DockPanel*> closed;
    std::ranges::copy_if(panels_, std::back_inserter(closed), [](DockPanel* panel) { return panel->isHidden(); });
    room_ = roomIn(contentsRect().size());
    const QScopedValueRollback arranging(arranging_, true);
    arrange();
    for (DockPanel* panel : closed) panel->hide();
}

void WorkspaceArea::putAside() {
    asideNeeds_ = layout()->minimumSize();
    if (asideNeeds_.width() <= width() && asideNeeds_.height() <= height()) return;
    aside_ = saveState(arrangementVersion);
    rearrange();
    applySizes();
}

void WorkspaceArea::takeBack() {
    if (aside_.isEmpty() || asideNeeds_.width() > width() || asideNeeds_.height() > height()) return;
    const QScopedValueRollback arranging(arranging_, true);
    restoreState(std::exchange(aside_, {}), arrangementVersion);
}

void WorkspaceArea::raiseFirst(const Place& group) {
    if (group.tabbed) firstPanel(group)->raise();
    else
        for (const Place& part : group.parts) raiseFirst(part);
}

void WorkspaceArea::split(const Place& group) {
    if (group.tabbed) {
        for (std::size_t index = 1; index < group.parts.size(); ++index)
            tabifyDockWidget(firstPanel(group.parts[index - 1]), firstPanel(group.parts[index]));
        return;
    }
    for (std::size_t index = 1; index < group.parts.size(); ++index)
        splitDockWidget(firstPanel(group.parts[index - 1]), firstPanel(group.parts[index]), group.orientation);
    for (const Place& part : group.parts) split(part);
}

Place WorkspaceArea::fitted(Place group, int height) {
    int room = roomToGrow(group, height);
    for (const Place& part : group.parts)
        if (part.grows) room -= part.size;
    for (Place& part : group.parts) {
        if (!part.fits) continue;
        fitting_.insert(part.view);
        const int needed = panel(part.view)->sizeHint().height() + dockRounding;
        const int more = std::clamp(needed - part.size, 0, std::max(0, room));
        part.size += more;
        room -= more;
    }
    return group;
}

void WorkspaceArea::setSizes(const Place& group, const QSize& size) {
    if (group.parts.empty() || group.tabbed) return;
    const bool horizontal = group.orientation == Qt::Horizontal;
    const std::vector<int> shares =
        horizontal ? lengths(group, size.width()) : lengths(fitted(group, size.height()), size.height());
    QList<QDockWidget*> docks;
    QList<int> sizes;
    for (std::size_t index = 0; index < group.parts.size(); ++index) {
        docks.append(firstPanel(group.parts[index]));
        sizes.append(shares[index]);
    }
    if (docks.size() > 1) resizeDocks(docks, sizes, group.orientation);
    for (std::size_t index = 0; index < group.parts.size(); ++index)
        setSizes(group.parts[index],
                 horizontal ? QSize(shares[index], size.height()) : QSize(size.width(), shares[index]));
}

void WorkspaceArea::showPanel(const QString& id) {
    DockPanel* shown = panel(id);
    if (!shown) return;
    if (!filled_.isEmpty() && filled_ != id) unfill();
    shown->show();
    shown->raise();
}

void WorkspaceArea::fill(const QString& id) {
    DockPanel* chosen = panel(id);
    if (!chosen || filled_ == id) return;
    unfill();
    before_ = saveState(arrangementVersion);
    filled_ = id;
    chosen->setFloating(false);
    chosen->show();
    for (DockPanel* other : panels_)
        if (other != chosen && !other->isFloating()) other->hide();
    Q_EMIT filledChanged();
}

void WorkspaceArea::unfill() {
    if (filled_.isEmpty()) return;
    const QString was = std::exchange(filled_, QString());
    setAnimated(false);  // else tabs are not there yet
    restoreState(before_, arrangementVersion);
    setAnimated(true);
    panel(was)->raise();
    applySizes();
    Q_EMIT filledChanged();
}

QString WorkspaceArea::focused() const {
    for (DockPanel* panel : panels_)
        if (panel->isVisible() && panel->isAncestorOf(QApplication::focusWidget())) return panel->id();
    return {};
}

void WorkspaceArea::resetArrangement() {
    for (const QString& suffix : {QString(), sizesSuffix}) QSettings().remove(settingsKey() + suffix);
    filled_.clear();
    Q_EMIT filledChanged();
    arrange();
    own_ = false;
    ownSizes_.clear();
    aside_.clear();
    applySizes();
}

void WorkspaceArea::applySizes() {
    settling_ = settleRounds;
    settle();
}

void WorkspaceArea::setUpTabs() {
    for (QTabBar* bar : findChildren<QTabBar*>(Qt::FindDirectChildrenOnly)) {
        bar->setDrawBase(false);           // the panels have lines of their own
        bar->setElideMode(Qt::ElideNone);  // else they shrink to two letters before there are buttons to scroll them
        bar->installEventFilter(this);
    }
}

void WorkspaceArea::settle() {
    if (!isVisible() || !filled_.isEmpty()) return;
    takeBack();
    if (own_ && aside_.isEmpty()) {
        setUpTabs();
        if (ownSizes_.isEmpty()) keepSizes();
        else setOwnSizes();
        if (--settling_ > 0) settleTimer_.start();
        else putAside();
        return;
    }
    if (roomIn(contentsRect().size()) != room_ && (!anyClosed() || !aside_.isEmpty())) rearrange();
    layout()->activate();
    setUpTabs();
    setSizes(defaultArrangement(workspace_, room_), contentsRect().size());
    // New widths change the least heights of views, which the docks' layout only learns as events are handled.
    if (--settling_ > 0) settleTimer_.start();
}

bool WorkspaceArea::stands(const DockPanel& panel) const {
    return panel.isVisible() && !panel.isFloating() && rect().contains(panel.geometry());
}

bool WorkspaceArea::hides(const QWidget& widget) const {
    return std::ranges::any_of(panels_, [&](const DockPanel* panel) {
        return panel->isAncestorOf(&widget) && !panel->isFloating() && !stands(*panel);
    });
}

void WorkspaceArea::keepSizes() {
    sizedIn_ = contentsRect().size();
    ownSizes_.clear();
    for (const DockPanel* panel : panels_)
        if (stands(*panel)) ownSizes_.insert(panel->id(), panel->size());
}

void WorkspaceArea::setOwnSizes() {
    const QSize now = contentsRect().size();
    QList<QDockWidget*> docks;
    QList<int> widths, heights;
    for (DockPanel* panel : panels_) {
        const QSize kept = ownSizes_.value(panel->id());
        if (!stands(*panel) || kept.isEmpty()) continue;
        docks.append(panel);
        widths.append(std::max(1, kept.width() * now.width() / sizedIn_.width()));
        heights.append(std::max(1, kept.height() * now.height() / sizedIn_.height()));
    }
    resizeDocks(docks, widths, Qt::Horizontal);
    resizeDocks(docks, heights, Qt::Vertical);
}

bool WorkspaceArea::anyClosed() const {
    return std::any_of(panels_.begin(), panels_.end(), [](DockPanel* panel) { return panel->isHidden(); });
}

void WorkspaceArea::storeArrangement() const {
    // While one view fills it, what it goes back to is the person's arrangement.
    if (filled_.isEmpty() ? !isVisible() || (!own_ && !anyClosed()) : !own_) return;
    QSettings settings;
    settings.setValue(settingsKey(), !aside_.isEmpty()   ? aside_
                                     : filled_.isEmpty() ? saveState(arrangementVersion)
                                                         : before_);
    QVariantMap kept{{ownKey, own_}, {roomKey, static_cast<int>(room_)}};
    if (!ownSizes_.isEmpty()) kept.insert(sizedInKey, sizedIn_);
    for (auto size = ownSizes_.begin(); size != ownSizes_.end(); ++size) kept.insert(size.key(), size.value());
    settings.setValue(settingsKey() + sizesSuffix, kept);
}

bool WorkspaceArea::event(QEvent* event) {
    const bool handled = QMainWindow::event(event);
    // QMainWindow takes presses on its separators itself: the person moves one. A press that no view wanted ends here
    // too, but is not accepted.
    if (handled && event->type() == QEvent::MouseButtonPress && event->isAccepted()) {
        own_ = moving_ = true;
        aside_.clear();
        settleTimer_.stop();
    }
    if (event->type() == QEvent::MouseButtonRelease && std::exchange(moving_, false)) keepSizes();
    return handled;
}

bool WorkspaceArea::eventFilter(QObject* watched, QEvent* event) {
    auto* bar = qobject_cast<QTabBar*>(watched);
    const bool tells = event->type() == QEvent::ToolTip, lists = event->type() == QEvent::ContextMenu;
    if (!bar || (!tells && !lists)) return QMainWindow::eventFilter(watched, event);
    if (lists) {
        auto* menu = child<QMenu>(bar);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        fillWithTabs(*menu, *bar);
        menu->popup(static_cast<QContextMenuEvent*>(event)->globalPos());
        return true;
    }
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString title = bar->tabText(bar->tabAt(help->pos()));
    const auto panel = std::ranges::find_if(panels_, [&](DockPanel* each) { return each->windowTitle() == title; });
    QToolTip::showText(help->globalPos(),
                       panel == panels_.end() ? title : title + QLatin1Char('\n') + (*panel)->shows(), bar);
    return true;
}

void WorkspaceArea::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    applySizes();
}

void WorkspaceArea::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    applySizes();
}

void WorkspaceArea::focusPanel(int direction) {
    std::vector<DockPanel*> visible;
    for (DockPanel* panel : panels_)
        if (stands(*panel) || (panel->isVisible() && panel->isFloating())) visible.push_back(panel);
    if (visible.empty()) return;
    int current = direction > 0 ? -1 : 0;
    for (std::size_t index = 0; index < visible.size(); ++index)
        if (visible[index]->isAncestorOf(QApplication::focusWidget())) current = static_cast<int>(index);
    const int count = static_cast<int>(visible.size());
    QWidget* target = &visible[static_cast<std::size_t>((current + direction + count) % count)]->view();
    if (!(target->focusPolicy() & Qt::TabFocus) && target->nextInFocusChain()) {
        for (QWidget* widget = target->nextInFocusChain(); widget != target; widget = widget->nextInFocusChain()) {
            if (!target->isAncestorOf(widget) || !(widget->focusPolicy() & Qt::TabFocus) || !widget->isVisible())
                continue;
            target = widget;
            break;
        }
    }
    target->setFocus(Qt::TabFocusReason);
}

}  // namespace shardlab::ui
