// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/evidence/evidence_model.h"

#include "ui/core/text.h"
#include "ui/core/theme.h"

#include <cmath>

namespace shardlab::ui {
namespace {

constexpr double gibibyte = 1073741824.0;
constexpr int fontPixels = 11;

QString signedPercent(double share) {
    return share < 0 ? percent(share) : QLatin1Char('+') + percent(share);  // a minus has a sign of its own
}

}  // namespace

EvidenceModel::EvidenceModel(const EvidenceSession& session, ThemeSource& theme, QObject* parent)
    : QAbstractTableModel(parent), session_(session), theme_(theme) {
    select();
}

void EvidenceModel::refresh() { select(); }

void EvidenceModel::choose(RunFacet facet, const std::string& value) {
    chosen_[static_cast<std::size_t>(facet)] = value;
    select();
}

bool EvidenceModel::choosesAll() const { return std::ranges::all_of(chosen_, &std::string::empty); }

void EvidenceModel::setFigure(EvidenceFigure figure) {
    figure_ = figure;
    select();
}

void EvidenceModel::setIncomplete(bool shown) {
    incomplete_ = shown;
    select();
}

std::map<std::string, int> EvidenceModel::values(RunFacet facet) const {
    std::map<std::string, int> values;
    for (const ValidatedRow& row : session_.rows())
        for (const std::string& value : facetValues(row.run, facet)) ++values[value];
    return values;
}

bool EvidenceModel::isShown(const ValidatedRow& row) const {
    const bool has = figure_ == EvidenceFigure::Step ? row.error().has_value() : row.memoryError().has_value();
    if (!incomplete_ && (!has || !row.counts())) return false;
    return std::ranges::all_of(runFacets, [&](RunFacet facet) {
        const std::string& wanted = chosen(facet);
        if (wanted.empty()) return true;
        const std::vector<std::string> values = facetValues(row.run, facet);
        return std::ranges::find(values, wanted) != values.end();
    });
}

void EvidenceModel::select() {
    beginResetModel();
    shown_.clear();
    std::vector<double> errors;
    for (std::size_t i = 0; i < session_.rows().size(); ++i) {
        const ValidatedRow& row = session_.rows()[i];
        if (!isShown(row)) continue;
        shown_.push_back(i);
        const auto error = deviation(rowCount() - 1);
        if (error && row.counts()) errors.push_back(*error);
    }
    summary_ = summarizeErrors(std::move(errors));
    endResetModel();
}

const ValidatedRow& EvidenceModel::at(int row) const { return session_.rows()[shown_[static_cast<std::size_t>(row)]]; }

std::optional<QPointF> EvidenceModel::point(int row) const {
    const ValidatedRow& of = at(row);
    const bool step = figure_ == EvidenceFigure::Step;
    const std::optional<double>&published = step ? of.run.seconds : of.run.gib, &predicted = step ? of.seconds : of.gib;
    if (!published || !predicted || *published <= 0 || *predicted <= 0) return std::nullopt;
    return QPointF(*published, *predicted);
}

std::optional<double> EvidenceModel::deviation(int row) const {
    const ValidatedRow& of = at(row);
    return figure_ == EvidenceFigure::Step ? of.error() : of.memoryError();
}

QString EvidenceModel::figureText(double value) const {
    return text(figure_ == EvidenceFigure::Step ? formatSeconds(value) : formatBytes(std::llround(value * gibibyte)));
}

QString EvidenceModel::description(int row) const {
    const ValidatedRow& of = at(row);
    QString lines = tr("%1, from %2").arg(text(of.run.id), text(of.run.source));
    if (!of.run.refused.empty()) return lines + tr("\nNot predicted: %1").arg(text(of.run.refused));
    const auto first = [&](RunFacet facet) { return text(facetValues(of.run, facet).front()); };
    QStringList methods;
    for (const std::string& method : facetValues(of.run, RunFacet::Method)) methods << text(method);
    lines += tr("\n%1 on %2 with %3: %4")
                 .arg(first(RunFacet::Model), text(devicesText(of.run)), first(RunFacet::Stack),
                      methods.join(QStringLiteral(", ")));
    if (const auto at = point(row))
        lines += tr("\npublished %1, predicted %2, which is %3")
                     .arg(figureText(at->x()), figureText(at->y()), signedPercent(*deviation(row)));
    if (!of.run.missing.empty()) lines += tr("\nIts source does not state: %1").arg(text(of.run.missing));
    return lines + tr("\nA click in the chart, Enter or a double click in the table opens it as a layout");
}

QString EvidenceModel::cellText(int row, int column) const {
    const ValidatedRow& of = at(row);
    const auto shown = point(row);
    switch (column) {
    case Run: return text(of.run.id);
    case Devices: return text(devicesText(of.run));
    case Stack: return of.run.refused.empty() ? text(of.run.layout.cluster.pace->stack) : tr("refused");
    case Published: return shown ? figureText(shown->x()) : QString();
    case Predicted: return shown ? figureText(shown->y()) : QString();
    case Deviation: return shown ? signedPercent(*deviation(row)) : QString();
    default: return {};
    }
}

QVariant EvidenceModel::sortKey(int row, int column) const {
    const auto shown = point(row);
    switch (column) {
    case Devices: return at(row).run.refused.empty() ? rankCount(at(row).run.layout) : 0;
    case Published: return shown ? shown->x() : 0.0;
    case Predicted: return shown ? shown->y() : 0.0;
    case Deviation: return shown ? *deviation(row) : 0.0;
    default: return cellText(row, column);
    }
}

int EvidenceModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}
int EvidenceModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columns; }

QVariant EvidenceModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Theme& theme = theme_.theme();
    switch (role) {
    case Qt::DisplayRole: return cellText(index.row(), index.column());
    case sortRole: return sortKey(index.row(), index.column());
    case Qt::ToolTipRole: return description(index.row());
    case Qt::ForegroundRole: return at(index.row()).counts() && point(index.row()) ? theme.text : theme.dim;
    case Qt::FontRole: {
        QFont font = index.column() == Stack ? theme.body : theme.mono;
        font.setPixelSize(fontPixels);
        return font;
    }
    case Qt::TextAlignmentRole:
        return QVariant((index.column() <= Stack ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    default: return {};
    }
}

QVariant EvidenceModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section <= Stack ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == Deviation) return tr("predicted ÷ published − 1");
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case Run: return tr("run");
    case Devices: return tr("devices");
    case Stack: return tr("stack");
    case Published: return tr("published");
    case Predicted: return tr("predicted");
    case Deviation: return tr("error");
    default: return {};
    }
}

}  // namespace shardlab::ui
