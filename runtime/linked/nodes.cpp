/* What the C++ library does to the nodes of std::map, std::set and std::list, as code with hooks: its own is
 * without, and nobody would see an insertion change what a search walks over. Programs that `heddle c++` links
 * find these functions first.
 *
 * The tree is a red-black tree as in the textbooks. Its header has the root as parent, and the leftmost and
 * rightmost nodes as children. */
#include <list>
#include <map>

using node = std::_Rb_tree_node_base;
using side = node *node::*;

static side other(side s)
{
    return s == &node::_M_left ? &node::_M_right : &node::_M_left;
}

static bool is_black(const node *x)
{
    return !x || x->_M_color == std::_S_black;
}

/* `y` goes where `x` hangs. */
static void hang_instead(const node *x, node *y, node *&root)
{
    if (root == x)
        root = y;
    else if (x->_M_parent->_M_left == x)
        x->_M_parent->_M_left = y;
    else
        x->_M_parent->_M_right = y;
}

/* The child of `x` on side `up` takes its place, `x` goes down on the other side. */
static void lift(node *x, side up, node *&root)
{
    side down = other(up);
    node *y = x->*up;

    x->*up = y->*down;
    if (x->*up)
        (x->*up)->_M_parent = x;
    y->_M_parent = x->_M_parent;
    hang_instead(x, y, root);
    y->*down = x;
    x->_M_parent = y;
}

static node *outermost(node *x, side s)
{
    while (x->*s)
        x = x->*s;
    return x;
}

/* The next node in order towards side `s`. After the last one comes the header, which the root has as parent
 * and the header has as parent's parent. */
static node *neighbour(node *x, side s)
{
    if (x->*s)
        return outermost(x->*s, other(s));
    node *y = x->_M_parent;
    while (x == y->*s) {
        x = y;
        y = y->_M_parent;
    }
    return x->*s == y ? x : y;
}

/* One black node too few on the way to `x`, which may be no node, below `parent`. */
static void fill_in(node *x, node *parent, node *&root)
{
    while (x != root && is_black(x)) {
        side s = x == parent->_M_left ? &node::_M_left : &node::_M_right, far = other(s);
        node *sibling = parent->*far;
        if (!is_black(sibling)) {
            sibling->_M_color = std::_S_black;
            parent->_M_color = std::_S_red;
            lift(parent, far, root);
            sibling = parent->*far;
        }
        if (is_black(sibling->_M_left) && is_black(sibling->_M_right)) {
            sibling->_M_color = std::_S_red;
            x = parent;
            parent = x->_M_parent;
            continue;
        }
        if (is_black(sibling->*far)) {
            (sibling->*s)->_M_color = std::_S_black;
            sibling->_M_color = std::_S_red;
            lift(sibling, s, root);
            sibling = parent->*far;
        }
        sibling->_M_color = parent->_M_color;
        parent->_M_color = std::_S_black;
        (sibling->*far)->_M_color = std::_S_black;
        lift(parent, far, root);
        break;
    }
    if (x)
        x->_M_color = std::_S_black;
}

namespace std
{
node *_Rb_tree_increment(node *x) noexcept
{
    return neighbour(x, &node::_M_right);
}

const node *_Rb_tree_increment(const node *x) noexcept
{
    return neighbour(const_cast<node *>(x), &node::_M_right);
}

node *_Rb_tree_decrement(node *x) noexcept
{
    if (x->_M_color == _S_red && x->_M_parent->_M_parent == x)
        return x->_M_right; /* from the header: the root is black */
    return neighbour(x, &node::_M_left);
}

const node *_Rb_tree_decrement(const node *x) noexcept
{
    return _Rb_tree_decrement(const_cast<node *>(x));
}

void _Rb_tree_insert_and_rebalance(const bool left, node *x, node *parent, node &header) noexcept
{
    node *&root = header._M_parent;

    x->_M_parent = parent;
    x->_M_left = x->_M_right = nullptr;
    x->_M_color = _S_red;
    if (parent == &header) {
        header._M_left = header._M_right = root = x;
    } else if (left) {
        parent->_M_left = x;
        if (header._M_left == parent)
            header._M_left = x;
    } else {
        parent->_M_right = x;
        if (header._M_right == parent)
            header._M_right = x;
    }
    while (x != root && !is_black(x->_M_parent)) {
        node *above = x->_M_parent->_M_parent;
        side s = x->_M_parent == above->_M_left ? &node::_M_left : &node::_M_right;
        node *uncle = above->*other(s);
        if (!is_black(uncle)) {
            x->_M_parent->_M_color = uncle->_M_color = _S_black;
            above->_M_color = _S_red;
            x = above;
            continue;
        }
        if (x != x->_M_parent->*s) {
            x = x->_M_parent;
            lift(x, other(s), root);
        }
        x->_M_parent->_M_color = _S_black;
        above->_M_color = _S_red;
        lift(above, s, root);
    }
    root->_M_color = _S_black;
}

node *_Rb_tree_rebalance_for_erase(node *const z, node &header) noexcept
{
    node *&root = header._M_parent;
    node *below, *parent; /* what moves up to where a node is missing, and what it hangs on then */
    auto missing = z->_M_color;

    if (z->_M_left && z->_M_right) { /* its successor takes its place */
        node *y = outermost(z->_M_right, &node::_M_left);
        below = y->_M_right;
        parent = y == z->_M_right ? y : y->_M_parent;
        if (parent != y) {
            parent->_M_left = below;
            if (below)
                below->_M_parent = parent;
            y->_M_right = z->_M_right;
            y->_M_right->_M_parent = y;
        }
        y->_M_left = z->_M_left;
        y->_M_left->_M_parent = y;
        hang_instead(z, y, root);
        y->_M_parent = z->_M_parent;
        missing = y->_M_color;
        y->_M_color = z->_M_color;
    } else {
        below = z->_M_left ? z->_M_left : z->_M_right;
        parent = z->_M_parent;
        if (below)
            below->_M_parent = parent;
        hang_instead(z, below, root);
        if (header._M_left == z)
            header._M_left = below ? outermost(below, &node::_M_left) : parent;
        if (header._M_right == z)
            header._M_right = below ? outermost(below, &node::_M_right) : parent;
    }
    if (missing == _S_black)
        fill_in(below, parent, root);
    return z;
}

namespace __detail
{
/* A node that has been given the links of `before` becomes the end of that list. */
static void take_over(_List_node_base &node, const _List_node_base &before)
{
    if (node._M_next == &before)
        node._M_next = node._M_prev = &node;
    else
        node._M_next->_M_prev = node._M_prev->_M_next = &node;
}

void _List_node_base::swap(_List_node_base &a, _List_node_base &b) noexcept
{
    std::swap(a._M_next, b._M_next);
    std::swap(a._M_prev, b._M_prev);
    take_over(a, b);
    take_over(b, a);
}

void _List_node_base::_M_hook(_List_node_base *const before) noexcept
{
    _M_next = before;
    _M_prev = before->_M_prev;
    _M_prev->_M_next = this;
    before->_M_prev = this;
}

void _List_node_base::_M_unhook() noexcept
{
    _M_prev->_M_next = _M_next;
    _M_next->_M_prev = _M_prev;
}

/* Takes [first, last) out of its list and puts it in front of this node. */
void _List_node_base::_M_transfer(_List_node_base *const first, _List_node_base *const last) noexcept
{
    if (this == last)
        return;
    _List_node_base *back = last->_M_prev;

    first->_M_prev->_M_next = last;
    last->_M_prev = first->_M_prev;
    first->_M_prev = _M_prev;
    _M_prev->_M_next = first;
    back->_M_next = this;
    _M_prev = back;
}

void _List_node_base::_M_reverse() noexcept
{
    _List_node_base *x = this;

    do {
        _List_node_base *after = x->_M_next;
        x->_M_next = x->_M_prev;
        x->_M_prev = after;
        x = after;
    } while (x != this);
}
} // namespace __detail
} // namespace std
