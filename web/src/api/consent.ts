import { actingAs } from './acting.ts';
import { fetchJson } from './problem.ts';

/** The request of an app at `/oauth/consent?uid=…`; an endpoint of the OAuth server, not a procedure. */
export interface Interaction {
  client: { id: string; name: string; uri: string | null; logoUri: string | null; redirectHost: string };
  scopes: { name: string; description: string; sensitive: boolean; requested: boolean }[];
  workspaces: { id: string; name: string; role: 'owner' | 'member' }[];
}

/** The decision on a request; workspace and scopes only with `approve`. */
export interface Decision {
  decision: 'approve' | 'deny';
  workspaceId?: string;
  scopes?: string[];
}

const address = (uid: string) => `/oauth/interactions/${encodeURIComponent(uid)}`;

/** Reads a request. @throws ProblemError, with 404 or 410 when it has ended. */
export function readInteraction(uid: string, signal: AbortSignal): Promise<Interaction> {
  return fetchJson(address(uid), { signal });
}

/** Sends the decision, then follows the redirect of the response. */
export async function decide(uid: string, decision: Decision): Promise<void> {
  const { redirectTo } = await fetchJson<{ redirectTo: string }>(address(uid), {
    method: 'POST',
    // Another window may have signed in as somebody else since the page showed whose workspaces these are.
    headers: actingAs(),
    body: JSON.stringify(decision),
  });
  location.assign(redirectTo);
  // Never resolves, so that the button stays busy until the browser has left the page.
  await new Promise(() => {});
}
