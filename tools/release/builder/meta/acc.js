#!/usr/bin/env node
// Runs the acc of this platform, which lies in a package of its own.
"use strict";

const { spawnSync } = require("node:child_process");
const path = require("node:path");

const platform = `${process.platform}-${process.arch}`;
const carrier = `${require("../package.json").name}-${platform}`;

let directory;
try {
  directory = path.dirname(require.resolve(`${carrier}/package.json`));
} catch {
  console.error(`acc: the package ${carrier}, which has the executables for this platform, is not installed`);
  console.error("hint: install again, with optional dependencies; if it does not exist, build acc from source");
  process.exit(4);
}

const executable = path.join(directory, "bin", process.platform === "win32" ? "acc.exe" : "acc");
const result = spawnSync(executable, process.argv.slice(2), { stdio: "inherit" });
if (result.error) {
  console.error(`acc: cannot run ${executable}: ${result.error.message}`);
  process.exit(4);
}
if (result.signal) {
  process.kill(process.pid, result.signal);
}
process.exit(result.status ?? 4);
