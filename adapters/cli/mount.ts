import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceSettings } from '../../domain/context.ts';
import { entityTag, entityTags } from '../../domain/etag.ts';
import { installer } from './installer.ts';

const built = fileURLToPath(new URL('../../cli/dist', import.meta.url));
const bundleName = 'tandem.cjs';

/** The client as it was built. */
interface Bundle {
  text: Buffer;
  /** SHA-256 in hexadecimal. */
  checksum: string;
}

const guarded = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-cache' };
const open = { config: { ungated: true } };

/** `sh` prints the reason and fails. */
const unbuilt = `#!/bin/sh
echo 'The command-line client is not built: run npm run build in the directory of the service.' >&2
exit 1
`;

function readBundle(directory: string): Bundle | undefined {
  const path = join(directory, bundleName);
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path);
  return { text, checksum: createHash('sha256').update(text).digest('hex') };
}

/** Sends a file, or 304 when the client has it. */
function send(request: FastifyRequest, reply: FastifyReply, type: string, content: string | Buffer) {
  const tag = typeof content === 'string' ? entityTag(content) : entityTag(content.toString('latin1'));
  reply.headers({ ...guarded, ETag: tag }).type(type);
  const known = entityTags(request.headers['if-none-match'] ?? '');
  if (known.some((each) => each === '*' || each.replace(/^W\//, '') === tag)) return reply.code(304).send();
  return reply.send(content);
}

/**
 * Serves the command-line client that `npm run build` made, its checksum, and the script that installs it. The checksum
 * is computed from the bytes that are served, so that the script and the file of one process always match.
 */
export function mountCli(
  app: FastifyInstance,
  settings: Pick<ServiceSettings, 'publicUrl' | 'cliInstallUrl'>,
  directory = built,
): void {
  let bundle: Bundle | undefined;
  const current = () => {
    bundle ??= readBundle(directory);
    return bundle;
  };
  const serve = (path: string, type: string, content: (bundle: Bundle) => string | Buffer) => {
    app.get(path, open, async (request, reply) => {
      const found = current();
      if (found) return send(request, reply, type, content(found));
      return reply.code(503).headers(guarded).type('text/plain; charset=utf-8').send(unbuilt);
    });
  };
  serve('/install.sh', 'text/x-shellscript; charset=utf-8', ({ checksum }) => installer(settings, checksum));
  serve(`/cli/${bundleName}`, 'text/javascript; charset=utf-8', ({ text }) => text);
  serve(`/cli/${bundleName}.sha256`, 'text/plain; charset=utf-8', ({ checksum }) => `${checksum}  ${bundleName}\n`);
}
