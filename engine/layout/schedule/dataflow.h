// SPDX-License-Identifier: Apache-2.0
// What compute actions take from the neighbouring stages and give to them.
#pragma once

#include "engine/layout/schedule/schedule.h"

#include <optional>
#include <vector>

namespace shardlab::layout {

/// One thing that passes between neighbouring stages: the activation that `stage` gives upwards, or the gradient that
/// it gives downwards.
struct Product {
    bool gradient = false;
    int stage = 0;
    int microbatch = 0;
};

/// The product that `action` makes: F gives one upwards, B and I downwards. At the ends of the pipeline nobody takes
/// it.
inline std::optional<Product> productOf(const Action& action) {
    if (action.kind == ActionKind::Forward) return Product{false, action.stage, action.microbatch};
    if (givesInputGrad(action.kind)) return Product{true, action.stage, action.microbatch};
    return {};
}

/// The product that `action` takes from a neighbour.
inline std::optional<Product> needOf(const Action& action, int stages) {
    if (action.kind == ActionKind::Forward && action.stage > 0)
        return Product{false, action.stage - 1, action.microbatch};
    if (givesInputGrad(action.kind) && action.stage + 1 < stages)
        return Product{true, action.stage + 1, action.microbatch};
    return {};
}

/// The stage that takes a product; -1 or `stages` where it leaves the pipeline.
inline int takerOf(const Product& product) { return product.stage + (product.gradient ? -1 : 1); }

/// The product that a message carries.
inline Product payloadOf(const Action& sendOrReceive) {
    const Action send = isSend(sendOrReceive.kind) ? sendOrReceive : otherEnd(sendOrReceive);
    return {send.kind == ActionKind::SendBackward, send.stage, send.microbatch};
}

/// One value for each product of a schedule. Asking for a stage or microbatch that it does not have is a bug.
template <class T>
class ProductTable {
public:
    ProductTable(int stages, int microbatches, T value)
        : microbatches_(static_cast<std::size_t>(microbatches)),
          half_(static_cast<std::size_t>(stages) * microbatches_), values_(2 * half_, value) {}
    T& operator[](const Product& p) {
        return values_[(p.gradient ? half_ : 0) + static_cast<std::size_t>(p.stage) * microbatches_ +
                       static_cast<std::size_t>(p.microbatch)];
    }

private:
    std::size_t microbatches_;
    std::size_t half_;
    std::vector<T> values_;
};

}  // namespace shardlab::layout
