import { fetchJson } from './client.ts';

/** What an app asks for at `/oauth/consent?uid=…`. Not a procedure: it belongs to the OAuth server. */
export interface Interaction {
  client: { id: string; name: string; uri: string | null; logoUri: string | null; redirectHost: string };
  scopes: { name: string; description: string; sensitive: boolean; requested: boolean }[];
  workspaces: { id: string; name: string; role: 'owner' | 'member' }[];
}

export interface Decision {
  decision: 'approve' | 'deny';
  workspaceId?: string;
  scopes?: string[];
}

const address = (uid: string) => `/oauth/interactions/${encodeURIComponent(uid)}`;

export function readInteraction(uid: string, signal: AbortSignal): Promise<Interaction> {
  return fetchJson(address(uid), { signal });
}

/** Tells the decision; the answer says where the browser goes on. */
export async function decide(uid: string, decision: Decision): Promise<void> {
  const { redirectTo } = await fetchJson<{ redirectTo: string }>(address(uid), {
    method: 'POST',
    body: JSON.stringify(decision),
  });
  location.assign(redirectTo);
  // The page stays as it is, with its button busy, until the browser has left.
  await new Promise(() => {});
}
