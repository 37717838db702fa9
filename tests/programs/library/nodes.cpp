/* Random changes of sets and lists, compared with vectors and, for the trees, with the library's own check of
 * what makes a red-black tree. Prints the seed when something differs. usage: nodes SEED */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <set>
#include <vector>

using tree = std::_Rb_tree<int, int, std::_Identity<int>, std::less<int>>;

static void check(bool good, const char *what, const char *seed)
{
    if (good)
        return;
    std::printf("seed %s: %s\n", seed, what);
    std::exit(1);
}

static void change_tree(tree &t, std::vector<int> &like, int key, const char *seed)
{
    auto at = std::lower_bound(like.begin(), like.end(), key);
    bool there = at != like.end() && *at == key;

    if (std::rand() % 100 < 55) {
        check(t._M_insert_unique(key).second == !there, "an insertion", seed);
        if (!there)
            like.insert(at, key);
    } else {
        check(t.erase(key) == (there ? 1 : 0), "an erasure", seed);
        if (there)
            like.erase(at);
    }
    check(t.__rb_verify(), "the colours", seed);
    check(std::equal(t.begin(), t.end(), like.begin(), like.end()), "the order", seed);
    check(std::equal(t.rbegin(), t.rend(), like.rbegin(), like.rend()), "the order backwards", seed);
}

struct lists {
    std::list<int> real;
    std::vector<int> like;
};

static void change_lists(lists &a, lists &b, int value)
{
    size_t at = a.like.empty() ? 0 : std::rand() % a.like.size(),
           end = at + std::rand() % (a.like.size() - at + 1);
    size_t to = std::rand() % (b.like.size() + 1);

    switch (std::rand() % 6) {
    case 0:
        a.real.push_back(value);
        a.like.push_back(value);
        break;
    case 1:
        a.real.push_front(value);
        a.like.insert(a.like.begin(), value);
        break;
    case 2:
        if (a.like.empty())
            break;
        a.real.erase(std::next(a.real.begin(), at));
        a.like.erase(a.like.begin() + at);
        break;
    case 3:
        a.real.reverse();
        std::reverse(a.like.begin(), a.like.end());
        break;
    case 4:
        a.real.swap(b.real);
        a.like.swap(b.like);
        break;
    default:
        b.real.splice(std::next(b.real.begin(), to), a.real, std::next(a.real.begin(), at),
                      std::next(a.real.begin(), end));
        b.like.insert(b.like.begin() + to, a.like.begin() + at, a.like.begin() + end);
        a.like.erase(a.like.begin() + at, a.like.begin() + end);
    }
}

static void check_list(const lists &l, const char *seed)
{
    check(l.real.size() == l.like.size() && std::equal(l.real.begin(), l.real.end(), l.like.begin()), "a list",
          seed);
    check(std::equal(l.real.rbegin(), l.real.rend(), l.like.rbegin()), "a list backwards", seed);
}

int main(int argc, char **argv)
{
    const char *seed = argc > 1 ? argv[1] : "1";

    std::srand(std::atoi(seed));
    for (int round = 0; round < 60; round++) {
        int range = 1 + std::rand() % 120;
        tree t;
        std::vector<int> like;
        lists a, b;
        for (int i = 0; i < 300; i++) {
            change_tree(t, like, std::rand() % range, seed);
            change_lists(a, b, i);
            check_list(a, seed);
            check_list(b, seed);
        }
        a.real.sort();
        std::sort(a.like.begin(), a.like.end());
        check_list(a, seed);
    }
    return 0;
}
