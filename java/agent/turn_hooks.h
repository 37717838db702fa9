/* Hooks of machines in which tests run along schedules (runtime/heddle/runtime/Turns.java): before each step that other
 * threads might see, the thread asks whether to go on; what blocks is done by the runtime. Nothing is recorded. */
#pragma once
#include "hook_sites.h"

/* Whether the class has such hooks although it belongs to the JDK; whether it is part of a tool that runs tests and has none. */
bool turns_in_jdk(struct span name);
bool turns_spare(struct span name);

/* At the start of a method; where it is left. */
void turns_enter(struct method_work *m, bool synchronized, bool initializer);
void turns_leave(struct method_work *m, bool synchronized, bool initializer);

/* An instruction that names a field or a method; in front of `whole`, `this` is not initialized. Any other. Both copy it, or put
 * something in its place. */
void turns_member(struct method_work *m, size_t at, const struct member *member, size_t whole);
void turns_instruction(struct method_work *m, size_t at);
