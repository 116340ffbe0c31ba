import { meter } from '../../providers/meter.ts';
import { Refused, readErrorObject } from '../../providers/refusal.ts';

/** Bytes of one response: far more than any answer has. */
const mostBytes = 64 * 1024 * 1024;
/** Bytes of an error that is read as a whole. */
const mostErrorBytes = 256 * 1024;

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
 * `fetch` for a provider. It follows no redirect, because the key would go along; it refuses a web page or a JSON object
 * in place of a stream, bounds what it reads, and calls `alive` with the signal
 * of the request whenever something arrives. @throws Refused, or what `fetch` throws.
 */
export function guardedFetch(onAlive: (signal: AbortSignal | null | undefined) => void): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    const alive = () => onAlive(init?.signal);
    alive();
    const body = response.body?.pipeThrough(meter(response.ok ? mostBytes : mostErrorBytes, alive)) ?? null;
    const guarded = new Response(body, response);
    if (!response.ok) return guarded;
    const type = response.headers.get('content-type') ?? '';
    if (/^application\/([\w.-]+\+)?json\b/i.test(type)) throw await refusedAsJson(guarded);
    if (body === null || /html/i.test(type)) {
      await body?.cancel();
      throw new Refused({ unreadable: 'page' });
    }
    return guarded;
  };
}
