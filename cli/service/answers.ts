import type { CatalogueOperation } from '../model/catalogue.ts';
import { CliFailure, type ErrorBody, exitCodes, foreignAnswer, Refused } from '../model/failure.ts';
import { isUncertain } from '../model/retries.ts';
import { oneLine } from '../terminal/safe.ts';

/* What is read from a response: of the service, or of another server on the way to it. */

/** The error object of a response, or one that describes a response of another server. */
export async function errorOf(response: Response): Promise<ErrorBody> {
  const text = await response.text().catch(() => '');
  try {
    const body = JSON.parse(text) as ErrorBody;
    if (typeof body?.code === 'string' && typeof body.message === 'string') return body;
  } catch {}
  const status = `${response.status} ${response.statusText}`.trim();
  const message =
    response.status === 429 || isUncertain(response.status)
      ? `A server on the way to Tandem answered: ${status}. Try again later.`
      : `The response is not from Tandem: ${status}. Check the address, and the servers on the way.`;
  return { code: foreignAnswer, message };
}

/**
 * The body of a success: an object of the service, which says what it is. @throws Refused when another server answered.
 */
export async function bodyOf({ answer }: CatalogueOperation, text: string): Promise<unknown> {
  let statusText = 'without JSON';
  try {
    const body = JSON.parse(text) as { object?: unknown } | null;
    if (!answer.object || typeof body?.object === 'string') return body;
    statusText = 'with other JSON';
  } catch {}
  throw new Refused(502, await errorOf(new Response(text, { status: 200, statusText })));
}

/** Sees that a success is a stream of events. @throws Refused when another server answered. */
export async function seeEvents(response: Response): Promise<void> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) return;
  await response.body?.cancel();
  throw new Refused(502, await errorOf(new Response(null, { status: 200, statusText: 'without events' })));
}

/** The failure of a redirect: to another address of the service, or away from it, such as to a page to sign in. */
export function redirection(from: string, to: URL, path: string): CliFailure {
  const [base, rest] = `${to.origin}${to.pathname}`.split(`/api/v1${path}`);
  // The line is for a shell, which would execute what another server put into it.
  const isService = base !== undefined && rest === '' && base !== from && /^[\w.:/[\]%~-]+$/.test(base);
  return new CliFailure(
    exitCodes.unreachable,
    `${from} redirects to ${oneLine(isService ? base : `${to.origin}${to.pathname}`)}.`,
    [
      isService
        ? `If that is your service: tandem login --url ${base}`
        : 'That is not the API of Tandem. Let the server on the way pass requests to /api/v1 on, or check the address.',
    ],
  );
}
