/* Fails, shortens, interrupts or ends the process at the system call it is told to. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "fault_shim.h"

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "the registers of system calls are known for x86-64 and 64-bit ARM"
#endif

static const struct {
    int number;
    enum call_kind kind;
} known[] = {
    {SYS_read, CALL_READ},       {SYS_pread64, CALL_READ},    {SYS_readv, CALL_READ},
    {SYS_write, CALL_WRITE},     {SYS_pwrite64, CALL_WRITE},  {SYS_writev, CALL_WRITE},
    {SYS_openat, CALL_OPEN},     {SYS_close, CALL_CLOSE},     {SYS_fsync, CALL_SYNC},
    {SYS_fdatasync, CALL_SYNC},  {SYS_renameat, CALL_RENAME}, {SYS_renameat2, CALL_RENAME},
    {SYS_unlinkat, CALL_REMOVE}, {SYS_mkdirat, CALL_MKDIR},   {SYS_mmap, CALL_MAP},
    {SYS_fstat, CALL_STAT},      {SYS_newfstatat, CALL_STAT}, {SYS_statx, CALL_STAT},
    {SYS_faccessat, CALL_STAT},  {SYS_lseek, CALL_SEEK},      {SYS_getdents64, CALL_LIST},
    {SYS_flock, CALL_LOCK},      {SYS_fchmod, CALL_CHANGE},   {SYS_ftruncate, CALL_CHANGE},
    {SYS_readlinkat, CALL_STAT},
#ifdef SYS_open
    {SYS_open, CALL_OPEN},       {SYS_creat, CALL_OPEN},      {SYS_rename, CALL_RENAME},
    {SYS_unlink, CALL_REMOVE},   {SYS_mkdir, CALL_MKDIR},     {SYS_stat, CALL_STAT},
    {SYS_lstat, CALL_STAT},      {SYS_access, CALL_STAT},     {SYS_readlink, CALL_STAT},
#endif
};

static const char *const kind_name[CALL_KINDS] = {"read",   "write",  "open",  "close", "sync",
                                                  "rename", "remove", "mkdir", "map",   "stat",
                                                  "seek",   "list",   "lock",  "change"};

enum { KNOWN = sizeof known / sizeof *known, KIND_ANY = CALL_KINDS, KIND_NONE };

static int chosen_kind = KIND_NONE, chosen_error, kills, later;
static uint64_t chosen_place;
static long short_seed, eintr_seed;

/* The one place whose system calls the filter lets pass. */
#if defined(__x86_64__)
__asm__(".text\n.hidden fault_gate\n.globl fault_gate\n.type fault_gate, @function\nfault_gate:\n"
        "mov %rdi, %rax\nmov %rsi, %rdi\nmov %rdx, %rsi\nmov %rcx, %rdx\nmov %r8, %r10\nmov %r9, %r8\n"
        "mov 8(%rsp), %r9\nsyscall\n.hidden fault_gate_passed\n.globl "
        "fault_gate_passed\nfault_gate_passed:\nret\n");
#else
__asm__(".text\n.hidden fault_gate\n.globl fault_gate\n.type fault_gate, %function\nfault_gate:\n"
        "mov x8, x0\nmov x0, x1\nmov x1, x2\nmov x2, x3\nmov x3, x4\nmov x4, x5\nmov x5, x6\nsvc #0\n"
        ".hidden fault_gate_passed\n.globl fault_gate_passed\nfault_gate_passed:\nret\n");
#endif
extern char fault_gate_passed[];

static uint64_t draw(long seed, uint64_t place)
{
    uint64_t x = ((uint64_t)seed << 32) + place * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static enum call_kind kind_of(long number)
{
    for (size_t i = 0; i < KNOWN; i++)
        if (known[i].number == number)
            return known[i].kind;
    return CALL_KINDS;
}

static bool is_vector(long number)
{
    return number == SYS_readv || number == SYS_writev;
}

/* In the midst of a write: some of it is there. */
static void end_here(long number, enum call_kind kind, const long *a)
{
    if (kind == CALL_WRITE && !is_vector(number) && a[2] > 1)
        fault_gate(number, a[0], a[1], a[2] / 2, a[3], a[4], a[5]);
    fault_gate(SYS_kill, fault_gate(SYS_getpid, 0, 0, 0, 0, 0, 0), SIGKILL, 0, 0, 0, 0);
}

/* A close that fails has closed. */
static long fail_call(long number, enum call_kind kind, const long *a, int error)
{
    if (kind == CALL_CLOSE)
        fault_gate(number, a[0], 0, 0, 0, 0, 0);
    return -error;
}

/* The length of a read or write that is cut short: one byte in a quarter of cases. */
static long shortened(long length, uint64_t random)
{
    return random % 4 == 0 ? 1 : 1 + (long)((random >> 8) % (uint64_t)length);
}

static bool can_interrupt(enum call_kind kind)
{
    return kind == CALL_READ || kind == CALL_WRITE || kind == CALL_OPEN || kind == CALL_CLOSE ||
           kind == CALL_SYNC;
}

static long with_faults(long number, long *a)
{
    enum call_kind kind = kind_of(number);
    bool told = kind != CALL_OPEN && kind != CALL_RENAME && a[0] == STDERR_FILENO &&
                (kind == CALL_WRITE || kind == CALL_CLOSE || kind == CALL_STAT);
    uint64_t place = atomic_fetch_add(&fault_count->any, 1) + 1;
    if (kind < CALL_KINDS && !told) {
        uint64_t of_kind = atomic_fetch_add(&fault_count->call[kind], 1) + 1;
        uint64_t counted = chosen_kind == KIND_ANY ? place : of_kind;
        if ((chosen_kind == KIND_ANY || chosen_kind == (int)kind) &&
            (counted == chosen_place || (later && counted > chosen_place))) {
            atomic_fetch_add(&fault_count->fired, 1);
            if (kills)
                end_here(number, kind, a);
            return fail_call(number, kind, a, chosen_error);
        }
    }
    uint64_t random = draw(short_seed ^ eintr_seed, place);
    if (eintr_seed != 0 && can_interrupt(kind) && (random >> 40) % 8 == 0) {
        atomic_fetch_add(&fault_count->fired, 1);
        return fail_call(number, kind, a, EINTR);
    }
    if (short_seed != 0 && (kind == CALL_READ || kind == CALL_WRITE) && !is_vector(number) && a[2] > 1) {
        atomic_fetch_add(&fault_count->fired, 1);
        a[2] = shortened(a[2], random);
    }
    return fault_gate(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void caught(int signal_number, siginfo_t *about, void *state)
{
    ucontext_t *context = state;
    int kept = errno;
    (void)signal_number;
#if defined(__x86_64__)
    greg_t *r = context->uc_mcontext.gregs;
    long a[6] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
    r[REG_RAX] = with_faults(about->si_syscall, a);
#else
    unsigned long long *r = context->uc_mcontext.regs;
    long a[6] = {(long)r[0], (long)r[1], (long)r[2], (long)r[3], (long)r[4], (long)r[5]};
    r[0] = (unsigned long long)with_faults(about->si_syscall, a);
#endif
    errno = kept;
}

/* Everything from the gate passes; the known calls elsewhere trap, but for maps of memory that is no file. */
static bool install(void)
{
    uint64_t gate = (uint64_t)(uintptr_t)fault_gate_passed;
    struct sock_filter filter[KNOWN + 16];
    unsigned short n = 0;
#define AT(field) (uint32_t) offsetof(struct seccomp_data, field)
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, AT(instruction_pointer));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)gate, 0, 3);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, AT(instruction_pointer) + 4);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(gate >> 32), 0, 1);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, AT(nr));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, AT(args[4]));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, UINT32_MAX, KNOWN + 1, 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, AT(nr));
    for (size_t i = 0; i < KNOWN; i++)
        filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)known[i].number,
                                                   (uint8_t)(KNOWN - i), 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    struct sock_fprog program = {n, filter};
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_NODEFER};
    action.sa_sigaction = caught;
    return sigaction(SIGSYS, &action, NULL) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* A thread that blocked SIGSYS would end the process at its first call. */
__attribute__((visibility("default"))) int pthread_sigmask(int how, const sigset_t *newmask, sigset_t *oldmask)
{
    sigset_t open;
    if (newmask != NULL) {
        open = *newmask;
        if (how != SIG_UNBLOCK)
            sigdelset(&open, SIGSYS);
        newmask = &open;
    }
    return sigprocmask(how, newmask, oldmask) == 0 ? 0 : errno;
}

void fault_calls_start(void)
{
    const char *kind = getenv("FAULT_CALL");
    if (kind != NULL && strcmp(kind, "any") == 0)
        chosen_kind = KIND_ANY;
    for (int i = 0; kind != NULL && i < CALL_KINDS; i++)
        if (strcmp(kind, kind_name[i]) == 0)
            chosen_kind = i;
    chosen_place = (uint64_t)fault_number("FAULT_NTH", 0);
    chosen_error = (int)fault_number("FAULT_ERRNO", EIO);
    kills = fault_number("FAULT_KILL", 0) != 0;
    later = fault_number("FAULT_LATER", 0) != 0;
    short_seed = fault_number("FAULT_SHORT", 0);
    eintr_seed = fault_number("FAULT_EINTR", 0);
    if (fault_number("FAULT_CALLS", 1) != 0 && install())
        atomic_store(&fault_count->ready, 1);
}
