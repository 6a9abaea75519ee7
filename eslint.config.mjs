// @ts-check
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

/** Each feature is a folder of extension/src; what features share lies in the other folders. */
const FEATURES = [
  "hover",
  "inlineValues",
  "model",
  "processPicker",
  "shapes",
  "statusBar",
  "tensors",
  "training",
  "trainingBreakpoints",
];

const NO_VSCODE = { name: "vscode", message: "Pure models and pages must run without the editor." };
const NO_COMPOSITION_ROOT = {
  regex: "(^|/)extension$",
  message: "extension.ts builds everything and is imported by nobody.",
};

/** @param {string} feature */
function otherFeaturesOf(feature) {
  const group = FEATURES.filter((other) => other !== feature).map((other) => `**/${other}/*`);
  return { group, message: "A feature never imports another feature." };
}

export default defineConfig(
  { ignores: ["dist/", "out/", "bundled/", "node_modules/", ".venv/", "python_backend/"] },
  {
    files: ["extension/**/*.ts", "tests/extension/**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "no-console": "error",
      eqeqeq: "error",
      "no-restricted-imports": ["error", { patterns: [NO_COMPOSITION_ROOT] }],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      // VS Code takes anything that has the shape of a Disposable.
      "@typescript-eslint/no-unsafe-class-instance-assignment": "off",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/consistent-type-definitions": ["error", "interface"],
    },
  },
  ...FEATURES.map((feature) => ({
    files: [`extension/src/${feature}/**/*.ts`],
    rules: {
      "no-restricted-imports": /** @type {const} */ ([
        "error",
        { patterns: [NO_COMPOSITION_ROOT, otherFeaturesOf(feature)] },
      ]),
    },
  })),
  {
    // The rooms that features stand on know none of them.
    files: ["extension/src/{common,contract,python,debug,languageClient}/**/*.ts"],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            NO_COMPOSITION_ROOT,
            { group: FEATURES.map((feature) => `**/${feature}/*`), message: "What is shared never imports a feature." },
          ],
        },
      ],
    },
  },
  {
    files: [
      "extension/webview/**/*.ts",
      "extension/src/contract/**/*.ts",
      "extension/src/common/{coalesce,numbers,quantities}.ts",
      "extension/src/contributions.ts",
      "extension/src/debug/{filterState,pauseState}.ts",
      "extension/src/hover/expressionText.ts",
      "extension/src/model/{moduleTree,shapeText}.ts",
      "extension/src/processPicker/processList.ts",
      "extension/src/trainingBreakpoints/conditionText.ts",
      "extension/src/python/{backend,places,version}.ts",
    ],
    rules: {
      "no-restricted-imports": ["error", { paths: [NO_VSCODE], patterns: [NO_COMPOSITION_ROOT] }],
    },
  },
  {
    // Generated: a message without fields is one too.
    files: ["extension/src/contract/messages.ts"],
    rules: { "@typescript-eslint/no-empty-object-type": "off" },
  },
  {
    // Assertions read better on the exact value than behind a check that it is there.
    files: ["tests/extension/**/*.ts"],
    rules: { "@typescript-eslint/no-non-null-assertion": "off" },
  },
);
