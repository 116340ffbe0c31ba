import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** One request that came in, as far as it could be read. */
export interface TranscriptionRequest {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingMessage['headers'];
  /** Every field of the form but the file. */
  fields: Record<string, string>;
  file: { name: string; type: string; bytes: Uint8Array } | undefined;
  /** How it ended, once it has: with the whole answer, by the script's doing, or because the client went away. */
  ended: 'answered' | 'cut' | 'client left' | undefined;
}

/** An answer in full. */
export interface RawReply {
  /** Default: 200. */
  status?: number;
  /** Default: `application/json`. */
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** The body, as JSON. */
  json?: unknown;
  /** Milliseconds before the first byte. */
  delayMs?: number;
  /** Before the answer the connection is reset, or nothing ever comes; the same in the middle of the body. */
  fault?: 'reset' | 'silence' | 'cut' | 'stall';
}

/** The transcribed text, sent in the format that was asked for; or an answer in full. */
export type TranscriptionReply = string | RawReply;
export type TranscriptionScript = (
  request: TranscriptionRequest,
  /** Of this server, from 1. */
  n: number,
) => TranscriptionReply | Promise<TranscriptionReply>;

/** A server that speaks OpenAI's protocol of transcriptions over real connections. */
export interface TranscriptionServer {
  /** For `TRANSCRIPTION_BASE_URL`. */
  url: string;
  requests: TranscriptionRequest[];
  /** From now on this answers. The default names the size of the piece: “A piece of 1234 bytes.” */
  answer(script: TranscriptionScript): void;
  close(): Promise<void>;
}

class Unacceptable extends Error {}
function demand(holds: unknown, message: string): asserts holds {
  if (!holds) throw new Unacceptable(message);
}

const formats = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'];
const known = ['model', 'response_format', 'language', 'prompt', 'chunking_strategy'];
const starts: Record<string, { type: string; magic: string }> = {
  webm: { type: 'audio/webm', magic: '\x1a\x45\xdf\xa3' },
  wav: { type: 'audio/wav', magic: 'RIFF' },
};

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Reads the form into `entry`. @throws Unacceptable where a provider would answer 400 */
async function readForm(body: Buffer, entry: TranscriptionRequest): Promise<void> {
  const type = entry.headers['content-type'] ?? '';
  demand(/^multipart\/form-data; ?boundary=\S+$/.test(type), 'The content type is no multipart/form-data.');
  demand(Number(entry.headers['content-length']) === body.length, 'The length of the body is not announced.');
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  for (const name of form.keys()) demand(form.getAll(name).length === 1, `The field ${name} is there twice.`);
  for (const [name, value] of form) {
    if (typeof value === 'string') entry.fields[name] = value;
    else entry.file = { name: value.name, type: value.type, bytes: new Uint8Array(await value.arrayBuffer()) };
  }
  demand(form.get('file') instanceof File && entry.file, 'The field file is missing or no file.');
  const start = starts[/^[\w-]+\.(\w+)$/.exec(entry.file.name)?.[1] ?? ''];
  demand(start, `The file’s name ${entry.file.name} has no known extension.`);
  demand(entry.file.type === start.type, `The file ${entry.file.name} is no ${entry.file.type}.`);
  const magic = Buffer.from(entry.file.bytes.subarray(0, 4)).toString('latin1');
  demand(magic === start.magic, 'Invalid file format: the file does not begin like what it says to be.');
  const {
    model = '',
    response_format = 'json',
    language = 'en',
    prompt = '',
    chunking_strategy = 'auto',
  } = entry.fields;
  for (const name of Object.keys(entry.fields)) demand(known.includes(name), `Unknown field ${name}.`);
  demand(model.trim() !== '', 'The field model is missing.');
  demand(formats.includes(response_format), `Unknown response_format ${response_format}.`);
  demand(/^[a-z]{2,3}$/.test(language), `The language ${language} is not one of ISO 639.`);
  demand(prompt.length <= 896 && prompt.isWellFormed() && !prompt.includes('\0'), 'The prompt is too long or broken.');
  demand(chunking_strategy === 'auto', 'Unknown chunking_strategy.');
}

/** A sentence as a provider answers it in `format`: it begins at 0 s and takes a second. */
function inFormat(format: string, text: string): RawReply {
  const segment = { id: 0, start: 0, end: 1, text: ` ${text}` };
  const plain = { 'content-type': 'text/plain; charset=utf-8' };
  if (format === 'verbose_json')
    return { json: { task: 'transcribe', language: 'english', duration: 1, text, segments: [segment] } };
  if (format === 'diarized_json')
    return { json: { task: 'transcribe', duration: 1, text, segments: [{ ...segment, id: 'seg_0', speaker: 'A' }] } };
  if (format === 'text') return { headers: plain, body: `${text}\n` };
  if (format === 'srt') return { headers: plain, body: `1\n00:00:00,000 --> 00:00:01,000\n${text}\n\n` };
  if (format === 'vtt') return { headers: plain, body: `WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n${text}\n\n` };
  return { json: { text } };
}

/** An error as OpenAI words it. */
export function refusal(status: number, error: { message?: string; code?: string; param?: string } = {}): RawReply {
  const type = status === 400 ? 'invalid_request_error' : 'server_error';
  return { status, json: { error: { message: 'No.', type, param: null, code: null, ...error } } };
}

async function reply(response: ServerResponse, rawReply: RawReply, onCut: () => void): Promise<void> {
  const { status = 200, headers, json, body = JSON.stringify(json ?? {}), delayMs = 0, fault } = rawReply;
  const reset = () => {
    onCut();
    response.socket?.resetAndDestroy();
  };
  if (delayMs > 0) await delay(delayMs);
  if (fault === 'silence') return;
  if (fault === 'reset') return reset();
  const bytes = Buffer.from(body as string);
  const type = headers?.['content-type'] ?? 'application/json';
  response.writeHead(status, { ...headers, 'content-type': type, 'content-length': bytes.length });
  if (fault === undefined) return void response.end(bytes);
  response.write(bytes.subarray(0, bytes.length / 2), () => fault === 'cut' && setTimeout(reset, 20));
}

/**
 * Starts the server on a free port of loopback. It refuses with 400 what a provider would: a form that is none, a file
 * without a name that shows its type, fields that are unknown, double or wrong; with 404 other paths; and with 401 any
 * key but `apiKey`, where that is given.
 */
export async function startTranscriptionServer({ apiKey }: { apiKey?: string } = {}): Promise<TranscriptionServer> {
  const requests: TranscriptionRequest[] = [];
  let script: TranscriptionScript = ({ file }) => `A piece of ${file?.bytes.length} bytes.`;
  let count = 0;

  async function replyTo(request: IncomingMessage, entry: TranscriptionRequest, n: number): Promise<RawReply> {
    const body = await bodyOf(request);
    if (entry.method !== 'POST' || entry.path.replace(/\?.*$/, '') !== '/v1/audio/transcriptions')
      return refusal(404, { message: `${entry.method} ${entry.path} is unknown` });
    const key = entry.headers.authorization?.replace(/^Bearer /, '') ?? entry.headers['api-key'];
    if (apiKey !== undefined && key !== apiKey)
      return refusal(401, { message: `Incorrect API key provided: ${key}`, code: 'invalid_api_key' });
    try {
      await readForm(body, entry);
    } catch (error) {
      return refusal(400, { message: error instanceof Error ? error.message : String(error) });
    }
    const scripted = await script(entry, n);
    return typeof scripted === 'string' ? inFormat(entry.fields.response_format ?? 'json', scripted) : scripted;
  }

  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    const entry: TranscriptionRequest = { method, path, headers, fields: {}, file: undefined, ended: undefined };
    requests.push(entry);
    response.on('close', () => {
      entry.ended ??= response.writableFinished ? 'answered' : 'client left';
    });
    const cut = () => {
      entry.ended = 'cut';
    };
    replyTo(request, entry, ++count)
      .then((rawReply) => reply(response, rawReply, cut))
      .catch((error: unknown) => {
        if (response.destroyed) return;
        process.stderr.write(`The script of the transcription server failed: ${error}\n`);
        response.destroy();
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    answer: (next) => {
      script = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
