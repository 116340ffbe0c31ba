import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { entityTags } from '../../routers/etag.ts';
import { readSite, type SiteFile } from './site.ts';

/** The addresses of the pages (web/src/routes.tsx). Every other one stays the API's. */
export const pagePaths = [
  '/',
  '/sign-in',
  '/sign-up',
  '/reset-password',
  '/join',
  '/oauth/consent',
  '/captures',
  '/captures/new',
  '/captures/:captureId',
  '/notifications',
  '/record',
  '/settings',
  '/settings/api-keys',
  '/settings/api-keys/new',
  '/settings/connected-apps',
  '/settings/members',
  '/settings/notifications',
  '/settings/sessions',
  '/settings/workspace',
] as const;

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  // The recording socket too: 'self' stands for the same host over ws: and wss: (CSP 3, "Does url match expression").
  "connect-src 'self'",
  "media-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * No opener policy: an app may open the consent page in a window of its own and must find it again afterwards. The
 * referrer stays within the service, where a browser without Fetch Metadata needs `Origin` for writes.
 */
const guarded = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const noPowers = 'camera=(), geolocation=(), payment=(), usb=(), clipboard-write=(self)';

/** What the browser lets a page do. Only the page that records is let have the microphone. */
function powersOf(path: string): string {
  return `${noPowers}, microphone=(${path === '/record' ? 'self' : ''})`;
}

const built = fileURLToPath(new URL('../../web/dist', import.meta.url));

const unbuilt = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Tandem</title></head>
<body><h1>The pages are not built</h1>
<p>Run <code>npm run build</code> in the directory of the service, then load this page again. The API works meanwhile.</p>
</body></html>
`;

const open = { config: { ungated: true } };

async function send(request: FastifyRequest, reply: FastifyReply, file: SiteFile, cacheControl: string) {
  const small = file.plain.length > 1024 && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  const tag = `"${file.tag}${small ? '-gzip' : ''}"`;
  reply.headers({ ...guarded, ETag: tag, 'Cache-Control': cacheControl, Vary: 'Accept-Encoding' }).type(file.type);
  const known = entityTags(request.headers['if-none-match'] ?? '');
  if (known.some((each) => each === '*' || each.replace(/^W\//, '') === tag)) return reply.code(304).send();
  if (small) reply.header('Content-Encoding', 'gzip');
  return reply.send(small ? await file.zipped() : file.plain);
}

/** The pages for people: files that `npm run build` made, under a policy that lets in nothing from elsewhere. */
export function mountPages(app: FastifyInstance, directory = built): void {
  let site = readSite(directory);
  const current = () => {
    site ??= readSite(directory);
    return site;
  };
  for (const path of pagePaths) {
    app.get(path, open, async (request, reply) => {
      const document = current()?.document;
      reply.header('Permissions-Policy', powersOf(path));
      if (document) return send(request, reply, document, 'no-cache');
      return reply.code(503).headers(guarded).type('text/html; charset=utf-8').send(unbuilt);
    });
  }
  app.get('/assets/:name', open, async (request, reply) => {
    const file = current()?.assets.get((request.params as { name: string }).name);
    if (file) return send(request, reply, file, 'public, max-age=31536000, immutable');
    return reply.callNotFound();
  });
}
