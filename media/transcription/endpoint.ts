import { Refused, readBody, readErrorObject, refusalOfRequest } from '../../engine/providers/errors.ts';
import { operatorClient } from '../../outbound/operator.ts';
import type { Answer } from './answer.ts';
import type { TranscriptionAddress } from './settings.ts';

const request = operatorClient({
  // Hours of speech, word by word.
  maxBytes: 20 * 1024 * 1024,
  // A longer error is known by its status alone.
  maxErrorBytes: 256 * 1024,
  silenceMs: 300_000,
  totalMs: 600_000,
});

async function refusalIn(response: Response): Promise<Refused> {
  const body = await response.text().catch(() => '');
  const { kinds } = readErrorObject(readBody(body));
  return new Refused({ status: response.status, kinds, text: body, headers: Object.fromEntries(response.headers) });
}

/**
 * Sends a form and reads the whole answer. No redirect is followed, because the key would go along.
 * @throws Refused, which may quote the recording; whatever an abort of `signal` throws.
 */
export async function send(address: TranscriptionAddress, form: FormData, signal: AbortSignal): Promise<Answer> {
  const { url, headers } = address;
  try {
    const response = await request(url, { method: 'POST', headers, body: form, signal });
    if (!response.ok) throw await refusalIn(response);
    return { headers: Object.fromEntries(response.headers), body: await response.text() };
  } catch (error) {
    if (error instanceof Refused || signal.aborted) throw error;
    const refusal = refusalOfRequest(error);
    throw refusal ? new Refused(refusal) : error;
  }
}
