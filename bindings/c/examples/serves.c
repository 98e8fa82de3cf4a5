/* serves CARD FILE...: whether each file serves the card, and what is in it. */
#include "amdgpu_object.h"
#include <stdio.h>
#include <stdlib.h>

/* The whole file; NULL if it cannot be read. */
static uint8_t *whole(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long end = -1;
    if (file && fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0)
        bytes = malloc((size_t)end + 1);
    *size = bytes ? fread(bytes, 1, (size_t)end, file) : 0;
    if (bytes && *size != (size_t)end) {
        free(bytes);
        bytes = NULL;
    }
    if (file)
        fclose(file);
    return bytes;
}

int main(int count, char **words) {
    static const char *const answers[] = {"not known", "yes", "no"};
    for (int at = 2; at < count; at++) {
        size_t size;
        char reason[512];
        uint8_t *bytes = whole(words[at], &size);
        if (!bytes) {
            perror(words[at]);
            return 1;
        }
        amdgpu_file *file = amdgpu_read(bytes, size);
        free(bytes);
        int answer = amdgpu_file_serves(file, words[1], reason, sizeof reason);
        printf("%s: %s: %s\n%s\n", words[at], answers[answer], reason, amdgpu_file_json(file));
        amdgpu_free(file);
    }
    return 0;
}
