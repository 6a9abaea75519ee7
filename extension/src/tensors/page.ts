import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { pageStrings } from "./strings";

/** The page's HTML: one script with a nonce, one style sheet, nothing from outside. */
export function pageHtml(webview: vscode.Webview, folder: vscode.Uri): string {
  const nonce = randomBytes(16).toString("base64");
  const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(folder, name)).toString();
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file("tensors.css")}">
<title>TensorPeek</title>
</head>
<body data-strings="${escaped(JSON.stringify(pageStrings()))}">
<script nonce="${nonce}" src="${file("tensors.js")}"></script>
</body>
</html>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
