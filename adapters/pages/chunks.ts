import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageEntry } from './table.ts';

/* Which files of a build a page needs: out of the manifest that the build writes. */

interface ManifestChunk {
  file: string;
  name?: string;
  imports?: string[];
}

/** The chunks of a build, by their source file; those of several files by a name of the build. */
export type Manifest = Readonly<Record<string, ManifestChunk>>;

/** Reads the manifest of a build; empty without one, and documents then name no chunks. */
export function readManifest(directory: string): Manifest {
  const path = join(directory, '.vite', 'manifest.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Manifest) : {};
}

type PageCode = Pick<PageEntry, 'layout' | 'chunk'> & { name: string };

/** The chunks of web/vite.config.ts with shared code that a page needs. */
function sharedBy({ layout, chunk }: PageCode): string[] {
  return ['start', ...(layout === 'bare' ? [] : ['shell']), ...(chunk === undefined ? [] : [chunk])];
}

/** The JavaScript files that a page loads before it is shown. The code of some pages is in a shared chunk. */
export function chunksOf(manifest: Manifest, page: PageCode): string[] {
  const shared = sharedBy(page);
  const queue = Object.keys(manifest).filter((key) => shared.includes(manifest[key]?.name ?? ''));
  queue.push(`src/${page.name}.tsx`);
  const files = new Set<string>();
  for (let key = queue.shift(); key !== undefined; key = queue.shift()) {
    const found = manifest[key];
    if (!found || files.has(found.file)) continue;
    files.add(found.file);
    queue.push(...(found.imports ?? []));
  }
  return [...files];
}
