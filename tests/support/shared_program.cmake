# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, the source of one program of the tests SOURCES: what they include is read once, then comes each in a
# namespace of its own with its main(), which the program picks by the name it is started by (shared_program.h).
set(includes "")
set(tests "")
set(rows "")

# What the source includes, and what sources do that it includes.
macro(collect_includes source)
  file(STRINGS ${source} lines REGEX "^#include [<\"].*[>\"]")
  foreach(line ${lines})
    if(line MATCHES "\"(.*[.]cpp)\"")
      collect_includes(${CMAKE_MATCH_1})
    elseif(NOT line MATCHES "[.]moc\"")
      list(APPEND includes "${line}")
    endif()
  endforeach()
endmacro()

foreach(source ${SOURCES})
  cmake_path(GET source STEM name)
  collect_includes(${source})
  string(APPEND tests "namespace in_${name} {\n#define main runTest\n#include \"${source}\"\n#undef main\n")
  file(STRINGS ${source} lines REGEX "^#define [A-Za-z_]+")
  foreach(line ${lines})
    if(line MATCHES "^#define ([A-Za-z_]+)")
      string(APPEND tests "#undef ${CMAKE_MATCH_1}\n")
    endif()
  endforeach()
  string(APPEND tests "}\n")
  string(APPEND rows "        {\"${name}\", in_${name}::runTest},\n")
endforeach()
list(REMOVE_DUPLICATES includes)
list(JOIN includes "\n" includes)
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT "${includes}
#include \"tests/support/shared_program.h\"
${tests}
int main(int argc, char** argv) {
    return shardlab::test::runNamed(argc, argv, {
${rows}    });
}
")
