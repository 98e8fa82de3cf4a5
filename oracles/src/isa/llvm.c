/* Ask libLLVM's disassembler about AMDGPU words.
 *
 * llvm LIBRARY PROCESSOR FEATURES: reads records from stdin (one length byte, 1 to 20, then that many bytes of code) and
 * answers each on stdout: one byte of size (0 = no instruction, 255 = LLVM crashed on these bytes), two bytes of text length
 * (the lower first), the text. Answers are flushed before each blocking read.
 *
 * LLVM 22 crashes on some words (a select field of 7 in SDWA, truncated literals); each question is guarded, and the
 * disassembler made anew after a crash. */
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INPUT = 1 << 18, OUTPUT = 1 << 16, LONGEST = 20, TEXT = 1024, CRASHED = 255 };

static sigjmp_buf guard;
static volatile sig_atomic_t guarded;
static char stack[1 << 16];

static void on_signal(int number) {
    if (guarded) siglongjmp(guard, 1);
    signal(number, SIG_DFL);
    raise(number);
}

static void *symbol(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found) { fprintf(stderr, "llvm: no %s in the library\n", name); exit(2); }
    return found;
}

static unsigned char output[OUTPUT];
static size_t filled;

static void flush(void) {
    for (size_t done = 0; done < filled;) {
        ssize_t count = write(1, output + done, filled - done);
        if (count <= 0) exit(3);
        done += (size_t)count;
    }
    filled = 0;
}

static void answer(size_t size, const char *text) {
    if (filled + 3 + TEXT > OUTPUT) flush();
    unsigned char *head = output + filled;
    text += strspn(text, " \t");
    size_t length = strnlen(text, TEXT);
    memcpy(head + 3, text, length);
    head[0] = (unsigned char)size;
    head[1] = (unsigned char)length;
    head[2] = (unsigned char)(length >> 8);
    filled += 3 + length;
}

int main(int count, char **arguments) {
    if (count != 4) { fprintf(stderr, "llvm LIBRARY PROCESSOR FEATURES\n"); return 2; }
    void *library = dlopen(arguments[1], RTLD_NOW);
    if (!library) { fprintf(stderr, "llvm: %s\n", dlerror()); return 2; }
    ((void (*)(void))symbol(library, "LLVMInitializeAMDGPUTargetInfo"))();
    ((void (*)(void))symbol(library, "LLVMInitializeAMDGPUTargetMC"))();
    ((void (*)(void))symbol(library, "LLVMInitializeAMDGPUDisassembler"))();
    typedef void *(*Create)(const char *, const char *, const char *, void *, int, void *, void *);
    typedef size_t (*Ask)(void *, uint8_t *, uint64_t, uint64_t, char *, size_t);
    Create create = (Create)symbol(library, "LLVMCreateDisasmCPUFeatures");
    Ask ask = (Ask)symbol(library, "LLVMDisasmInstruction");
    void *volatile context = create("amdgcn-amd-amdhsa", arguments[2], arguments[3], 0, 0, 0, 0);
    if (!context) { fprintf(stderr, "llvm: no disassembler for %s\n", arguments[2]); return 2; }

    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternate, 0);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_NODEFER | SA_ONSTACK};
    const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, 0);

    static unsigned char input[INPUT];
    static char text[TEXT];
    volatile size_t start = 0, end = 0;
    for (;;) {
        while (start < end) {
            size_t length = input[start];
            if (length == 0 || length > LONGEST) { fprintf(stderr, "llvm: a record of %zu bytes\n", length); return 2; }
            if (end - start < 1 + length) break;
            uint8_t words[LONGEST];
            memcpy(words, input + start + 1, length);
            start += 1 + length;
            text[0] = 0;
            if (sigsetjmp(guard, 0)) {
                guarded = 0;
                answer(CRASHED, "");
                context = create("amdgcn-amd-amdhsa", arguments[2], arguments[3], 0, 0, 0, 0);
                continue;
            }
            guarded = 1;
            size_t size = ask(context, words, length, 0, text, sizeof text);
            guarded = 0;
            answer(size, size ? text : "");
        }
        flush();
        memmove(input, input + start, end - start);
        end -= start;
        start = 0;
        ssize_t more = read(0, input + end, INPUT - end);
        if (more <= 0) return more < 0;
        end += (size_t)more;
    }
}
