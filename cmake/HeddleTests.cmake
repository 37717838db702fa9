# Functions for projects that test themselves with Heddle.

# heddle_instrument(TARGET...): compiles and links these targets so that Heddle can record them.
function(heddle_instrument)
  if(NOT HEDDLE_EXECUTABLE)
    message(FATAL_ERROR "heddle_instrument: the program heddle is not in PATH; set HEDDLE_EXECUTABLE")
  endif()
  if(NOT CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
    message(FATAL_ERROR "heddle_instrument: the generator ${CMAKE_GENERATOR} has no launchers; use Ninja or Makefiles")
  endif()
  if(CMAKE_VERSION VERSION_LESS 3.21)
    message(FATAL_ERROR "heddle_instrument: CMake ${CMAKE_VERSION} has no linker launchers; 3.21 does")
  endif()
  foreach(target IN LISTS ARGN)
    foreach(step COMPILER LINKER)
      set_target_properties(${target} PROPERTIES
        C_${step}_LAUNCHER "${HEDDLE_EXECUTABLE};cc;--compiler"
        CXX_${step}_LAUNCHER "${HEDDLE_EXECUTABLE};c++;--compiler")
    endforeach()
  endforeach()
endfunction()

# heddle_add_test(NAME name COMMAND program [argument...] [SECONDS n] [OPTIONS option...] [ALLOW_INCOMPLETE])
#
# A test that records a run of the program and fails on every problem that Heddle predicts from it, or with the program's own
# exit status. With SECONDS, `heddle hunt` runs the program for as long. OPTIONS go to `heddle run` or `heddle hunt`. An
# incomplete answer (exit status 3) fails, too; with ALLOW_INCOMPLETE the test counts as skipped then. The reports are in
# heddle/NAME in the build folder; a failed test carries them as attachments.
function(heddle_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 TEST "ALLOW_INCOMPLETE" "NAME;SECONDS" "COMMAND;OPTIONS")
  if(NOT TEST_NAME OR NOT TEST_COMMAND)
    message(FATAL_ERROR "heddle_add_test: NAME and COMMAND are needed")
  endif()
  if(TEST_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "heddle_add_test: unknown arguments ${TEST_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT HEDDLE_EXECUTABLE)
    message(FATAL_ERROR "heddle_add_test: the program heddle is not in PATH; set HEDDLE_EXECUTABLE")
  endif()
  list(POP_FRONT TEST_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  set(reports ${CMAKE_CURRENT_BINARY_DIR}/heddle/${TEST_NAME})
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/heddle)
  set(how run)
  set(page ${reports}/report.html)
  if(DEFINED TEST_SECONDS)
    set(how hunt --for=${TEST_SECONDS}s)
    set(page ${reports}/hunt.html)
  endif()
  add_test(NAME ${TEST_NAME}
           COMMAND ${HEDDLE_EXECUTABLE} ${how} ${TEST_OPTIONS} -o ${reports} -- ${program} ${TEST_COMMAND})
  set_tests_properties(${TEST_NAME} PROPERTIES ATTACHED_FILES_ON_FAIL "${page}")
  if(TEST_ALLOW_INCOMPLETE)
    set_tests_properties(${TEST_NAME} PROPERTIES SKIP_RETURN_CODE 3)
  endif()
endfunction()
