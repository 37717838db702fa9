# HEDDLE_COMMIT: the commit that is built. A source tarball carries it in commit.txt, where git has put it; a clone is asked.
set(HEDDLE_COMMIT "")
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/commit.txt commit_line LIMIT_COUNT 1)
if(commit_line MATCHES "^([0-9a-f]+) ")
  set(HEDDLE_COMMIT ${CMAKE_MATCH_1})
elseif(EXISTS ${PROJECT_SOURCE_DIR}/.git)
  find_package(Git QUIET)
  if(GIT_FOUND)
    execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --short HEAD WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                    OUTPUT_VARIABLE HEDDLE_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(EXISTS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD) # changes with every commit and checkout
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
  endif()
endif()
