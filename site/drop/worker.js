"use strict";
// Reads one file and asks the module about it, beside the page, so that the page stays awake. Each file has a worker of its own, whose
// memory goes with it.

const STEP = 16 << 20;

const text = (memory, packed) => {
  const both = BigInt.asUintN(64, packed);
  const [at, length] = [Number(both >> 32n), Number(both & 0xffffffffn)];
  return new TextDecoder().decode(new Uint8Array(memory.buffer, at, length));
};

const audit = async (file) => {
  const answer = await fetch("rocm_audit_page.wasm");
  if (!answer.ok) throw new Error(`the module is not beside this page (${answer.status})`);
  const { instance } = await WebAssembly.instantiate(await answer.arrayBuffer(), {});
  const own = instance.exports;
  const begun = performance.now();
  const place = file.size ? own.alloc(file.size) >>> 0 : 0;
  if (file.size && !place) throw new Error("there is no memory for it");
  for (let at = 0; at < file.size; at += STEP) {
    const part = new Uint8Array(await file.slice(at, at + STEP).arrayBuffer());
    new Uint8Array(own.memory.buffer, place + at, part.length).set(part);
    postMessage({ read: at + part.length });
  }
  const name = new TextEncoder().encode(file.name || "file");
  const named = own.alloc(name.length) >>> 0;
  new Uint8Array(own.memory.buffer, named, name.length).set(name);
  const read = performance.now();
  try {
    const json = text(own.memory, own.audit(place, file.size, named, name.length));
    const ended = performance.now();
    const products = JSON.parse(text(own.memory, own.products()));
    postMessage({ json, products, reading: read - begun, auditing: ended - read, memory: own.memory.buffer.byteLength });
  } catch (error) {
    throw new Error(text(own.memory, own.why()) || `the module stopped: ${error.message}`);
  }
};

onmessage = async ({ data }) => {
  try {
    await audit(data);
  } catch (error) {
    postMessage({ failed: error.message });
  }
};
