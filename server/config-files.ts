import { readFileSync } from 'node:fs';

const suffix = '_FILE';

/** A file that a setting names cannot be read. The message has a line for each, without what the files hold. */
export class SettingFileError extends Error {}

/**
 * The environment with the contents of files: for each of `settings`, `<SETTING>_FILE` may name a file that contains
 * the value, as Docker, Kubernetes and systemd mount secrets. White space at the end of a file is cut. An empty path
 * counts as unset.
 * @throws SettingFileError for a file that cannot be read or is empty, and for a setting that is given in both ways.
 */
export function withSettingFiles(
  environment: Record<string, string | undefined>,
  settings: readonly string[],
): Record<string, string | undefined> {
  const values = { ...environment };
  const faults: string[] = [];
  for (const setting of settings) {
    const name = `${setting}${suffix}`;
    const path = environment[name];
    if (!path) continue;
    if (environment[setting]) faults.push(`${setting} and ${name} are both set; keep one of them`);
    else {
      try {
        const value = readFileSync(path, 'utf8').trimEnd();
        if (value === '') faults.push(`${name} names a file that is empty`);
        values[setting] = value;
      } catch (error) {
        faults.push(`${name} names a file that cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
      }
    }
  }
  if (faults.length > 0) throw new SettingFileError(faults.join('\n'));
  return values;
}
