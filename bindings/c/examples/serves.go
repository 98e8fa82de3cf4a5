// serves CARD FILE...: whether each file serves the card, and what is in it.
package main

/*
#include "amdgpu_object.h"
#include <stdlib.h>
*/
import "C"

import (
	"fmt"
	"os"
	"unsafe"
)

var answers = []string{"not known", "yes", "no"}

func serves(name, card string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	target := C.CString(card)
	defer C.free(unsafe.Pointer(target))
	var reason [512]C.char
	bytes := C.CBytes(data)
	file := C.amdgpu_read((*C.uint8_t)(bytes), C.size_t(len(data)))
	C.free(bytes)
	defer C.amdgpu_free(file)
	answer := C.amdgpu_file_serves(file, target, &reason[0], C.size_t(len(reason)))
	fmt.Printf("%s: %s: %s\n", name, answers[answer], C.GoString(&reason[0]))
	fmt.Println(C.GoString(C.amdgpu_file_json(file)))
	return nil
}

func main() {
	for _, name := range os.Args[2:] {
		if err := serves(name, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
