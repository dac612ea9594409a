// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/event/fp8_place.h"
#include "engine/trace/query/query_table.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <sqlite3.h>
#include <string>

namespace shardlab::trace {
namespace {

struct Sample {
    std::vector<double> values;
    double percent = 50;
};

/// SQLite keeps the aggregate's memory, zeroed at first; it holds the pointer that owns our sample.
Sample** heldBy(sqlite3_context* context) {
    return static_cast<Sample**>(sqlite3_aggregate_context(context, sizeof(Sample*)));
}

void step(sqlite3_context* context, int count, sqlite3_value** arguments) {
    Sample** held = heldBy(context);
    if (!held) return sqlite3_result_error_nomem(context);
    if (!*held) *held = std::make_unique<Sample>().release();
    Sample& sample = **held;
    if (count > 1) {
        sample.percent = sqlite3_value_double(arguments[1]);
        if (!(sample.percent >= 0 && sample.percent <= 100))
            return sqlite3_result_error(context, "percentile(x, p): p must be between 0 and 100", -1);
    }
    if (sqlite3_value_type(arguments[0]) != SQLITE_NULL) sample.values.push_back(sqlite3_value_double(arguments[0]));
}

void finish(sqlite3_context* context) {
    Sample** held = heldBy(context);
    const std::unique_ptr<Sample> sample(held ? *held : nullptr);
    if (!sample || sample->values.empty()) return sqlite3_result_null(context);
    const double at = sample->percent / 100 * static_cast<double>(sample->values.size() - 1);
    const auto below = static_cast<std::ptrdiff_t>(std::floor(at));
    std::ranges::nth_element(sample->values, sample->values.begin() + below);
    const double low = sample->values[static_cast<std::size_t>(below)];
    if (at == std::floor(at)) return sqlite3_result_double(context, low);
    const double high = *std::min_element(sample->values.begin() + below + 1, sample->values.end());
    sqlite3_result_double(context, low + (at - std::floor(at)) * (high - low));
}

/// fp8_place(bytes): the factor of the linear layer that a counter of products in 8 bits tells of.
void fp8Place(sqlite3_context* context, int, sqlite3_value** arguments) {
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return sqlite3_result_null(context);
    const std::string text = textOf(fp8PlaceOf(sqlite3_value_int64(arguments[0])));
    sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

}  // namespace

void registerFunctions(sqlite3* connection) {
    constexpr int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    sqlite3_create_function_v2(connection, "median", 1, flags, nullptr, nullptr, step, finish, nullptr);
    sqlite3_create_function_v2(connection, "fp8_place", 1, flags, nullptr, fp8Place, nullptr, nullptr, nullptr);
    sqlite3_create_function_v2(connection, "percentile", 2, flags, nullptr, nullptr, step, finish, nullptr);
}

}  // namespace shardlab::trace
