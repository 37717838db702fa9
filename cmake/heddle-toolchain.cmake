# Builds a whole project for recording: cmake -DCMAKE_TOOLCHAIN_FILE=.../heddle-toolchain.cmake
find_program(CMAKE_C_COMPILER heddle-cc HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin ${CMAKE_CURRENT_LIST_DIR}/../../../../bin REQUIRED)
find_program(CMAKE_CXX_COMPILER heddle-c++ HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin ${CMAKE_CURRENT_LIST_DIR}/../../../../bin REQUIRED)
