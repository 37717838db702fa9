/* Objects that are made where they go to, copied into calls, thrown past and returned: what one thread makes of
 * each the other one looks at. With -DLOCKED under a lock, else racing. */
#include <cstdio>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#ifdef __clang__
#define NOT_INLINED __attribute__((noinline))
#else
#define NOT_INLINED __attribute__((noipa))
#endif

struct plain {
    long a[5];
};

/* Knows where it is, and may be copied bit by bit: it must be made in place. */
struct placed {
    placed *self;
    long value[4];
    explicit placed(long v) : self(this), value{v, v, v, v}
    {
    }
};

/* The last bytes of a base may hold a member of the class derived from it. */
class base
{
  public:
    base() = default;
    base(const base &) = default;
    base &operator=(const base &) = default;
    long first = 1;

  private:
    [[maybe_unused]] char last = 2;
};
struct derived : base {
    char tail = 3;
    long more[3] = {};
};

[[maybe_unused]] static std::mutex lock;
static plain from_temporary, from_named, from_branches, after_exception;
static std::optional<plain> from_optional;
static std::pair<plain, int> from_pair;
static std::string text;
static std::vector<plain> list;
static plain taken;
static derived sliced;
alignas(placed) static unsigned char room[sizeof(placed)];
static placed *made_in_place = reinterpret_cast<placed *>(room);

static NOT_INLINED plain give(long v)
{
    return plain{{v, v, v, v, v}};
}

static NOT_INLINED plain give_named(long v)
{
    plain made{};
    for (long i = 0; i < 5; i++)
        made.a[i] = v + i;
    return made;
}

static NOT_INLINED plain give_either(long v)
{
    plain one{{v}}, other{{-v}};
    if (v > 2)
        return one;
    return other;
}

static NOT_INLINED plain give_or_throw(long v)
{
    plain made{{v}};
    if (v > 2)
        throw std::runtime_error("too much");
    return made;
}

static NOT_INLINED placed give_placed(long v)
{
    placed made(v);
    made.value[1] = v + 1;
    return made;
}

static NOT_INLINED std::optional<plain> give_perhaps(long v)
{
    if (v > 2)
        return give_named(v);
    return std::nullopt;
}

static NOT_INLINED std::string give_text(const char *tail)
{
    std::string made("a text that is too long to be kept inside");
    made += tail;
    return made;
}

static NOT_INLINED long take(plain value)
{
    return value.a[0];
}

static NOT_INLINED long take_base(base value)
{
    return value.first;
}

static void make()
{
#ifdef LOCKED
    std::lock_guard<std::mutex> guard(lock);
#endif
    from_temporary = give(3);
    from_named = give_named(3);
    from_branches = give_either(3);
    try {
        after_exception = give_or_throw(3);
    } catch (const std::exception &) {
        after_exception = give_or_throw(1);
    }
    from_optional = give_perhaps(3);
    from_pair = {give(4), 5};
    new (made_in_place) placed(give_placed(3));
    text = give_text("!");
    list.push_back(give(3));
    taken.a[0] = 3;
    sliced.first = 3;
    sliced.tail = 4;
}

static void look(long *sum)
{
    long s = 0;
#ifdef LOCKED
    std::lock_guard<std::mutex> guard(lock);
#endif
    s += from_temporary.a[0] + from_named.a[1] + from_branches.a[0] + after_exception.a[0];
    s += from_optional.has_value();
    s += from_pair.first.a[0];
    s += made_in_place->value[1];
    s += static_cast<long>(text.size());
    s += static_cast<long>(list.size());
    s += take(taken);
    s += take_base(sliced);
    *sum += s;
}

/* One thread copies the base while the other writes what lies behind it: they share no member. */
[[maybe_unused]] static void neighbours()
{
    long sum = 0;
    std::thread taking([&sum] {
        base copied = sliced, assigned;
        assigned = sliced;
        sum += take_base(sliced) + take_base(copied) + take_base(assigned);
    });
    sliced.tail++;
    taking.join();
}

int main()
{
    long sum = 0;
#if defined LOCKED && !defined __clang__ /* clang hooks what lies behind it as well */
    neighbours();
#endif
    std::thread looking(look, &sum), making(make);
    looking.join();
    making.join();
    std::printf("%d %ld %ld %s\n", made_in_place->self == made_in_place, after_exception.a[0],
                from_optional->a[4], text.c_str());
    return sum == -1;
}
