// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/home/preset_gallery.h"

#include "ui/core/child.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"
#include "ui/views/home/row_delegate.h"
#include "ui/views/home/schedule_sketch.h"
#include "ui/core/words.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTextLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <map>

namespace shardlab::ui {
namespace {

constexpr int presetRole = Qt::UserRole;
constexpr int leastCard = 214, cardHeight = 152, familyHeight = 34;
constexpr int mostAcross = 6;  ///< beyond that cards become wider, and hold more words
constexpr int sketchHeight = 54, inset = 4, margin = 10;
constexpr int summaryLines = 3;  ///< of what a card says

/// A card; a heading of a family takes the whole width, so that its cards begin a line of their own.
class CardDelegate : public QStyledItemDelegate {
public:
    CardDelegate(ThemeSource& theme, const PresetGallery& gallery, QObject* parent)
        : QStyledItemDelegate(parent), theme_(theme), gallery_(gallery) {}

    int width = leastCard, whole = leastCard;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
        return gallery_.at(index.row()) ? QSize(width, cardHeight) : QSize(whole, familyHeight);
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = theme_.theme();
        const Preset* preset = gallery_.at(index.row());
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        QFont title = theme.body;
        title.setWeight(QFont::DemiBold);
        if (!preset) {
            painter->setFont(title);
            painter->setPen(theme.dim);
            painter->drawText(option.rect.adjusted(margin - inset, 8, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                              index.data().toString());
            return painter->restore();
        }
        const bool focused = option.state.testFlag(QStyle::State_Selected) && gallery_.enterOpens();
        const bool hovered = option.state.testFlag(QStyle::State_MouseOver);
        const QRect card = option.rect.adjusted(inset, inset, -inset, -inset);
        painter->setPen(QPen(focused || hovered ? theme.accent : theme.border, focused ? 2 : 1));
        painter->setBrush(theme.raised);
        painter->drawRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
        const QRect inside = card.adjusted(margin, margin, -margin, -margin);
        paintSketch(*painter, QRect(inside.topLeft(), QSize(inside.width(), sketchHeight)), sketch(*preset), theme);
        painter->setFont(title);
        painter->setPen(theme.text);
        const QRect name(inside.left(), inside.top() + sketchHeight + 4, inside.width(), 20);
        painter->drawText(name, Qt::AlignLeft | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(text(preset->name), Qt::ElideRight, name.width()));
        paintSummary(*painter, QRect(inside.left(), name.bottom() + 1, inside.width(), inside.bottom() - name.bottom()),
                     term(preset->summary));
        painter->restore();
    }

private:
    void paintSummary(QPainter& painter, const QRect& place, const QString& summary) const {
        const Theme& theme = theme_.theme();
        QFont small = theme.body;
        small.setPixelSize(11);
        painter.setFont(small);
        painter.setPen(theme.dim);
        const QFontMetrics metrics(small);
        // Lines of whole words, or of characters where a script has no spaces, and in the last what there is room for.
        QTextLayout layout(summary, small);
        QTextOption wrapped;
        wrapped.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
        layout.setTextOption(wrapped);
        layout.beginLayout();
        for (int line = 0; line < summaryLines; ++line) {
            QTextLine words = layout.createLine();
            if (!words.isValid()) break;
            words.setLineWidth(place.width());
            const QString rest = summary.mid(words.textStart());
            painter.drawText(
                QRect(place.left(), place.top() + line * metrics.height(), place.width(), metrics.height()),
                Qt::AlignLeft | Qt::AlignVCenter,
                line + 1 < summaryLines ? rest.left(words.textLength())
                                        : metrics.elidedText(rest, Qt::ElideRight, place.width()));
        }
        layout.endLayout();
    }

    const ScheduleSketch& sketch(const Preset& preset) const {
        auto known = sketches_.find(preset.name);
        if (known == sketches_.end()) known = sketches_.emplace(preset.name, sketchOf(preset.layout)).first;
        return known->second;
    }

    ThemeSource& theme_;
    const PresetGallery& gallery_;
    mutable std::map<std::string, ScheduleSketch> sketches_;
};

CardDelegate& delegateOf(QListWidget& cards) { return static_cast<CardDelegate&>(*cards.itemDelegate()); }

bool contains(const QString& all, const QStringList& words) {
    return std::ranges::all_of(words, [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

bool contains(const Preset& preset, const QStringList& words) {
    const QString all = text(preset.name) + QLatin1Char(' ') + text(preset.family) + QLatin1Char(' ') +
                        term(preset.family) + QLatin1Char(' ') + term(preset.summary) + QLatin1Char(' ') +
                        text(preset.layout.schedule.kind);
    return contains(all, words);
}

/// How well the name answers to what was typed: 2 is the name itself, 0 only other words of the preset.
int likeness(const Preset& preset, const QStringList& words) {
    const QString name = text(preset.name);
    if (name.compare(words.join(QLatin1Char(' ')), Qt::CaseInsensitive) == 0) return 2;
    return contains(name, words) ? 1 : 0;
}

}  // namespace

PresetGallery::PresetGallery(ThemeSource& theme, QWidget* parent)
    : QWidget(parent), theme_(theme), search_(child<QLineEdit>(this)), cards_(child<QListWidget>(this)) {
    search_->setPlaceholderText(tr("Find a preset: a model, a schedule, “zero”, “bf16” …"));
    search_->setAccessibleName(tr("Find a preset"));
    search_->setClearButtonEnabled(true);
    cards_->setAccessibleName(tr("Presets"));
    cards_->setViewMode(QListView::IconMode);
    cards_->setMovement(QListView::Static);
    cards_->setResizeMode(QListView::Adjust);
    cards_->setFlow(QListView::LeftToRight);
    cards_->setSpacing(0);
    cards_->setFrameShape(QFrame::NoFrame);
    cards_->setProperty("role", "rows");
    cards_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    cards_->setVerticalScrollBarPolicy(
        Qt::ScrollBarAlwaysOn);  // else a scroll bar would change how many stand in a line
    cards_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    cards_->setMouseTracking(true);
    cards_->setItemDelegate(child<CardDelegate>(theme, *this, cards_));
    cards_->installEventFilter(this);
    cards_->viewport()->installEventFilter(this);
    search_->installEventFilter(this);
    auto* title = child<QLabel>(tr("Begin with a preset"), this);
    title->setProperty("role", "title");
    title->setBuddy(search_);
    auto* head = child<QHBoxLayout>();
    head->setContentsMargins(4, 0, 10, 0);  // as far from the right as from the left
    head->setSpacing(14);
    head->addWidget(title);
    head->addWidget(search_, 1);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(10, 10, 4, 4);
    column->setSpacing(4);
    column->addLayout(head);
    column->addWidget(cards_, 1);
    connect(search_, &QLineEdit::textChanged, this, &PresetGallery::fill);
    connect(cards_, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) { choose(cards_->row(item)); });
    connect(&theme_, &ThemeSource::changed, cards_->viewport(), qOverload<>(&QWidget::update));
}

void PresetGallery::setPresets(std::vector<Preset> presets) {
    presets_ = std::move(presets);
    // A family's presets stand together, in the order in which families are first named.
    std::vector<std::string> families;
    for (const Preset& preset : presets_)
        if (std::ranges::find(families, preset.family) == families.end()) families.push_back(preset.family);
    std::ranges::stable_sort(presets_, {}, [&](const Preset& preset) {
        return std::ranges::find(families, preset.family) - families.begin();
    });
    fill();
}

const Preset* PresetGallery::at(int row) const {
    const QListWidgetItem* item = cards_->item(row);
    const QVariant index = item ? item->data(presetRole) : QVariant();
    return index.isValid() ? &presets_[static_cast<std::size_t>(index.toInt())] : nullptr;
}

bool PresetGallery::enterOpens() const { return cards_->hasFocus() || search_->hasFocus(); }

void PresetGallery::fill() {
    cards_->clear();
    const QStringList words = search_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::string family;
    QListWidgetItem* best = nullptr;  // which Enter opens
    int bestLikeness = -1;
    for (std::size_t index = 0; index < presets_.size(); ++index) {
        const Preset& preset = presets_[index];
        if (!contains(preset, words)) continue;
        if (preset.family != family) {
            addHeading(*cards_, term(preset.family));
            family = preset.family;
        }
        auto* item = child<QListWidgetItem>(text(preset.name), cards_);
        item->setData(presetRole, static_cast<int>(index));
        item->setData(Qt::AccessibleTextRole, QStringLiteral("%1: %2").arg(text(preset.name), term(preset.summary)));
        item->setToolTip(term(preset.summary));
        if (const int like = likeness(preset, words); like > bestLikeness) {
            bestLikeness = like;
            best = item;
        }
    }
    if (best) cards_->setCurrentItem(best);
    if (cards_->count() == 0) addHeading(*cards_, tr("No preset has all of these words."));
    fit();
}

void PresetGallery::fit() {
    const int line = cards_->viewport()->width() - 1;
    CardDelegate& delegate = delegateOf(*cards_);
    const int across = std::clamp(line / leastCard, 1, mostAcross);
    delegate.whole = line;
    delegate.width = line / across;
    Q_EMIT delegate.sizeHintChanged({});
}

void PresetGallery::choose(int row) {
    if (const Preset* preset = at(row)) Q_EMIT chosen(*preset);
}

bool PresetGallery::eventFilter(QObject* watched, QEvent* event) {
    if (watched == cards_->viewport() && event->type() == QEvent::Resize) fit();
    if (watched == search_ && (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut))
        cards_->viewport()->update();
    if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
        choose(cards_->currentRow());  // from the field too: the one that answers best
        return true;
    }
    if (watched == search_ && key == Qt::Key_Down) {
        cards_->setFocus(Qt::TabFocusReason);
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace shardlab::ui
