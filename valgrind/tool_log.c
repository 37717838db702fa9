/* The ring: appending records, handing full chunks to the recorder. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "grind_labels.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

static long grind_system_call(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/* The session takes the place of memory that Valgrind has set aside for the tool. */
static struct session *map_session(int fd)
{
    void *place = VG_(am_shadow_alloc)(sizeof(struct session));
    long at = grind_system_call(__NR_mmap, (long)place, sizeof(struct session), VKI_PROT_READ | VKI_PROT_WRITE,
                                VKI_MAP_SHARED | VKI_MAP_FIXED, fd, 0);

    return at == (long)place ? place : NULL;
}

void log_open(void)
{
    const HChar *number = VG_(getenv)(SESSION_BINARY_VARIABLE);
    struct session *session = NULL;
    HChar *end;

    if (number) {
        int fd = (int)VG_(strtoll10)(number, &end);
        session = *number && !*end ? map_session(fd) : NULL;
        VG_(close)(fd);
    }
    if (!session || session->magic != SESSION_MAGIC || session->bytes != sizeof *session) {
        VG_(fmsg)
        ("%s names no session: start the tool by heddle record --tool=valgrind\n", SESSION_BINARY_VARIABLE);
        VG_(exit)(1);
    }
    tool.session = session;
    tool.next_record = session->ring[0];
    tool.limit = tool.next_record + SESSION_CHUNK;
    tool.recording = True;
    session_store(&session->pid, (UInt)VG_(getpid)());
}

/* A chunk can be reused when the recorder has taken its previous content. */
void log_next_chunk(void)
{
    struct session *session = tool.session;
    uint64_t produced = session_load(&session->produced) + 1, consumed;

    session_store(&session->produced, produced);
    while (produced - (consumed = session_load(&session->consumed)) >= SESSION_CHUNKS)
        grind_system_call(__NR_futex, (long)&session->consumed, VKI_FUTEX_WAIT, (long)(UInt)consumed, 0, 0, 0);
    tool.next_record = session->ring[produced % SESSION_CHUNKS];
    tool.limit = tool.next_record + SESSION_CHUNK;
}

void log_append(ULong word, ULong pc, ULong value)
{
    if (tool.next_record == tool.limit)
        log_next_chunk();
    tool.next_record->value = value;
    tool.next_record->pc = pc;
    session_store(&tool.next_record->word, word);
    tool.next_record++;
}

static void tell(struct guest *guest, UInt path)
{
    if (tool.logged != guest->id + 1) {
        log_append(record_word(0, RECORD_THREAD, 0), 0, guest->id);
        tool.logged = guest->id + 1;
    }
    if (path != guest->told) {
        log_append(record_word(0, RECORD_STACK, 0), 0, path);
        guest->told = path;
    }
}

static Bool has_grounds(UInt kind)
{
    return kind <= RECORD_LAST_EVENT || kind == RECORD_NEW || kind == RECORD_END || kind == RECORD_FREE;
}

void log_record(struct guest *guest, UInt kind, Addr object, UInt size, ULong pc, ULong value)
{
    if (!tool.recording)
        return;
    tell(guest, kind <= RECORD_LAST_EVENT ? stacks_path_around(guest, pc & RECORD_ADDRESS) : guest->told);
    tool.current = 0; /* the library that the thread is in goes back to its caller without a word */
    if ((kind == RECORD_READ || kind == RECORD_WRITE) && guest == tool.guest)
        log_noted(object);
    log_append(record_word(object, kind, size), pc | (has_grounds(kind) ? labels_vouched(guest) : 0), value);
}

void log_access(struct guest *guest, ULong word, ULong pc, ULong value)
{
    tell(guest, stacks_path(guest));
    tool.current = tool.logged;
    log_append(word, pc, value);
}

void log_frame_end(struct guest *guest, Addr low, Addr end, Addr pc)
{
    if (!tool.recording)
        return;
    tell(guest, stacks_path_noted(guest));
    tool.current = 0;
    log_append(record_word(low, RECORD_FREE, FREED_FRAME),
               (pc & RECORD_ADDRESS) | (tool.session->grounds ? RECORD_GROUNDED : 0), end - low);
}

void log_path(UInt number, Addr back, UInt rest)
{
    log_append(record_word(number, RECORD_CALL, 0), back & RECORD_ADDRESS, rest);
}

void log_text(const HChar *text)
{
    SizeT length = VG_(strlen)(text);

    while (length > 0 && tool.recording) {
        ULong part[2] = {0, 0};
        UInt take = length < sizeof part ? (UInt)length : (UInt)sizeof part;
        VG_(memcpy)(part, text, take);
        log_append(record_word(0, RECORD_TEXT, take), part[0], part[1]);
        text += take;
        length -= take;
    }
}
