import { statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { entityTags } from '../../domain/etag.ts';
import { lookIn } from './look.ts';
import { readSite, rootFiles, type Site, type SiteFile } from './site.ts';
import { type PageAddress, pageAddresses } from './table.ts';

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  // The recording socket too: 'self' stands for the same host over ws: and wss: (CSP 3, "Does url match expression").
  "connect-src 'self'",
  "media-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The referrer stays within the service, where a browser without Fetch Metadata needs `Origin` for writes. */
const guarded = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const deniedFeatures = 'camera=(), geolocation=(), payment=(), usb=(), clipboard-write=(self)';

/**
 * The headers of a page by what web/pages.json says of it. Only the recorder may use the microphone. Windows of other
 * sites get no handle on the window of a page (Cross-Origin-Opener-Policy). The exception are the pages on the way to
 * an app's request for consent: the app must find the window again that it opened, and the policy of a single page on
 * the way would cut the connection.
 */
function headersOf(page: PageAddress | undefined) {
  return {
    'Permissions-Policy': `${deniedFeatures}, microphone=(${page?.usesMicrophone ? 'self' : ''})`,
    'Cross-Origin-Opener-Policy': page?.openedByApps ? 'unsafe-none' : 'same-origin',
  };
}

const built = fileURLToPath(new URL('../../web/dist', import.meta.url));

const unbuilt = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Tandem</title></head>
<body><h1>The pages are not built</h1>
<p>Run <code>npm run build</code> in the directory of the service, then load this page again. The API works meanwhile.</p>
</body></html>
`;

const open = { config: { ungated: true } };

/** Smaller files are sent uncompressed. */
const minZippedBytes = 1024;

async function send(request: FastifyRequest, reply: FastifyReply, file: SiteFile, cacheControl: string, vary = '') {
  const small = file.plain.length > minZippedBytes && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  const tag = `"${file.tag}${small ? '-gzip' : ''}"`;
  reply
    .headers({ ...guarded, ETag: tag, 'Cache-Control': cacheControl, Vary: `Accept-Encoding${vary}` })
    .type(file.type);
  const known = entityTags(request.headers['if-none-match'] ?? '');
  if (known.some((each) => each === '*' || each.replace(/^W\//, '') === tag)) return reply.code(304).send();
  if (small) reply.header('Content-Encoding', 'gzip');
  return reply.send(small ? await file.zipped() : file.plain);
}

/** The pages that were read last, and the build that they are of. */
let latest: { build: string; site: Site } | undefined;

/**
 * The pages built in `directory`, read once for all services of the process; undefined when nothing was built there.
 */
function siteOf(directory: string): Site | undefined {
  const made = statSync(join(directory, 'index.html'), { throwIfNoEntry: false });
  if (!made) return undefined;
  const build = `${directory} ${made.ino} ${made.mtimeMs}`;
  if (latest?.build === build) return latest.site;
  const site = readSite(directory);
  if (site) latest = { build, site };
  return site;
}

/** Where the built pages are read from; a build while the service runs is found by the next request. */
function siteIn(directory: string): () => Site | undefined {
  let site = siteOf(directory);
  return () => {
    site ??= siteOf(directory);
    return site;
  };
}

/** Sends the document of a page, which shows what its address names. */
async function sendPage(request: FastifyRequest, reply: FastifyReply, page: PageAddress, site: Site | undefined) {
  reply.headers(headersOf(page));
  if (site) return send(request, reply, site.document(page, lookIn(request.headers.cookie)), 'no-cache', ', Cookie');
  return reply.code(503).headers(guarded).type('text/html; charset=utf-8').send(unbuilt);
}

/** Whether a request is that of a browser for a page: programs that do not name `text/html` get JSON. */
export function wantsPage({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && /\btext\/html\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(headers.accept ?? '');
}

/** Answers an unknown address with a page where a browser asks for one, and returns whether it did. */
export type UnknownPage = (request: FastifyRequest, reply: FastifyReply) => boolean;

/** The page for unknown addresses. Its status is 404, and no cached copy answers for it. */
export function unknownPage(directory = built): UnknownPage {
  const current = siteIn(directory);
  return (request, reply) => {
    const site = current();
    reply.header('Vary', 'Accept');
    if (!site || !wantsPage(request)) return false;
    reply.code(404).headers({ ...guarded, ...headersOf(undefined), 'Cache-Control': 'no-store' });
    const { type, plain } = site.document(undefined, lookIn(request.headers.cookie));
    void reply.type(type).send(plain);
    return true;
  };
}

/** Serves the pages for people: files that `npm run build` made, under a policy that allows nothing from elsewhere. */
export function mountPages(app: FastifyInstance, directory = built): void {
  const current = siteIn(directory);
  for (const page of pageAddresses) {
    const { path } = page;
    app.get(path, open, (request, reply) => sendPage(request, reply, page, current()));
    if (path === '/') continue;
    // With a slash at its end, which people type and other programs add.
    app.get(`${path}/`, open, async (request, reply) => {
      const [address = '', ...query] = request.url.split('?');
      const target = [address.slice(0, -1), ...query].join('?');
      return reply.headers(guarded).redirect(target, 308);
    });
  }
  app.get('/assets/:name', open, async (request, reply) => {
    const file = current()?.assets.get((request.params as { name: string }).name);
    if (file) return send(request, reply, file, 'public, max-age=31536000, immutable');
    return reply.callNotFound();
  });
  // At the root: the worker answers for all pages, and the manifest is of all of them. Browsers compare them with
  // theirs.
  for (const name of rootFiles) {
    app.get(`/${name}`, open, async (request, reply) => {
      const file = current()?.root.get(name);
      if (file) return send(request, reply, file, 'no-cache');
      return reply.callNotFound();
    });
  }
  app.register(mountShareTarget);
}

/**
 * What other applications share (`share_target` of the manifest) is taken by the service worker. Without one the form
 * arrives here: its body is not read, and the page explains it.
 */
async function mountShareTarget(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.post('/share', open, async (_request, reply) =>
    reply.headers({ ...guarded, Connection: 'close' }).redirect('/share?problem=no_worker', 303),
  );
}
