/* expect: race=no nondet=no deadlock=no unordered=no */
/* Letters that the C++ library looks up for both threads in one table, which it fills in as it goes. */
#include <cstdio>
#include <locale>
#include <thread>

static int spelled[2];

static void spell(int who, const char *text)
{
    const std::ctype<char> &letters = std::use_facet<std::ctype<char>>(std::locale());

    for (; *text; text++)
        spelled[who] += letters.narrow(*text, '\0') == *text;
}

int main()
{
    std::thread first(spell, 0, "some letters"), second(spell, 1, "and more of them");

    first.join();
    second.join();
    std::printf("%d\n", spelled[0] + spelled[1]);
    return spelled[0] + spelled[1] != 28;
}
