/* Strings as code with hooks: the C++ library keeps its own instance of their functions, whose accesses nobody
 * would see. Programs that `heddle c++` links find this one first. */
#include <string>

template class std::basic_string<char>;
template class std::basic_string<wchar_t>;
