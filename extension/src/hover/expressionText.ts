/** Part of one line: an expression and where it starts, in UTF-16 code units. */
export interface ExpressionAt {
  readonly expression: string;
  readonly start: number;
}

/** The dotted name around `character`, cut behind the word there: on `weight` of `self.fc.weight.grad`, `self.fc.weight`. */
export function dottedNameAt(line: string, character: number): ExpressionAt | undefined {
  for (const match of line.matchAll(/[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*/gu)) {
    const [chain] = match;
    const end = match.index + chain.length;
    if (match.index <= character && character < end) {
      const nextDot = chain.indexOf(".", character - match.index);
      return { expression: nextDot < 0 ? chain : chain.slice(0, nextDot), start: match.index };
    }
  }
  return undefined;
}
