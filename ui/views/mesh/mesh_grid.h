// SPDX-License-Identifier: GPL-3.0-or-later
// The mesh as a grid of ranks, tensor neighbours touch. On one host columns are pipeline ranks, rows are replicas, or
// the other way round where the tensor ranks of all stages in one row would be more than can be read. On several hosts
// ranks stand in blocks by host.
#pragma once

#include "ui/core/theme.h"
#include "ui/views/mesh/host_blocks.h"

#include "engine/layout/mesh/mesh.h"

#include <QString>
#include <QWidget>

#include <vector>

namespace shardlab::ui {

struct MeshCell {
    int rank = 0;
    QString detail;      ///< second line: "dp0 pp1"
    QString help;        ///< tooltip and for screen readers
    double shade = 0;    ///< in [0, 1]: how full of the forward hue
    QString figure;      ///< first line: "84 %", or the rank
    bool lost = false;   ///< the rank ended before its time, of itself
    bool ended = false;  ///< it was ended because another was lost
};

class MeshGrid : public QWidget {
    Q_OBJECT
public:
    MeshGrid(ThemeSource& theme, QWidget* parent);

    /// `heads`: one per pipeline rank.
    void setMesh(const Mesh& mesh, QStringList heads);
    void setCells(std::vector<MeshCell> cells);  ///< by rank
    void setSelected(int rank);
    QRect cellRect(int rank) const;
    int rankAt(const QPoint& point) const;  ///< -1: none
    /// What the tooltip of a rank says; empty where there is no such rank.
    QString help(int rank) const;
    QSize minimumSizeHint() const override;
    int heightForWidth(int width) const override;
    const HostBlocks& hosts() const { return hosts_; }
    /// Each host, the ranks on it and the layers that they hold: as much of that as fits above every host.
    QStringList hostTitles(const QFontMetrics& metrics, int width) const;

Q_SIGNALS:
    /// A rank was clicked; -1: no rank lies there.
    void picked(int rank);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Spot {
        int column = 0;  ///< of groups of tensor neighbours
        int inner = 0;   ///< tensor
        int row = 0;
    };
    /// Above each column of groups, or above each row where those are the stages.
    int headsDown() const { return stagesDown_ ? rows_ : 1; }
    void paintHosts(QPainter& painter) const;
    int figurePixels(int width) const;
    void paintCell(QPainter& painter, const MeshCell& cell) const;

    ThemeSource& theme_;
    int columns_ = 0, inner_ = 1, rows_ = 0;
    bool stagesDown_ = false;
    HostBlocks hosts_;
    std::vector<int> stages_;  ///< pipeline rank of each rank
    std::vector<Spot> spots_;
    QStringList heads_;
    std::vector<MeshCell> cells_;
    int selected_ = -1;
};

}  // namespace shardlab::ui
