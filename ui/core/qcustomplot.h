// SPDX-License-Identifier: GPL-3.0-or-later
// QCustomPlot's header is written with Qt's keywords, which our code is compiled without. Costs five seconds to
// compile: for few .cpp files, never for a header that others include.
#pragma once

#include <QtGlobal>

#define signals Q_SIGNALS
#define slots Q_SLOTS
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef signals
#undef slots
#undef foreach
