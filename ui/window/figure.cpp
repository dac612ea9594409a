// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/figure.h"

#include "ui/core/qcustomplot.h"
#include "ui/core/style_sheet.h"
#include "ui/core/theme.h"

#include <QAbstractButton>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QBuffer>
#include <QComboBox>
#include <QEventLoop>
#include <QLineEdit>
#include <QPdfWriter>
#include <QScrollArea>
#include <QScrollBar>
#include <QSvgGenerator>
#include <QTimer>
#include <QWidget>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int figureMargin = 12, titleTop = 8, subtitleTop = 30, belowHead = 7;
constexpr int titleLetters = 16, subtitleLetters = 12;
constexpr int tallest = 16384;  ///< of a view whose text is unrolled
constexpr int pixelsPerInch = 96;
constexpr double pointsPerPixel = 72.0 / pixelsPerInch;
constexpr int fineness = 2;
/// Views gather changes, of colours too, for some frames before they draw.
constexpr int dressMilliseconds = 120;

/// Fields and buttons; where fields are what the view shows, the buttons alone and the field that finds others.
/// Headings are read, though they are buttons that fold what is below them.
bool isControl(const QWidget& widget, bool keepsFields) {
    if (widget.property("role") == QStringLiteral("section")) return false;
    if (qobject_cast<const QAbstractButton*>(&widget))
        return !keepsFields || !(widget.inherits("QCheckBox") || widget.inherits("QRadioButton"));
    if (const auto* line = qobject_cast<const QLineEdit*>(&widget); line && line->isClearButtonEnabled()) return true;
    if (qobject_cast<const QAbstractSlider*>(&widget)) return !keepsFields || widget.inherits("QScrollBar");
    return !keepsFields && (qobject_cast<const QLineEdit*>(&widget) || qobject_cast<const QComboBox*>(&widget) ||
                            qobject_cast<const QAbstractSpinBox*>(&widget));
}

QFont lettersOf(const Theme& theme, int pixels, QFont::Weight weight) {
    QFont font = theme.body;
    font.setPixelSize(pixels);
    font.setWeight(weight);
    return font;
}

void settle() {
    QEventLoop settling;
    QTimer::singleShot(dressMilliseconds, &settling, &QEventLoop::quit);
    settling.exec(QEventLoop::ExcludeUserInputEvents);
}

/// Charts would come as pixels: they are asked to draw themselves again. Each widget is drawn by itself, as Qt leaves
/// out what is in one that shows no changes.
void drawWidget(QWidget& widget, QCPPainter& painter, const QPoint& at, const FigurePlaces& elsewhere) {
    if (auto* plot = qobject_cast<QCustomPlot*>(&widget)) {
        painter.save();
        painter.translate(at);
        plot->toPainter(&painter, plot->width(), plot->height());
        painter.restore();
        return;
    }
    widget.render(&painter, at, QRegion(), {});
    for (QObject* object : widget.children()) {
        auto* inner = qobject_cast<QWidget*>(object);
        if (!inner || !inner->isVisible() || inner->isWindow() || inner->inherits("QSplitterHandle") ||
            !inner->geometry().intersects(widget.rect()))
            continue;
        const auto place = elsewhere.find(inner);
        drawWidget(*inner, painter, at + (place == elsewhere.end() ? inner->pos() : place->second), elsewhere);
    }
}

/// Where each column ends, if no section is divided between two: the lowest bottoms with which so many columns do.
std::vector<int> columnEnds(const std::vector<int>& tops, int bottom, int columns) {
    for (int height = (bottom - tops.front()) / columns;; ++height) {
        std::vector<int> ends;
        int begin = tops.front();
        bool fits = true;
        for (std::size_t section = 0; section < tops.size(); ++section) {
            const int end = section + 1 < tops.size() ? tops[section + 1] : bottom;
            if (end - begin > height && tops[section] > begin) ends.push_back(begin = tops[section]);
            fits = fits && end - begin <= height;
        }
        ends.push_back(bottom);
        if (fits && static_cast<int>(ends.size()) <= columns) return ends;
    }
}

}  // namespace

Figure::Figure(QWidget& body, ThemeSource& theme, FigureText text, bool keepsFields)
    : body_(body), theme_(theme), text_(std::move(text)), focused_(QApplication::focusWidget()),
      sheet_(body.styleSheet()), before_(theme.theme()), room_(body.size()) {
    body_.setUpdatesEnabled(false);
    if (focused_ && body_.isAncestorOf(focused_))
        focused_->clearFocus();  // a figure has no ring around what takes keys
    hideControls(keepsFields);
    const Theme light = Theme::lightTheme();
    body_.setStyleSheet(styleSheet(light) + QStringLiteral("QFrame[role=\"body\"] { border: none; }"));
    theme_.setTheme(light);
    settle();
    // A view that draws itself anew, or has another size, may have shown one again.
    const bool again = hideControls(keepsFields), grown = unroll();
    if (again || grown) settle();
    if (grown) hideControls(keepsFields);
    extent_ = body_.size();
    if (grown) divide();
}

bool Figure::hideControls(bool keepsFields) {
    bool any = false;
    for (QWidget* widget : body_.findChildren<QWidget*>())
        if (widget->isVisible() && isControl(*widget, keepsFields)) {
            if (!hidden_.contains(widget)) hidden_.append(widget);
            widget->hide();
            any = true;
        }
    return any;
}

/// What is scrolled in the window is whole in the figure; an SVG could not even cut it off.
bool Figure::unroll() {
    int more = 0;
    for (const QScrollArea* area : body_.findChildren<QScrollArea*>()) {
        QScrollBar* bar = area->verticalScrollBar();
        if (!area->isVisible() || bar->maximum() == 0) continue;
        more += bar->maximum();
        scrolled_.emplace_back(bar, bar->value());
        bar->setValue(0);
    }
    if (more == 0) return false;
    body_.resize(room_.width(), std::min(room_.height() + more, tallest));
    return true;
}

/// A form of one narrow column is too high for any page: its sections stand in as many columns as make it wider than
/// high.
void Figure::divide() {
    std::vector<int> tops;
    QWidget* form = nullptr;
    for (QWidget* widget : body_.findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->property("role") != QStringLiteral("sectionHead")) continue;
        form = widget->parentWidget();
        tops.push_back(widget->y());
    }
    if (tops.size() < 2) return;
    std::ranges::sort(tops);
    const int bottom = form->childrenRect().bottom() + 1, begin = tops.front();
    std::vector<int> ends{bottom};
    const auto highest = [&] {
        int most = 0;
        for (std::size_t column = 0; column < ends.size(); ++column)
            most = std::max(most, ends[column] - (column == 0 ? begin : ends[column - 1]));
        return most;
    };
    for (int columns = 2; columns <= static_cast<int>(tops.size()); ++columns) {
        if (highest() <= static_cast<int>(ends.size()) * form->width()) break;
        ends = columnEnds(tops, bottom, columns);
    }
    for (QWidget* part : form->findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
        const auto column = std::ranges::upper_bound(ends, part->y()) - ends.begin();
        if (column == 0 || column == static_cast<std::ptrdiff_t>(ends.size())) continue;
        const int above = ends[static_cast<std::size_t>(column) - 1] - begin;
        places_[part] = part->pos() + QPoint(static_cast<int>(column) * form->width(), -above);
    }
    // The form may be higher than what its window's layout leaves the body of the figure.
    extent_ = {extent_.width() + static_cast<int>(ends.size() - 1) * form->width(),
               form->mapTo(&body_, QPoint(0, begin)).y() + highest() + figureMargin};
}

Figure::~Figure() {
    for (const QPointer<QWidget>& widget : hidden_)
        if (widget) widget->show();
    body_.resize(room_);
    for (const auto& [bar, value] : scrolled_)
        if (bar) bar->setValue(value);
    body_.setStyleSheet(sheet_);
    theme_.setTheme(before_);
    body_.setUpdatesEnabled(true);
    if (focused_ && focused_->isVisible()) focused_->setFocus(Qt::OtherFocusReason);
}

int Figure::headHeight() const {
    const QFontMetrics metrics(lettersOf(theme_.theme(), subtitleLetters, QFont::Normal));
    const QRect room(0, 0, extent_.width(), tallest);
    return subtitleTop + metrics.boundingRect(room, Qt::TextWordWrap, text_.subtitle).height() + belowHead;
}

QSize Figure::size() const { return extent_ + QSize(2 * figureMargin, headHeight() + figureMargin); }

void Figure::draw(QCPPainter& painter) const {
    const Theme& theme = theme_.theme();
    painter.fillRect(QRect(QPoint(), size()), theme.panel);
    painter.setFont(lettersOf(theme, titleLetters, QFont::DemiBold));
    painter.setPen(theme.text);
    const QRect line(figureMargin, titleTop, size().width() - 2 * figureMargin, 20);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, text_.title);
    const int used = painter.fontMetrics().horizontalAdvance(text_.title) + 16;
    const QFont letters = lettersOf(theme, subtitleLetters, QFont::Normal);
    painter.setFont(letters);
    painter.setPen(theme.dim);
    painter.drawText(line.adjusted(used, 0, 0, 0), Qt::AlignRight | Qt::AlignVCenter,
                     QFontMetrics(letters).elidedText(text_.source, Qt::ElideMiddle, line.width() - used));
    painter.drawText(QRect(line.left(), subtitleTop, line.width(), headHeight()),
                     Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, text_.subtitle);
    drawWidget(body_, painter, QPoint(figureMargin, headHeight()), places_);
}

QByteArray Figure::svg() const {
    QByteArray document;
    QBuffer buffer(&document);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size());
    generator.setViewBox(QRect(QPoint(), size()));
    generator.setResolution(pixelsPerInch);
    generator.setTitle(text_.title);
    generator.setDescription(text_.subtitle);
    QCPPainter painter;
    if (!painter.begin(&generator)) return {};
    painter.setMode(QCPPainter::pmVectorized);
    draw(painter);
    painter.end();
    return document;
}

QByteArray Figure::pdf() const {
    QByteArray document;
    QBuffer buffer(&document);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setTitle(text_.title);
    writer.setCreator(QStringLiteral("Shardlab"));
    writer.setResolution(pixelsPerInch);
    writer.setPageSize(QPageSize(QSizeF(size()) * pointsPerPixel, QPageSize::Point, QString(), QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF());
    QCPPainter painter;
    if (!painter.begin(&writer)) return {};
    painter.setMode(QCPPainter::pmVectorized);
    draw(painter);
    painter.end();
    return document;
}

QImage Figure::image() const {
    QImage picture(size() * fineness, QImage::Format_RGB32);
    picture.setDevicePixelRatio(fineness);
    QCPPainter painter(&picture);
    draw(painter);
    return picture;
}

}  // namespace shardlab::ui
