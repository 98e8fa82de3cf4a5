/* Finds AMD GPU code in files, from their bytes alone: does a file serve a card, what has it for which target.
 *
 * This is a small verdict: a code object that the card's loader takes is in the file, or not. Nothing is executed or
 * loaded, and nothing beside the file is asked: not the catalogs that lead rocBLAS to a kernel, not the libraries that
 * it is linked with. `rocm-audit --gpu` asks these.
 *
 * No function keeps an address of the caller's, and all may be called from several threads. Memory that inflating takes is
 * bounded: at most 136 MiB at once over all threads, which wait for each other. A file that is mapped has to stay as it
 * is during a call. A mistake of the library's ends the process; it never unwinds into the caller. */
#ifndef AMDGPU_OBJECT_H
#define AMDGPU_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is damaged, of a form that is not opened (a wheel, a zip), or compiled elsewhere (SPIR-V, LLVM bitcode) is not
 * known, and so is a file without any GPU code: nothing in it depends on the card. */
enum amdgpu_answer {
    AMDGPU_NOT_KNOWN = 0,
    AMDGPU_YES = 1, /* a code object with kernels that the card loads is in the file, which was read whole */
    AMDGPU_NO = 2   /* the file has code objects, was read whole, and the card loads none of them */
};

/* A file that was read. */
typedef struct amdgpu_file amdgpu_file;

/* The version of the library, such as "0.1.0". */
const char *amdgpu_version(void);

/* Does this file serve this card? `bytes` is the whole file, `card` a target ID such as "gfx1030" or "gfx90a:xnack-"; a
 * feature that it does not state fits both states. Returns an amdgpu_answer. The reason, a clause in English as UTF-8, is
 * written to `reason`, with a zero at its end, cut to fit; it may be NULL. */
int amdgpu_serves(const uint8_t *bytes, size_t size, const char *card, char *reason, size_t reason_size);

/* Reads a file, for questions about several cards and its document. `bytes` may be freed afterwards. Free the result. */
amdgpu_file *amdgpu_read(const uint8_t *bytes, size_t size);

/* As amdgpu_serves. */
int amdgpu_file_serves(const amdgpu_file *file, const char *card, char *reason, size_t reason_size);

/* Targets and kernels as JSON, as docs/embedding.md describes it; lives as long as the file. */
const char *amdgpu_file_json(const amdgpu_file *file);

/* Frees a file; NULL is allowed. */
void amdgpu_free(amdgpu_file *file);

#ifdef __wasm__
/* Memory of the module for a caller outside of it; zero if there is not enough. */
uint8_t *amdgpu_alloc(size_t size);
void amdgpu_dealloc(uint8_t *at, size_t size);
#endif

#ifdef __cplusplus
}
#endif

#endif
