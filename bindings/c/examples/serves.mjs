// serves.mjs MODULE CARD FILE...: whether each file serves the card, and what is in it.
import { readFileSync } from "node:fs";

const answers = ["not known", "yes", "no"];
const [module, card, ...files] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(module));
const amdgpu = instance.exports;

// Puts bytes into the module's memory; its addresses are numbers.
function put(bytes) {
    const at = amdgpu.amdgpu_alloc(bytes.length);
    if (at === 0 && bytes.length > 0) throw new Error("the module has no memory left");
    new Uint8Array(amdgpu.memory.buffer).set(bytes, at);
    return at;
}

// The text at an address, up to the zero at its end.
function text(at) {
    const memory = new Uint8Array(amdgpu.memory.buffer);
    return new TextDecoder().decode(memory.subarray(at, memory.indexOf(0, at)));
}

for (const name of files) {
    const bytes = readFileSync(name);
    const [file, target] = [put(bytes), put(new TextEncoder().encode(card + "\0"))];
    const room = 512;
    const reason = amdgpu.amdgpu_alloc(room);
    const read = amdgpu.amdgpu_read(file, bytes.length);
    const answer = amdgpu.amdgpu_file_serves(read, target, reason, room);
    console.log(`${name}: ${answers[answer]}: ${text(reason)}`);
    console.log(text(amdgpu.amdgpu_file_json(read)));
    amdgpu.amdgpu_free(read);
    amdgpu.amdgpu_dealloc(file, bytes.length);
    amdgpu.amdgpu_dealloc(target, card.length + 1);
    amdgpu.amdgpu_dealloc(reason, room);
}
