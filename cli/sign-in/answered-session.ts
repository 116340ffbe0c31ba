import type { Context, Parsed } from '../commands/invocation.ts';
import type { CatalogueOperation } from '../model/catalogue.ts';
import type { Answer } from '../service/calls.ts';
import { connectionFor, profileNameOf } from './profiles.ts';

type Thing = Record<string, unknown>;

/** Whether the session of the request is replaced by the one in the answer, and refused from then on. */
function replacesSession({ access, method, answer: { object, fields } }: CatalogueOperation): boolean {
  return access === 'session' && method === 'POST' && object === 'session' && fields.includes('token');
}

/** Whether an answer opens a session, or the challenge of a second factor before one, as a sign-in does. */
const opensSession = (body: unknown) =>
  ['session', 'sign_in_challenge'].includes(String((body as Thing | null)?.object)) && (body as Thing).token;

/**
 * Sends while the profile is locked for the change, so that nothing is sent when the new session could not be stored.
 */
async function replaceSession(send: () => Promise<Answer>, parsed: Parsed, { store, ...context }: Context) {
  const name = profileNameOf(parsed, { store, ...context });
  let body: Thing | undefined;
  await store.change(async ({ profiles }) => {
    body ??= (await send()).body as Thing;
    const { token, expiresAt } = body as { token: string; expiresAt: string };
    const { session } = profiles[name] ?? {};
    if (session) Object.assign(session, { token, expiresAt });
  });
  const { token: _, ...shown } = body ?? {};
  return shown;
}

/**
 * The body of the answer of an operation. Where the operation replaces the session of the profile, the new one is
 * stored and its token left out. For any other session that it opens, a line on stderr says that nothing was stored.
 */
export async function bodyOf(
  operation: CatalogueOperation,
  send: () => Promise<Answer>,
  parsed: Parsed,
  context: Context,
): Promise<unknown> {
  const { environment, err } = context;
  const isReplaced = replacesSession(operation);
  if (isReplaced && !environment.TANDEM_API_KEY?.trim() && connectionFor(parsed, context).has('session')) {
    const shown = await replaceSession(send, parsed, context);
    const { apiKey, grant } = context.store.read().profiles[profileNameOf(parsed, context)] ?? {};
    if (apiKey || grant) {
      err.write('Only the session was moved: todos are read and written with the key or grant of the profile.\n');
    }
    return shown;
  }
  const { body } = await send();
  if (isReplaced) err.write('The session in TANDEM_API_KEY is refused from now on: set it to the new token.\n');
  else if (opensSession(body)) {
    err.write('Nothing was stored. To sign in with this client: tandem login --email YOU@EXAMPLE.COM\n');
  }
  return body;
}
