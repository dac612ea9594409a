// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/replay/replay_view.h"

#include "engine/base/clock.h"
#include "ui/core/child.h"
#include "ui/core/place_slider.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/theme.h"
#include "ui/timeline/event_text.h"
#include "ui/views/replay/player.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QPainter>
#include <QShortcut>
#include <QToolButton>

namespace shardlab::ui {

namespace {

constexpr int sliderSteps = 10000;
constexpr double speeds[]{0.1, 0.25, 0.5, 1, 2, 5, 10, 25, 100};

enum class Sign { Play, Pause, Back, Forward };

QIcon iconOf(Sign sign, const QColor& colour) {
    constexpr int size = 16;
    QPixmap picture(size * 2, size * 2);
    picture.setDevicePixelRatio(2);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    switch (sign) {
    case Sign::Play: painter.drawPolygon(QPolygonF({{4, 2.5}, {14, 8}, {4, 13.5}})); break;
    case Sign::Pause:
        painter.drawRect(QRectF(3.5, 3, 3.2, 10));
        painter.drawRect(QRectF(9.3, 3, 3.2, 10));
        break;
    case Sign::Back:
        painter.drawRect(QRectF(2.5, 3, 2, 10));
        painter.drawPolygon(QPolygonF({{13.5, 3}, {5, 8}, {13.5, 13}}));
        break;
    case Sign::Forward:
        painter.drawRect(QRectF(11.5, 3, 2, 10));
        painter.drawPolygon(QPolygonF({{2.5, 3}, {11, 8}, {2.5, 13}}));
        break;
    }
    return QIcon(picture);
}

/// The workspace that a view is made for; the view itself where it stands alone.
QWidget* workspaceOf(QWidget* view) {
    for (QWidget* around = view->parentWidget(); around; around = around->parentWidget())
        if (qobject_cast<QMainWindow*>(around)) return around;
    return view;
}

}  // namespace

ReplayView::ReplayView(const ViewContext& context, QWidget* parent)
    : View(context, parent), player_(child<Player>(context.model, context.selection, monotonicNanoseconds, this)),
      back_(child<QToolButton>(this)), play_(child<QToolButton>(this)), forward_(child<QToolButton>(this)),
      slider_(child<PlaceSlider>(this)), speed_(child<QComboBox>(this)), moment_(child<QLabel>(this)),
      refresh_(this, [this] { refresh(); }) {
    setAccessibleName(tr("Replay controls"));
    setFocusPolicy(Qt::ClickFocus);  // its keys serve in the whole window, and what Tab reaches are its parts
    back_->setToolTip(tr("Go to the start of the step, or of the one before (,)"));
    back_->setAccessibleName(tr("Step back"));
    forward_->setToolTip(tr("Go to the next step (.)"));
    forward_->setAccessibleName(tr("Step forward"));
    slider_->setRange(0, sliderSteps);
    slider_->setAccessibleName(tr("Moment of the run"));
    speed_->setAccessibleName(tr("Speed"));
    speed_->setToolTip(tr("How fast the run plays"));
    for (const double speed : speeds) speed_->addItem(QStringLiteral("%1×").arg(speed), speed);
    speed_->setCurrentIndex(3);
    moment_->setProperty("role", QStringLiteral("figure"));
    moment_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    moment_->setContentsMargins(0, 0, 6, 0);

    auto* row = child<QHBoxLayout>(this);
    row->setContentsMargins(12, 4, 12, 4);
    row->setSpacing(6);
    for (QToolButton* button : {back_, play_, forward_}) row->addWidget(button);
    row->addWidget(slider_, 1);
    row->addWidget(moment_);
    row->addWidget(speed_);

    connect(back_, &QToolButton::clicked, this, [this] { player_->step(-1); });
    connect(forward_, &QToolButton::clicked, this, [this] { player_->step(1); });
    connect(play_, &QToolButton::clicked, this, [this] { player_->playing() ? player_->pause() : player_->play(); });
    connect(speed_, &QComboBox::currentIndexChanged, this,
            [this] { player_->setSpeed(speed_->currentData().toDouble()); });
    connect(slider_, &QSlider::valueChanged, this, [this](int value) {
        const RunModel& model = context_.model;
        const double whole = static_cast<double>(model.recorded().last - model.recorded().first);
        player_->seek(model.recorded().first + static_cast<std::int64_t>(whole * value / sliderSteps));
    });
    connect(player_, &Player::stateChanged, this, [this] { refresh_.flush(); });
    refresh_.follow(context_.model, &RunModel::reset, &RunModel::appended);
    refresh_.follow(context_.selection, &Selection::cursorChanged);
    connect(&context_.theme, &ThemeSource::changed, this, [this] { drawIcons(); });
    // Wherever the keyboard is in the window, and also while another view fills the workspace; a field that takes the
    // letter, or a button its Space, goes before.
    QWidget* workspace = workspaceOf(this);
    connect(child<QShortcut>(Qt::Key_Space, workspace), &QShortcut::activated, play_, &QToolButton::click);
    connect(child<QShortcut>(Qt::Key_Comma, workspace), &QShortcut::activated, back_, &QToolButton::click);
    connect(child<QShortcut>(Qt::Key_Period, workspace), &QShortcut::activated, forward_, &QToolButton::click);
    drawIcons();
    refresh();
}

void ReplayView::drawIcons() {
    const QColor colour = context_.theme.theme().text;
    back_->setIcon(iconOf(Sign::Back, colour));
    forward_->setIcon(iconOf(Sign::Forward, colour));
    play_->setIcon(iconOf(player_->playing() ? Sign::Pause : Sign::Play, colour));
    drawnPlaying_ = player_->playing();
}

QString ReplayView::moment() const {
    const RunModel& model = context_.model;
    if (model.recorded().events == 0) return QStringLiteral("—");
    // A short trace, of some milliseconds say, is read in thousandths of it.
    const std::int64_t last = model.recorded().last;
    const std::int64_t exactness = std::min<std::int64_t>(10'000'000, (last - model.recorded().first) / 1000 + 1);
    QString text = tr("%1 of %2")
                       .arg(shardlab::ui::moment(model, player_->position(), last, exactness),
                            shardlab::ui::moment(model, last, last, exactness));
    if (const StepSummary* step = model.steps().at(player_->position())) text += tr(" · step %1").arg(step->step);
    return text;
}

void ReplayView::refresh() {
    const RunModel& model = context_.model;
    const bool any = model.recorded().events > 0;
    for (QWidget* control : std::initializer_list<QWidget*>{back_, play_, forward_, slider_, speed_})
        control->setEnabled(any);
    const QString does = player_->playing() ? tr("Pause") : tr("Play");
    play_->setAccessibleName(does);
    play_->setToolTip(does + tr(" (Space)"));
    if (drawnPlaying_ != player_->playing()) drawIcons();
    const double whole = static_cast<double>(model.recorded().last - model.recorded().first);
    const QSignalBlocker quiet(slider_);
    slider_->setValue(
        any && whole > 0
            ? static_cast<int>(static_cast<double>(player_->position() - model.recorded().first) / whole * sliderSteps +
                               0.5)
            : 0);
    moment_->setText(moment());
    moment_->ensurePolished();  // its font counts from the first text on
    moment_->setMinimumWidth(moment_->sizeHint().width());
}

void ReplayView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    moment_->setVisible(width() >= 430);
}

QString ReplayView::subtitle() const { return moment(); }

QString ReplayView::asTable() const {
    return tr("moment\tspeed\tplaying\n") +
           QStringLiteral("%1\t%2\t%3\n")
               .arg(moment(), speed_->currentText(), player_->playing() ? tr("yes") : tr("no"));
}

}  // namespace shardlab::ui
