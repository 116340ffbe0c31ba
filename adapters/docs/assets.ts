import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const own = (name: string) => new URL(`assets/${name}`, import.meta.url);

/** Every file that is served, by name: a request never becomes a path. */
const sources = {
  'pages.css': { url: own('pages.css'), type: 'text/css; charset=utf-8' },
  'pages.js': { url: own('pages.js'), type: 'text/javascript; charset=utf-8' },
} as const;

export type AssetName = keyof typeof sources;

export interface Asset {
  type: string;
  /** Changes with the content. */
  version: string;
  plain: Buffer;
  zipped: Promise<Buffer>;
}

const loaded = new Map<AssetName, Asset>();
const zip = promisify(gzip);

export const assetNames = Object.keys(sources) as AssetName[];

/** A file of the documents, read at the first request for it. */
export function assetOf(name: AssetName): Asset {
  const known = loaded.get(name);
  if (known) return known;
  const { url, type } = sources[name];
  const plain = readFileSync(url);
  const version = createHash('sha256').update(plain).digest('hex').slice(0, 12);
  const asset = { type, version, plain, zipped: zip(plain) };
  loaded.set(name, asset);
  return asset;
}
