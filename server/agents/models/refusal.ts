import { APICallError } from 'ai';
import { chain, networkCode, type Refusal, Refused, readBody, readErrorObject } from '../../providers/refusal.ts';

/** Reads whatever the AI SDK throws, or puts into a stream as an error. */
export function refusalOf(error: unknown): Refusal {
  for (const each of chain(error)) if (each instanceof Refused) return each.refusal;
  const network = networkCode(error);
  if (network !== undefined) return { kinds: [], said: '', headers: {}, network };
  if (APICallError.isInstance(error) && error.statusCode === undefined)
    return { kinds: [], said: '', headers: {}, network: 'CONNECT_FAILED' };
  if (APICallError.isInstance(error) && (error.statusCode ?? 0) >= 300) {
    const { status, kinds, said } = readErrorObject(readBody(error.responseBody));
    const whole = `${said} ${error.message}`;
    return { status: error.statusCode ?? status, kinds, said: whole, headers: error.responseHeaders ?? {} };
  }
  // Anything else that is an error is the SDK's: it could not read what came.
  if (error instanceof Error) return { kinds: [error.name], said: '', headers: {}, unreadable: 'stream' };
  return { ...readErrorObject(error), headers: {} };
}
