import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    // The editor's API exists in the editor only; unit tests get a small stand-in.
    alias: { vscode: fileURLToPath(new URL("tests/extension/unit/fake/vscode.ts", import.meta.url)) },
  },
  test: {
    include: ["tests/extension/unit/**/*.test.ts", "tests/contract/**/*.test.ts"],
    testTimeout: 20_000,
  },
});
