import { meter } from '../../providers/meter.ts';
import { networkCode, Refused, readBody, readErrorObject } from '../../providers/refusal.ts';
import type { Answer } from './answer.ts';
import type { TranscriptionAddress } from './settings.ts';

/** Bytes of one answer: hours of speech, word by word. */
const mostBytes = 20 * 1024 * 1024;
/** Bytes of an error that is looked at; the status of a longer one must do. */
const mostErrorBytes = 256 * 1024;

const textOf = (response: Response, most: number) => new Response(response.body?.pipeThrough(meter(most))).text();

async function refusalIn(response: Response): Promise<Refused> {
  const body = await textOf(response, mostErrorBytes).catch(() => '');
  const { kinds } = readErrorObject(readBody(body));
  return new Refused({ status: response.status, kinds, said: body, headers: Object.fromEntries(response.headers) });
}

/**
 * Sends a form and reads the whole answer. No redirect is followed, because the key would go along.
 * @throws Refused, which may quote what was said; whatever an abort of `signal` throws.
 */
export async function send(address: TranscriptionAddress, form: FormData, signal: AbortSignal): Promise<Answer> {
  const { url, headers } = address;
  try {
    const response = await fetch(url, { method: 'POST', headers, body: form, redirect: 'manual', signal });
    if (!response.ok) throw await refusalIn(response);
    return { headers: Object.fromEntries(response.headers), body: await textOf(response, mostBytes) };
  } catch (error) {
    if (error instanceof Refused || signal.aborted) throw error;
    const network = networkCode(error);
    // Whatever else `fetch` throws is a TypeError: it spoke to no HTTP server.
    if (network === undefined && !(error instanceof TypeError)) throw error;
    throw new Refused({ network: network ?? 'CONNECT_FAILED' });
  }
}
