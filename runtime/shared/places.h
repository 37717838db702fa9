/* Places outside memory where threads meet: names of files, contents of files, variables of the environment.
 *
 * What a call finds there decides what its thread does next. So in the trace a look comes after the changes before it, and a
 * change after the looks before it: in every run predicted from the trace each call finds what it found. Both recorders
 * use this. */
#pragma once
#include "runtime/shared/channels.h"

/* A look; a change that does not find out what was there, so that changes need not come one after the other; any other
 * change. */
void place_look(uint64_t key, uintptr_t pc);
void place_overwrite(uint64_t key, uintptr_t pc);
void place_change(uint64_t key, uintptr_t pc);

/* Everything that was looked at or changed so far is changed. */
void place_change_all(uintptr_t pc);

/* The call comes after all changes of the place. */
void place_after_changes(uint64_t key, uintptr_t pc);

/* … of all places. */
void place_after_all(uintptr_t pc);

/* The content of the file with this device and number. */
uint64_t place_content(uint64_t device, uint64_t number);

/* A variable of the environment: up to the end of the text or to '='. */
uint64_t place_variable(const char *name);

/* The path as a text; then the same as a name in a folder. */
uint64_t place_path(const char *path);
uint64_t place_name(uint64_t device, uint64_t number, const char *path);

/* Copies the folder that the path leads to, or ".". False: there is no room, or the last part is no name of its own. All
 * spellings of a path have the same folder and last part. */
bool place_folder(const char *path, char *folder, size_t room);
