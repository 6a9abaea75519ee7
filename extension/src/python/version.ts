/** A Python version, major and minor first: `[3, 11, 7]`. */
export type Version = readonly [major: number, minor: number, micro: number];

/** The oldest Python that can be debugged; up to the next one in a plain session. */
export const OLDEST_FOR_DEBUGGING: Version = [3, 8, 0];

/** The oldest Python that runs our adapter, and whose tensors are shown. */
export const OLDEST_FOR_ADAPTER: Version = [3, 9, 0];

/** The oldest Python that runs our language server. */
export const OLDEST_FOR_SERVER: Version = [3, 10, 0];

/** Reads what `python --version` prints; undefined when that is no Python. */
export function parseVersion(output: string): Version | undefined {
  const match = /^Python (\d+)\.(\d+)(?:\.(\d+))?/m.exec(output);
  return match ? [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)] : undefined;
}

export function isAtLeast(version: Version, oldest: Version): boolean {
  for (let part = 0; part < oldest.length; part++) {
    const difference = (version[part] ?? 0) - (oldest[part] ?? 0);
    if (difference !== 0) {
      return difference > 0;
    }
  }
  return true;
}

export function versionText(version: Version): string {
  return version.join(".");
}
