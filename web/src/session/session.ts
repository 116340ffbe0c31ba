import { useOutletContext } from 'react-router';
import { api } from '../api/client.ts';
import { type Identity, identityQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { useGo } from '../navigation/navigation.tsx';
import { loadPage } from '../navigation/start.ts';

/** A feature with state that belongs to the session of this browser. */
interface SessionGuard {
  /** @throws ProblemError when the session must not end or move now. */
  check(): void;
  /** Deletes what this browser stores for the person who signs out. */
  clear(): void;
}

const guards = new Set<SessionGuard>();

let loadGuards: () => Promise<unknown> = async () => {};

/** Sets what registers the guards that are not loaded yet: they have to be asked also where their pages were not opened. */
export function setGuards(load: typeof loadGuards): void {
  loadGuards = load;
}

/** @throws ProblemError when a feature forbids that the session ends or moves now. */
async function checkGuards(): Promise<void> {
  await loadGuards();
  for (const guard of guards) guard.check();
}

/** Registers a guard that is called before the session of this browser ends or moves to another workspace. */
export function guardSession(guard: SessionGuard): void {
  guards.add(guard);
}

/** The identity of the signed-in user, for pages inside the frame. */
export function useIdentity(): Identity {
  return useOutletContext<Identity>();
}

/** Removes the cached data of another user, and reads the new identity. Call it through `signedIn`. */
export async function adoptSession(): Promise<void> {
  await queryClient.cancelQueries();
  queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== identityQuery.queryKey[0] });
  await queryClient.fetchQuery({ ...identityQuery, staleTime: 0 });
}

/** Ends the session of this browser and goes to the sign-in. */
export function useSignOut() {
  const go = useGo();
  return async (to = '/sign-in') => {
    await checkGuards();
    // First: once there is no identity, the frame itself would go to the sign-in and say that the session has ended.
    await loadPage(new URL(to, location.origin).pathname).catch(() => {});
    await api.auth.signOut.mutate({});
    for (const guard of guards) guard.clear();
    await queryClient.cancelQueries();
    queryClient.setQueryData(identityQuery.queryKey, null);
    await go(to, { state: { notice: 'You are signed out.' } });
    queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== identityQuery.queryKey[0] });
  };
}

/** Moves the session of this browser to another workspace. */
export function useSwitchWorkspace() {
  return async (workspaceId: string) => {
    await checkGuards();
    await queryClient.cancelQueries();
    const { workspace } = await api.auth.switchWorkspace.mutate({ workspaceId });
    await queryClient.fetchQuery({ ...identityQuery, staleTime: 0 });
    void queryClient.invalidateQueries();
    return workspace.name;
  };
}
