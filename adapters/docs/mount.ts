import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { oas31 } from 'zod-openapi';
import type { ServiceSettings } from '../../domain/context.ts';
import { entityTag, entityTags } from '../../domain/etag.ts';
import type { Operation } from '../operations.ts';
import { assetNames, assetOf } from './assets.ts';
import type { AssetAddress } from './layout.ts';
import { type Document, documentPaths, Site } from './site.ts';

/** Nothing from elsewhere, no inline script or style. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const guarded = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

const address: AssetAddress = (name) => `docs/assets/${name}?v=${assetOf(name).version}`;

const open = { config: { ungated: true } };

/** Sends `content`, or 304 when the client has it. */
function send(request: FastifyRequest, reply: FastifyReply, tag: string, content: string | Buffer) {
  reply.headers({ ...guarded, ETag: tag });
  const known = entityTags(request.headers['if-none-match'] ?? '');
  if (known.some((each) => each === '*' || each.replace(/^W\//, '') === tag)) return reply.code(304).send();
  return reply.send(content);
}

const zip = promisify(gzip);

interface Shelved extends Document {
  tag: string;
  zipped: Promise<Buffer>;
}

function takesGzip(request: FastifyRequest): boolean {
  return /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
}

type Described = Pick<ServiceSettings, 'document' | 'publicUrl'>;

/** Documents by address, each made at its first request, and again only when the address of the service changes. */
function library(operations: readonly Operation[], settings: Described): (path: string) => Shelved {
  let site: Site | undefined;
  let madeFor: string | undefined;
  const made = new Map<string, Shelved>();
  return (path) => {
    if (!site || madeFor !== settings.publicUrl) {
      const document = settings.document?.();
      if (!document) throw new Error('The documents are mounted before the operations are described');
      madeFor = settings.publicUrl;
      made.clear();
      site = new Site(operations, document as unknown as oas31.OpenAPIObject, madeFor, address);
    }
    const known = made.get(path);
    if (known) return known;
    const document = site.make(path);
    const shelved = { ...document, tag: entityTag(document.text), zipped: zip(document.text) };
    made.set(path, shelved);
    return shelved;
  };
}

/**
 * The documents for people and assistants: the reference at `/docs`, the guides below it, the Markdown of every page,
 * and `/llms.txt`. They need no internet and no credential.
 */
export function mountDocs(app: FastifyInstance, operations: readonly Operation[], settings: Described): void {
  const documentAt = library(operations, settings);
  for (const path of documentPaths(operations)) {
    app.get(`/${path}`, open, async (request, reply) => {
      const { type, text, tag, zipped } = documentAt(path);
      reply.type(type).headers({ 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' });
      if (!takesGzip(request)) return send(request, reply, tag, text);
      reply.header('Content-Encoding', 'gzip');
      return send(request, reply, tag.replace(/"$/, '-gzip"'), await zipped);
    });
  }
  app.get('/docs/', open, async (_, reply) => reply.redirect('../docs', 308));
  for (const name of assetNames) {
    app.get(`/docs/assets/${name}`, open, async (request, reply) => {
      const { type, version, plain, zipped } = assetOf(name);
      const current = (request.query as Record<string, unknown>).v === version;
      const small = takesGzip(request);
      reply.type(type).header('Vary', 'Accept-Encoding');
      reply.header('Cache-Control', current ? 'public, max-age=31536000, immutable' : 'no-cache');
      if (small) reply.header('Content-Encoding', 'gzip');
      return send(request, reply, `"${version}${small ? '-gzip' : ''}"`, small ? await zipped : plain);
    });
  }
}
