#!/usr/bin/env python3
"""Runs the `run` steps of a composite GitHub action one after the other, as a runner would; steps that use other actions are
printed. Expressions know inputs, outputs of steps, and what the arguments set (name=value).
usage: run_action.py ACTION WORKSPACE [NAME=VALUE…]"""
import os
import re
import subprocess
import sys
import tempfile

import yaml

action_file, workspace = os.path.abspath(sys.argv[1]), sys.argv[2]
values = dict(argument.split("=", 1) for argument in sys.argv[3:])
action = yaml.safe_load(open(action_file, encoding="utf-8"))
for name, how in action["inputs"].items():
    if how.get("required") and f"inputs.{name}" not in values:
        sys.exit(f"run_action: input {name} is required")
    values.setdefault(f"inputs.{name}", str(how.get("default", "")))
values["github.action_path"] = os.path.dirname(action_file)
failed = False


def value_of(word):
    if word.startswith("'"):
        return word[1:-1]
    return values.get(word, "")


def holds(term):
    if term == "always()":
        return True
    left, sign, right = re.fullmatch(r"(\S+) (==|!=) (\S+)", term).groups()
    return (value_of(left) == value_of(right)) == (sign == "==")


def fill(text):
    return re.sub(r"\$\{\{ *(\S+) *\}\}", lambda m: value_of(m[1]), str(text))


def wanted(step):
    condition = re.sub(r"^\$\{\{ *(.*?) *\}\}$", r"\1", step.get("if", ""))
    terms = condition.split(" && ") if condition else []
    return all(map(holds, terms)) and ("always()" in terms or not failed)


with tempfile.TemporaryDirectory() as folder:
    files = {name: os.path.join(folder, name) for name in ("GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for path in files.values():
        open(path, "w", encoding="utf-8").close()
    search = os.environ["PATH"]
    for step in action["runs"]["steps"]:
        if not wanted(step):
            print(f"-- {step['name']}: skipped", flush=True)
            continue
        print(f"-- {step['name']}", flush=True)
        if "uses" in step:
            print("   uses", step["uses"], {k: fill(v) for k, v in step["with"].items()}, flush=True)
            continue
        environment = {**os.environ, **files, "PATH": search, **{k: fill(v) for k, v in step.get("env", {}).items()}}
        where = os.path.join(workspace, fill(step.get("working-directory", ".")))
        done = subprocess.run([step["shell"], "-e", "-c", fill(step["run"])], cwd=where, env=environment, check=False)
        failed = failed or done.returncode != 0
        search = ":".join([*open(files["GITHUB_PATH"], encoding="utf-8").read().split(), os.environ["PATH"]])
        for line in open(files["GITHUB_OUTPUT"], encoding="utf-8"):
            name, text = line.rstrip("\n").split("=", 1)
            values[f"steps.{step.get('id')}.outputs.{name}"] = text
sys.exit(1 if failed else 0)
