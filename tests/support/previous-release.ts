import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

/* The server of the previous release (scripts/bundle-release.ts). */

const fixture = new URL('../fixtures/previous-release.json.br', import.meta.url);
const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));

export interface PreviousRelease {
  /** The program to run. */
  main: string;
  remove(): Promise<void>;
}

/** Unpacks it below node_modules, where it finds the packages that both releases have. */
export async function unpackPreviousRelease(): Promise<PreviousRelease> {
  const files: Record<string, string> = JSON.parse(brotliDecompressSync(await readFile(fixture)).toString());
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'previous-release-'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return { main: join(folder, 'main.mjs'), remove: () => rm(folder, { recursive: true, force: true }) };
}
