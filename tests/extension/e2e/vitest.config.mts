import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    include: ["*.test.ts"],
    globalSetup: "./editor.ts",
    // One editor and one browser serve all; two windows at once would only wait for each other.
    fileParallelism: false,
    // Generous: each step waits for what it needs, and a busy machine is no reason to fail.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
