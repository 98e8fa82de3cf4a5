#!/usr/bin/env node
// Starts the program that npm has installed for this system, with the same arguments, input, outputs and end.
"use strict";
const { spawnSync } = require("child_process");

const name = `rocm-audit-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "rocm-audit.exe" : "rocm-audit";
let program;
try {
  program = require.resolve(`${name}/bin/${file}`);
} catch {
  console.error(`rocm-audit: the package ${name} is not installed: there is none for this system, or optional dependencies were left out`);
  process.exit(2);
}
const ended = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (ended.error) {
  console.error(`rocm-audit: ${ended.error.message}`);
  process.exit(2);
}
if (ended.signal) process.kill(process.pid, ended.signal);
process.exit(ended.status);
