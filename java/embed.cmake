# Writes OUTPUT, a C file that holds the class files of the runtime.
# usage: cmake -DFOLDER=… -DOUTPUT=… -P embed.cmake
file(GLOB classes ${FOLDER}/heddle/runtime/*.class)
list(SORT classes)
set(arrays "")
set(table "")
set(number 0)
foreach(class ${classes})
  get_filename_component(name ${class} NAME_WLE)
  file(READ ${class} content HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," content "${content}")
  string(APPEND arrays "static const unsigned char class_${number}[] = {${content}};\n")
  string(APPEND table "    {\"heddle/runtime/${name}\", class_${number}, sizeof class_${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "/* Made by java/embed.cmake. */\n#include \"runtime_classes.h\"\n\n${arrays}
const struct runtime_class runtime_classes[] = {\n${table}    {0}};\n")
