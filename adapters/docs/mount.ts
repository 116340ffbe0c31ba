import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { entityTag, entityTags } from '../../routers/etag.ts';
import { assetNames, assetOf } from './assets.ts';
import { type AssetAddress, deprecationPage, errorsPage, referencePage } from './pages.ts';

/** Nothing from elsewhere, no inline script. Swagger UI has its icons in data addresses. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const guarded = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

const address: AssetAddress = (name) => `docs/assets/${name}?v=${assetOf(name).version}`;

const open = { config: { ungated: true } };

/** Sends `content`, or 304 to who has it. */
function send(request: FastifyRequest, reply: FastifyReply, tag: string, content: string | Buffer) {
  reply.headers({ ...guarded, ETag: tag });
  const known = entityTags(request.headers['if-none-match'] ?? '');
  if (known.some((each) => each === '*' || each.replace(/^W\//, '') === tag)) return reply.code(304).send();
  return reply.send(content);
}

function mountPage(app: FastifyInstance, path: string, render: (address: AssetAddress) => string): void {
  let html: string | undefined;
  app.get(path, open, async (request, reply) => {
    html ??= render(address);
    reply.type('text/html; charset=utf-8').header('Cache-Control', 'no-cache');
    return send(request, reply, entityTag(html), html);
  });
}

/** The pages for people: the reference at `/docs`, the error codes and the deprecation policy. They need no internet. */
export function mountDocs(app: FastifyInstance): void {
  mountPage(app, '/docs', referencePage);
  mountPage(app, '/docs/errors', errorsPage);
  mountPage(app, '/docs/deprecation', deprecationPage);
  app.get('/docs/', open, async (_, reply) => reply.redirect('../docs', 308));
  for (const name of assetNames) {
    app.get(`/docs/assets/${name}`, open, async (request, reply) => {
      const { type, version, plain, zipped } = assetOf(name);
      const current = (request.query as Record<string, unknown>).v === version;
      const small = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
      reply.type(type).header('Vary', 'Accept-Encoding');
      reply.header('Cache-Control', current ? 'public, max-age=31536000, immutable' : 'no-cache');
      if (small) reply.header('Content-Encoding', 'gzip');
      return send(request, reply, `"${version}${small ? '-gzip' : ''}"`, small ? await zipped : plain);
    });
  }
}
