import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { chunksOf, readManifest } from './chunks.ts';
import { type Look, withLook } from './look.ts';
import type { PageAddress } from './table.ts';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/** Files beside the document whose addresses do not change: the service worker and the web application manifest. */
export const rootFiles = ['offline-worker.js', 'manifest.webmanifest'] as const;

const zip = promisify(gzip);

/** A file of the built pages, in memory. */
export interface SiteFile {
  type: string;
  tag: string;
  plain: Buffer;
  zipped(): Promise<Buffer>;
}

/** The built pages: a document, and the files it names. A request never becomes a path. */
export interface Site {
  /** The document of a page, which names the code of that page so that the browser loads all of it at once. */
  document(page: PageAddress | undefined, look: Look): SiteFile;
  assets: ReadonlyMap<string, SiteFile>;
  /** Those of `rootFiles` that the build has. */
  root: ReadonlyMap<string, SiteFile>;
}

function siteFile(plain: Buffer, type: string): SiteFile {
  const tag = createHash('sha256').update(plain).digest('base64url').slice(0, 16);
  let zipping: Promise<Buffer> | undefined;
  return { type, tag, plain, zipped: () => (zipping ??= zip(plain)) };
}

function readSiteFile(path: string): SiteFile {
  return siteFile(readFileSync(path), types[extname(path)] ?? 'application/octet-stream');
}

/** Reads the whole site out of `directory`; undefined when nothing was built there. */
export function readSite(directory: string): Site | undefined {
  const path = join(directory, 'index.html');
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8');
  const manifest = readManifest(directory);
  const assets = join(directory, 'assets');
  const names = readdirSync(assets);
  const documents = new Map<string, SiteFile>();
  const atRoot = rootFiles.filter((name) => existsSync(join(directory, name)));
  return {
    document: (page, look) => {
      const key = `${page?.name} ${look?.theme} ${look?.density}`;
      const known = documents.get(key);
      if (known) return known;
      // What is in every document is named by the build.
      const chunks = (page ? chunksOf(manifest, page) : []).filter((file) => !text.includes(file));
      const links = chunks.map((file) => `<link rel="modulepreload" crossorigin href="/${file}" />`);
      const made = siteFile(
        Buffer.from(withLook(text, look).replace('</head>', `${links.join('')}</head>`)),
        'text/html; charset=utf-8',
      );
      documents.set(key, made);
      return made;
    },
    assets: new Map(names.map((name) => [name, readSiteFile(join(assets, name))])),
    root: new Map(atRoot.map((name) => [name, readSiteFile(join(directory, name))])),
  };
}
