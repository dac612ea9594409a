# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=… -DPLACE=… -P documents.cmake: the manual pages and completions that the program prints, as files.
function(write file)
  execute_process(COMMAND ${PROGRAM} help ${ARGN} OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${PLACE})
file(MAKE_DIRECTORY ${PLACE}/man1 ${PLACE}/completions)
write(${PLACE}/man1/shardlab.1 --man)
file(STRINGS ${PLACE}/man1/shardlab.1 verbs REGEX "^.fBshardlab.-.*[(]1[)]$")
foreach(line ${verbs})
  string(REGEX REPLACE "^.fBshardlab..(.*).fR[(]1[)]$" "\\1" verb "${line}")
  string(REPLACE "\\-" "-" verb "${verb}")
  write(${PLACE}/man1/shardlab-${verb}.1 --man ${verb})
endforeach()
write(${PLACE}/completions/shardlab --completion bash)
write(${PLACE}/completions/_shardlab --completion zsh)
write(${PLACE}/completions/shardlab.fish --completion fish)
