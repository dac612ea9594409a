// SPDX-License-Identifier: Apache-2.0
// SQLite's virtual tables over RowSource. SQLite holds our objects as raw pointers between its calls; each is made by
// make_unique and taken back into one where SQLite lets go of it.
#include "engine/trace/query/query_table.h"
#include "engine/base/library_words.h"

#include <algorithm>
#include <charconv>
#include <sqlite3.h>
#include <utility>

namespace shardlab::trace {
namespace {

struct Registered {
    Registered(const QueryTable& of, const RunReader& from, std::optional<Error>& met)
        : table(of), run(from), damage(met) {}
    const QueryTable& table;
    const RunReader& run;
    std::optional<Error>& damage;
};

struct VirtualTable : sqlite3_vtab {
    explicit VirtualTable(const Registered& of) : sqlite3_vtab{}, registered(of) {}
    const Registered& registered;
};

struct VirtualCursor : sqlite3_vtab_cursor {
    VirtualCursor() : sqlite3_vtab_cursor{} {}
    std::unique_ptr<RowSource> rows;
    std::int64_t row = 0;
    bool more = false;
};

VirtualTable& own(sqlite3_vtab* table) { return static_cast<VirtualTable&>(*table); }
VirtualCursor& own(sqlite3_vtab_cursor* cursor) { return static_cast<VirtualCursor&>(*cursor); }

int refuse(sqlite3_vtab* table, const Error& error) {
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", error.text().c_str());
    return SQLITE_ERROR;
}

int connect(sqlite3* connection, void* auxiliary, int, const char* const*, sqlite3_vtab** made, char**) {
    const auto& registered = *static_cast<const Registered*>(auxiliary);
    std::string sql = "CREATE TABLE x(";
    for (const QueryColumn& column : registered.table.help.columns) {
        if (sql.back() != '(') sql += ", ";
        sql += "\"" + std::string(column.name) + "\" " + std::string(column.type);
    }
    if (const int code = sqlite3_declare_vtab(connection, (sql + ")").c_str()); code != SQLITE_OK) return code;
    *made = std::make_unique<VirtualTable>(registered).release();
    return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
    const std::unique_ptr<VirtualTable> last(&own(table));
    return SQLITE_OK;
}

/// 0 where SQLite's operator is none of ours.
char comparisonSign(unsigned char op) {
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ: return '=';
    case SQLITE_INDEX_CONSTRAINT_GE:
    case SQLITE_INDEX_CONSTRAINT_GT: return '>';
    case SQLITE_INDEX_CONSTRAINT_LE:
    case SQLITE_INDEX_CONSTRAINT_LT: return '<';
    default: return 0;
    }
}

/// Asks for the values that conditions on narrowing columns compare with; idxStr says which: "1=8>8<".
int chooseConditions(sqlite3_vtab* table, sqlite3_index_info* info) {
    const QueryTable& definition = own(table).registered.table;
    std::string chosen;
    int arguments = 0;
    double cost = 1e7;
    for (int i = 0; i < info->nConstraint; ++i) {
        const auto& constraint = info->aConstraint[i];
        const char sign = comparisonSign(constraint.op);
        const bool narrows = std::ranges::find(definition.narrowing, constraint.iColumn) != definition.narrowing.end();
        if (!constraint.usable || sign == 0 || !narrows) continue;
        chosen += std::to_string(constraint.iColumn) + sign;
        info->aConstraintUsage[i].argvIndex = ++arguments;
        cost /= sign == '=' ? 10 : 2;
    }
    info->estimatedCost = cost;
    info->idxStr = sqlite3_mprintf("%s", chosen.c_str());
    info->needToFreeIdxStr = 1;
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

int openCursor(sqlite3_vtab*, sqlite3_vtab_cursor** made) {
    *made = std::make_unique<VirtualCursor>().release();
    return SQLITE_OK;
}

void keepDamage(VirtualCursor& cursor) {
    std::optional<Error>& damage = own(cursor.pVtab).registered.damage;
    if (cursor.rows && !damage) damage = cursor.rows->damage();
}

int closeCursor(sqlite3_vtab_cursor* cursor) {
    const std::unique_ptr<VirtualCursor> last(&own(cursor));
    keepDamage(*last);
    return SQLITE_OK;
}

int advance(sqlite3_vtab_cursor* base) {
    VirtualCursor& cursor = own(base);
    const auto more = cursor.rows->next();
    if (!more) return refuse(base->pVtab, more.error());
    cursor.more = *more;
    ++cursor.row;
    return SQLITE_OK;
}

Cell cellOf(sqlite3_value* value) {
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER: return std::int64_t{sqlite3_value_int64(value)};
    case SQLITE_FLOAT: return sqlite3_value_double(value);
    case SQLITE_TEXT:
        return std::string(reinterpret_cast<const char*>(sqlite3_value_text(value)),
                           static_cast<std::size_t>(sqlite3_value_bytes(value)));
    default: return {};
    }
}

int filter(sqlite3_vtab_cursor* base, int, const char* chosen, int count, sqlite3_value** values) {
    std::vector<Condition> conditions;
    const char* const end = chosen + std::string_view(chosen).size();
    for (int i = 0; i < count; ++i) {
        Condition condition;
        chosen = std::from_chars(chosen, end, condition.column).ptr;
        const char sign = *chosen++;
        condition.comparison = sign == '=' ? Comparison::Equal : sign == '>' ? Comparison::AtLeast : Comparison::AtMost;
        condition.value = cellOf(values[i]);
        conditions.push_back(std::move(condition));
    }
    const Registered& registered = own(base->pVtab).registered;
    auto rows = registered.table.open(registered.run, conditions);
    if (!rows) return refuse(base->pVtab, rows.error());
    keepDamage(own(base));
    own(base).rows = std::move(*rows);
    own(base).row = 0;
    return advance(base);
}

int atEnd(sqlite3_vtab_cursor* cursor) { return own(cursor).more ? 0 : 1; }

int giveColumn(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
    const Cell cell = own(cursor).rows->cell(column);
    if (const auto* number = std::get_if<std::int64_t>(&cell)) sqlite3_result_int64(context, *number);
    else if (const auto* real = std::get_if<double>(&cell)) sqlite3_result_double(context, *real);
    else if (const auto* text = std::get_if<std::string>(&cell))
        sqlite3_result_text64(context, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    else sqlite3_result_null(context);
    return SQLITE_OK;
}

int giveRow(sqlite3_vtab_cursor* cursor, sqlite3_int64* row) {
    *row = own(cursor).row;
    return SQLITE_OK;
}

/// Without xCreate the table is there from the start, under the module's name, and in no schema.
sqlite3_module makeModule() {
    sqlite3_module module{};
    module.xConnect = connect;
    module.xBestIndex = chooseConditions;
    module.xDisconnect = disconnect;
    module.xDestroy = disconnect;
    module.xOpen = openCursor;
    module.xClose = closeCursor;
    module.xFilter = filter;
    module.xNext = advance;
    module.xEof = atEnd;
    module.xColumn = giveColumn;
    module.xRowid = giveRow;
    return module;
}

void forget(void* auxiliary) { const std::unique_ptr<Registered> last(static_cast<Registered*>(auxiliary)); }

}  // namespace

Status registerTable(sqlite3* connection, const QueryTable& table, const RunReader& run, std::optional<Error>& damage) {
    static const sqlite3_module module = makeModule();
    const std::string name(table.help.name);
    auto registered = std::make_unique<Registered>(table, run, damage);
    const int code = sqlite3_create_module_v2(connection, name.c_str(), &module, registered.release(), forget);
    if (code != SQLITE_OK) return fail({say("cannot make the table"), name, sqlite3_errstr(code), ""});
    // Named once, a table is declared: later, questions may not declare anything.
    sqlite3_stmt* named = nullptr;
    const int declared = sqlite3_prepare_v2(connection, ("SELECT 1 FROM " + name).c_str(), -1, &named, nullptr);
    sqlite3_finalize(named);
    if (declared != SQLITE_OK)
        return fail({say("cannot make the table"), name, saidByLibrary("SQLite", sqlite3_errmsg(connection)), ""});
    return {};
}

}  // namespace shardlab::trace
