import type { Send } from '../../outbound/client.ts';
import type { Limits } from '../../outbound/exchange.ts';
import { operatorClient } from '../../outbound/operator.ts';
import { Refused, readErrorObject } from '../providers/errors.ts';

/** Far more than any answer has; the time-outs of a call (`timeouts.ts`) end it earlier. */
const limits: Limits = {
  maxBytes: 64 * 1024 * 1024,
  maxErrorBytes: 256 * 1024,
  silenceMs: 300_000,
  totalMs: 1_800_000,
};

/** The error that some gateways send with status 200, as JSON where a stream was asked for. */
async function refusedAsJson(response: Response): Promise<Refused> {
  const text = await response.text();
  const headers = Object.fromEntries(response.headers);
  try {
    const body = JSON.parse(text);
    if (body?.error) return new Refused({ ...readErrorObject(body), headers });
  } catch {
    // Not JSON after all.
  }
  return new Refused({ unreadable: 'stream', headers });
}

/**
 * Sends requests to a provider. It follows no redirect, because the key would go along; it refuses a web page or a JSON
 * object in place of a stream, bounds what it reads, and calls `onBytes` with the signal of the request whenever
 * something arrives. @throws Refused, or what the client throws.
 */
export function streamClient(onBytes: (signal: AbortSignal | null) => void): Send {
  const send = operatorClient(limits, onBytes);
  return async (input, init) => {
    const response = await send(input, init);
    if (!response.ok) return response;
    const type = response.headers.get('content-type') ?? '';
    if (/^application\/([\w.-]+\+)?json\b/i.test(type)) throw await refusedAsJson(response);
    if (response.body === null || /html/i.test(type)) {
      await response.body?.cancel();
      throw new Refused({ unreadable: 'page' });
    }
    return response;
  };
}
