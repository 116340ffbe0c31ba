import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../scripts/built-folder.ts';

const run = promisify(execFile);

/** The versions that are measured. */
export const peerVersions = { directus: '12.4.0', postgraphile: '5.1.5' };

// The isolates of Directus run code of its flows only; the release that it asks for needs a compiler.
const overrides = { 'isolated-vm': '6.2.0' };
const manifest = `${JSON.stringify({ private: true, dependencies: peerVersions, overrides }, null, 2)}\n`;

const folder = join(root, 'node_modules/.cache/bench-peers');

/**
 * Installs the peers from npm below `node_modules/.cache`, unless these versions are there, without scripts of
 * packages. They are no dependencies of the project: 1,200 packages. Returns the folder.
 */
export async function installPeers(print: (line: string) => void): Promise<string> {
  const installed = join(folder, 'installed.json');
  if ((await readFile(installed, 'utf8').catch(() => '')) === manifest) return folder;
  print('Installing the peers, some 700 MB');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), manifest);
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder, maxBuffer: 1e8 });
  await writeFile(installed, manifest);
  return folder;
}
