#!/usr/bin/env python3
"""mutants.py BUILD FOLDER [NAME…]: leaves something out of what the recorders follow, one thing at a time, and sees that the
tests of random programs notice. Each mutant is one changed file of the gcc plugin, the runtime, the Java agent or the Valgrind
tool, built beside the others of BUILD, in FOLDER."""
import os
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
OUTPUTS = {"gcc": "runtime/heddle_gcc.so", "runtime/grounds": "runtime/libheddle-rt.so",
           "java/agent": "runtime/libheddle-java.so", "valgrind": "runtime/valgrind/heddle-amd64-linux"}
CHECKS = {"gcc": ("check_programs.py", 100), "runtime/grounds": ("check_programs.py", 100),
          "java/agent": ("check_java.py", 200), "valgrind": ("check_binaries.py", 100)}

# name, room, file, what is there once, what is there instead
MUTANTS = [
    ("gcc-phi", "gcc", "grounds.cc", "add_phi_arg(made, flow.label_of(gimple_phi_arg_def(phi, i)),",
     "add_phi_arg(made, i ? flow.label_of(gimple_phi_arg_def(phi, i)) : build_zero_cst(unsigned_type_node),"),
    ("gcc-argument", "gcc", "grounds.cc", "set_word(&before, WORD_ARGUMENTS, i, in_register ? label",
     "set_word(&before, WORD_ARGUMENTS, i, in_register && i != 1 ? label"),
    ("gcc-mask", "gcc", "ground_code.cc", "gimple_build_assign(name, BIT_AND_EXPR, label, mask)",
     "gimple_build_assign(name, BIT_IOR_EXPR, label, label)"),
    ("gcc-narrow", "gcc", "ground_code.cc",
     "if (TYPE_PRECISION(target) < TYPE_PRECISION(source))\n        return without_bits(code, label, LABEL_EQUAL);",
     "if (TYPE_PRECISION(target) < TYPE_PRECISION(source))\n        return label;"),
    ("gcc-part", "gcc", "ground_code.cc", "    decide(code, block, gimple_call_arg(both, 1));\n", ""),
    ("runtime-last", "runtime/grounds", "labelled.c", "return RECORD_LAST_DECIDES;", "return 0;"),
    ("runtime-made", "runtime/grounds", "labelled.c", "    *bits |= RECORD_MADE;\n    return (uint64_t)label_distance(",
     "    return (uint64_t)label_distance("),
    ("runtime-decision", "runtime/grounds", "labelled.c", "waiting--;\n    *bits |= RECORD_MADE;\n", "waiting--;\n"),
    ("runtime-union", "runtime/grounds", "labelled.c", "return union_told(made - 1, (uint32_t)r->word, (uint32_t)r->value);",
     "return union_told(made - 1, (uint32_t)r->word, (uint32_t)r->word);"),
    ("runtime-mark", "runtime/grounds", "taint.c", "    if (label)\n        mark_labelled(address, length);\n", ""),
    ("java-operand", "java/agent", "flow_steps.c", "return (struct flow_value){a.of | b.of, LEVEL_MIXED};",
     "return (struct flow_value){a.of | (b.of & 0), LEVEL_MIXED};"),
    ("java-merge", "java/agent", "flow.c", "return (struct flow_value){a.of | b.of, LEVEL_MIXED};",
     "return (struct flow_value){a.of, LEVEL_MIXED};"),
    ("java-index", "java/agent", "flow_uses.c", "return flow_of(f, number, slots) | flow_of(f, number, slots + 1) |",
     "return flow_of(f, number, slots + 1) |"),
    ("java-argument", "java/agent", "hook_grounds.c", "        if (value.of == 0)\n            continue;\n        if (i >=",
     "        if (value.of == 0 || i == 1)\n            continue;\n        if (i >="),
    ("valgrind-union", "valgrind", "grind_labels.c", "return other == 0 ? one : unite(tool.guest, (UInt)one, (UInt)other);",
     "return one;"),
    ("valgrind-address", "valgrind", "grind_labels.c", "    if (address_label)\n        decide(g, (UInt)address_label);\n",
     ""),
    ("valgrind-condition", "valgrind", "label_flow.c", "flow_decide_condition(st->Ist.Exit.guard);", ""),
    ("valgrind-choice", "valgrind", "label_flow.c", "return flow_union(flow_label(e->Iex.ITE.cond), chosen);", "return chosen;"),
    ("valgrind-size", "valgrind", "label_flow.c", "if (flow_is_plain(label) || size == WORD)",
     "if (flow_is_plain(label) || size)"),
    ("valgrind-arguments", "valgrind", "known_calls.c",
     "for (UInt i = 0; i < call->arguments; i++)\n        labels_decide_register",
     "for (UInt i = 1; i < call->arguments; i++)\n        labels_decide_register"),
]


def commands(build, output):
    done = subprocess.run(["ninja", "-C", build, "-t", "commands", output], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def rebuild(build, folder, room, file):
    """Compiles the changed copy as the original is compiled, and links it with the other objects of the build."""
    original, copy = os.path.join(SOURCE, room, file), os.path.join(folder, "source", room, file)
    output, made = OUTPUTS[room], os.path.join(folder, OUTPUTS[room])
    lines = [line for line in commands(build, output) if original in line or " -o %s " % output in line]
    obj = None
    for line in lines:
        line = line.replace("-Werror", "-w -iquote " + shlex.quote(os.path.join(SOURCE, room)))
        words = line.split()
        if original in line and " -c " in line:
            obj = words[words.index("-o") + 1]
            line = line.replace(original, copy).replace(obj, os.path.join(folder, "changed.o"))
        else:
            line = line.replace(os.path.join(build, output), made).replace(" -o " + output, " -o " + made)
            line = line.replace(obj, os.path.join(folder, "changed.o")) if obj else line.replace(original, copy)
        subprocess.run(["sh", "-c", line], cwd=build, check=True)


def change(folder, room, file, there, instead):
    shutil.rmtree(os.path.join(folder, "source"), ignore_errors=True)
    os.makedirs(os.path.join(folder, "source", os.path.dirname(room)), exist_ok=True)
    shutil.copytree(os.path.join(SOURCE, room), os.path.join(folder, "source", room))
    if not room.startswith("runtime"):
        os.symlink(os.path.join(SOURCE, "runtime"), os.path.join(folder, "source", "runtime"))
    path = os.path.join(folder, "source", room, file)
    with open(path) as old:
        text = old.read()
    if text.count(there) != 1:
        sys.exit("mutants.py: %s/%s has %d places for: %s" % (room, file, text.count(there), there))
    with open(path, "w") as new:
        new.write(text.replace(there, instead))


def is_noticed(folder, room):
    """The check must fail because of a program, not because it cannot run."""
    name, count = CHECKS[room]
    os.makedirs(os.path.join(folder, "programs"), exist_ok=True)
    done = subprocess.run([sys.executable, os.path.join(HERE, name), os.path.join(folder, "heddle"),
                           os.path.join(folder, "programs"), str(count), "1"], capture_output=True, text=True)
    print(done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr.strip())
    return done.returncode == 1 and done.stdout.startswith("program ") and ": status " not in done.stdout


def main():
    build, folder, names = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]
    missed = []
    for name, room, file, there, instead in MUTANTS:
        if names and name not in names or not os.path.exists(os.path.join(build, OUTPUTS[room])):
            continue
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        shutil.copytree(os.path.join(build, "runtime"), os.path.join(folder, "runtime"), symlinks=True,
                        ignore=shutil.ignore_patterns("CMakeFiles"))
        shutil.copy(os.path.join(build, "heddle"), folder)
        change(folder, room, file, there, instead)
        rebuild(build, folder, room, file)
        print(name, end=": ", flush=True)
        if not is_noticed(folder, room):
            missed.append(name)
    print("missed: " + ", ".join(missed) if missed else "all noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
