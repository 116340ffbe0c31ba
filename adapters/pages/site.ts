import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const zip = promisify(gzip);

/** A file of the built pages, in memory. */
export interface SiteFile {
  type: string;
  tag: string;
  plain: Buffer;
  zipped(): Promise<Buffer>;
}

/** The built pages: one document for every page, and the files it names. A request never becomes a path. */
export interface Site {
  document: SiteFile;
  assets: ReadonlyMap<string, SiteFile>;
}

function readSiteFile(path: string): SiteFile {
  const plain = readFileSync(path);
  const tag = createHash('sha256').update(plain).digest('base64url').slice(0, 16);
  const type = types[extname(path)] ?? 'application/octet-stream';
  let zipping: Promise<Buffer> | undefined;
  return { type, tag, plain, zipped: () => (zipping ??= zip(plain)) };
}

/** Reads the whole site out of `directory`; undefined when nothing was built there. */
export function readSite(directory: string): Site | undefined {
  const document = join(directory, 'index.html');
  if (!existsSync(document)) return undefined;
  const assets = join(directory, 'assets');
  const names = readdirSync(assets);
  return {
    document: readSiteFile(document),
    assets: new Map(names.map((name) => [name, readSiteFile(join(assets, name))])),
  };
}
