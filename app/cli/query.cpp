// SPDX-License-Identifier: Apache-2.0
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/base/units.h"
#include "engine/trace/query/query.h"

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

namespace shardlab::cli {

namespace {

using Json = nlohmann::ordered_json;

struct QueryOptions {
    std::string run;
    std::string sql;
    bool tables = false;
    bool csv = false;
    bool json = false;
    double timeLimit = 300;                              ///< seconds
    std::uint64_t memoryLimit = std::uint64_t{1} << 30;  ///< bytes
};

/// A cell of CSV, as RFC 4180 defines it.
std::string csvCell(const Cell& cell) {
    const std::string text = trace::toText(cell);
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

Json jsonCell(const Cell& cell) {
    return std::visit(
        [](const auto& value) {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) return Json();
            else return Json(value);
        },
        cell);
}

template <class Text>
std::string csvLine(std::span<const Text> cells) {
    std::string line;
    for (const Text& cell : cells) line += (line.empty() && &cell == cells.data() ? "" : ",") + csvCell(cell);
    return line + "\n";
}

/// CSV and JSON rows are written as they come; a table is aligned once all are there.
Status answer(RunQuery& query, const QueryOptions& options) {
    std::optional<Table> table;
    std::vector<std::string> columns;
    bool first = true;
    std::uint64_t held = 0;  ///< bytes of the table's rows
    bool tooLong = false;
    RunQuery::Answer sink;
    sink.head = [&](const std::vector<std::string>& head) {
        columns = head;
        if (options.csv) printData(csvLine<Cell>(std::vector<Cell>(head.begin(), head.end())));
        else if (options.json) print("[");
        else table.emplace(head);
    };
    sink.row = [&](std::span<const Cell> row) {
        if (options.csv) {
            printData(csvLine(row));
        } else if (options.json) {
            Json object = Json::object();
            for (std::size_t i = 0; i < row.size(); ++i) object[columns[i]] = jsonCell(row[i]);
            print((first ? "\n  " : ",\n  ") + object.dump(-1, ' ', false, Json::error_handler_t::replace));
            first = false;
        } else {
            std::vector<std::string> texts;
            for (const Cell& cell : row) held += sizeof(std::string) + texts.emplace_back(trace::toText(cell)).size();
            tooLong = options.memoryLimit > 0 && held > options.memoryLimit;
            if (tooLong) return false;
            table->add(std::move(texts));
        }
        return true;
    };
    const Status asked = query.ask(options.sql, sink);
    if (tooLong)
        return fail({"the question was ended", "",
                     "the table of its answer takes more than " +
                         formatBytes(static_cast<std::int64_t>(options.memoryLimit)) + " of memory, its limit",
                     "--csv or --json, which print rows as they come, or a higher --memory-limit"});
    if (options.json && !columns.empty()) print(first ? "]\n" : "\n]\n");
    if (table) print(table->text());
    return asked;
}

int tables() {
    std::string text;
    for (const TableHelp& help : queryTables()) {
        text += std::string(help.name) + ": " + std::string(help.help) + "\n";
        Table table({"column", "type", "what"});
        for (const QueryColumn& column : help.columns)
            table.add({std::string(column.name), std::string(column.type), std::string(column.help)});
        text += table.text(2) + "\n";
    }
    print(text + "Aggregates beside SQLite's own: median(x), percentile(x, p) with p from 0 to 100.\n"
                 "fp8_place(bytes): which factor of which linear layer a counter of products in 8 bits tells of.\n");
    return success;
}

int query(const QueryOptions& options) {
    if (options.tables) return tables();
    const auto reader = RunReader::open(options.run);
    if (!reader) return failWith(reader.error());
    const auto opened = RunQuery::open(**reader, {options.timeLimit, static_cast<std::int64_t>(options.memoryLimit)});
    const Status asked = opened ? answer(**opened, options) : Status(fail(opened.error()));
    if (!asked) printError(asked.error());
    return asked ? success : failure;
}

}  // namespace

void addQuery(CommandLine& line) {
    Verb verb(line, "query", "Ask a recorded run in SQL");
    const auto options = std::make_shared<QueryOptions>();
    const Option run = verb.option("RUN", options->run, "A run file (*.shardlab)");
    const Option sql = verb.option("SQL", options->sql, "One SELECT; --tables lists what it may name");
    const Option csv = verb.flag("--csv", options->csv, "Answer with comma-separated values");
    verb.flag("--json", options->json, "Answer with a JSON array of one object per row").excludes(csv);
    verb.option("--time-limit", options->timeLimit, "Seconds after which the query is ended; 0: never. Default: 300")
        .nonNegative()
        .typeName("SECONDS");
    verb.option("--memory-limit", options->memoryLimit,
                "Memory at which the query is ended, such as 500MB or 4GiB; 0: none. Default: 1GiB")
        .bytes(static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        .typeName("SIZE");
    verb.flag("--tables", options->tables, "List the tables and their columns").excludes(run).excludes(sql);
    verb.runs([options] { return query(*options); },
              [options] {
                  const bool enough = options->tables || (!options->run.empty() && !options->sql.empty());
                  return std::string(enough ? "" : "RUN and SQL, or --tables,");
              });
}

}  // namespace shardlab::cli
