import { writeFileSync } from 'node:fs';
import { Agent, request as open } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FuzzRequest } from './fuzz-requests.ts';
import { maxWaitMs } from './until.ts';

/** What came back. */
export interface Received {
  status: number;
  headers: Headers;
  text: string;
  /** From the first byte sent to the last one received. */
  ms: number;
}

/** Streams continue as long as a chat does: only their beginning is read. */
const beginningMs = 200;

/** A way to send requests byte by byte as they are, over so many connections. */
export class FuzzWire {
  readonly #agent: Agent;
  readonly #url: URL;

  constructor(url: string, connections: number) {
    this.#url = new URL(url);
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** @throws Error when the connection breaks without an answer, or none comes within `maxWaitMs`. */
  send({ method, target, headers, body }: FuzzRequest, credential: string | undefined): Promise<Received> {
    const { hostname, port, host } = this.#url;
    const bytes = body === undefined ? undefined : Buffer.from(body as string);
    const all = [
      ['host', host],
      ...(credential === undefined ? [] : [['authorization', `Bearer ${credential}`]]),
      ...headers,
      ...(bytes ? [['content-length', String(bytes.length)]] : []),
    ].flat() as string[];
    const options = { hostname, port, method, path: target, headers: all, agent: this.#agent, setHost: false };
    const begun = performance.now();
    return new Promise((resolve, reject) => {
      const sent = open(options, (response) => {
        const chunks: Buffer[] = [];
        const pairs = Object.entries(response.headersDistinct);
        const received = new Headers(pairs.map(([name, values = []]): [string, string] => [name, values.join()]));
        const end = () => {
          clearTimeout(leave);
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: received, text, ms: performance.now() - begun });
        };
        const leave = setTimeout(() => {
          if (!isStream(received)) return;
          end();
          response.destroy();
        }, beginningMs);
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', end);
        response.on('error', reject);
      });
      sent.setTimeout(maxWaitMs, () => sent.destroy(new Error(`no answer within ${maxWaitMs / 1000} s`)));
      sent.on('error', reject);
      sent.end(bytes);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function isStream(headers: Headers): boolean {
  return /event-stream|jsonl/.test(headers.get('content-type') ?? '');
}

/** A word of a shell (bash); bytes beyond ASCII as escapes, for they need not be UTF-8. */
function quoted(text: string): string {
  if (!/[^\x20-\x7e]/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = text.replaceAll(/[\\']/g, '\\$&').replaceAll(/[^\x20-\x7e]/g, (each) => {
    return `\\x${each.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return `$'${escaped}'`;
}

/** Longest body that is printed; a longer one goes to a file. */
const maxPrinted = 3000;

function bodyArgument(body: string | Uint8Array): string {
  if (typeof body === 'string' && body.length <= maxPrinted && /^[\x20-\x7e]*$/.test(body) && !body.startsWith('@'))
    return quoted(body);
  const file = join(tmpdir(), `tandem-fuzz-${crypto.randomUUID()}.body`);
  writeFileSync(file, Buffer.from(body as string));
  return `@${file}`;
}

/** The request as a line for a shell; its credential is named, not shown. A long body is written to a file. */
export function curlLine(url: string, { method, target, headers, body, sender }: FuzzRequest): string {
  const parts = ['curl', '-sS', '-i', '--path-as-is', '--globoff', '-X', method];
  if (sender !== 'none') parts.push('-H', `"Authorization: Bearer $${sender.toUpperCase()}"`);
  for (const [name, value] of headers) parts.push('-H', quoted(value === '' ? `${name};` : `${name}: ${value}`));
  if (body !== undefined) parts.push('--data-binary', bodyArgument(body));
  return [...parts, quoted(url + target)].join(' ');
}
