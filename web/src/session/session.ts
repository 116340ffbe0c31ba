import { useMutation } from '@tanstack/react-query';
import { useOutletContext } from 'react-router';
import { whileMoving } from '../api/acting.ts';
import { api, problemOf } from '../api/client.ts';
import { forgetReads, type Identity, identityQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { useGo } from '../navigation/navigation.tsx';
import { loadPage } from '../navigation/start.ts';
import { wipeStored } from '../offline/store.ts';
import { useNotice } from '../ui/notice.tsx';
import { showBadge } from './app-badge.ts';

/** A feature with state that belongs to the session of this browser. */
interface SessionGuard {
  /**
   * `ends`: the session ends, else it moves to another workspace. `discards`: the person has agreed that what is not
   * sent is lost. @throws ProblemError when that must not happen now.
   */
  check(to: { ends: boolean; discards: boolean }): void | Promise<void>;
  /** Deletes what this browser stores for the person who signs out. */
  clear(): void | Promise<void>;
}

/** The reason of the error with which a sign-out asks whether what is not sent is discarded. */
export const changesWait = 'changes_wait';

const guards = new Set<SessionGuard>();

let loadGuards: () => Promise<unknown> = async () => {};

/**
 * Sets what registers the guards that are not loaded yet: they have to be asked also where their pages were not opened.
 */
export function setGuards(load: typeof loadGuards): void {
  loadGuards = load;
}

/** @throws ProblemError when a feature forbids that the session ends or moves now. */
async function checkGuards(to: Parameters<SessionGuard['check']>[0]): Promise<void> {
  await loadGuards();
  for (const guard of guards) await guard.check(to);
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
  forgetReads(queryClient);
  await queryClient.fetchQuery({ ...identityQuery, staleTime: 0 });
}

/** Ends the session of this browser and goes to the sign-in. `discards`: also where something is not sent yet. */
export function useSignOut() {
  const go = useGo();
  return async (to = '/sign-in', discards = false) => {
    await checkGuards({ ends: true, discards });
    // First: once there is no identity, the frame itself would go to the sign-in and say that the session has ended.
    await loadPage(new URL(to, location.origin).pathname).catch(() => {});
    await whileMoving(api.auth.signOut.mutate({}));
    for (const guard of guards) await guard.clear();
    showBadge(0);
    await wipeStored(true);
    await queryClient.cancelQueries();
    queryClient.setQueryData(identityQuery.queryKey, null);
    await go(to, { state: { notice: 'You are signed out.' } });
    // What was under way at the first time may have stored more.
    await wipeStored(true);
    forgetReads(queryClient);
  };
}

/** Moves the session of this browser to another workspace. */
export function useSwitchWorkspace() {
  return async (workspaceId: string) => {
    await checkGuards({ ends: false, discards: false });
    await queryClient.cancelQueries();
    const { workspace } = await whileMoving(api.auth.switchWorkspace.mutate({ workspaceId }));
    await queryClient.fetchQuery({ ...identityQuery, staleTime: 0 });
    void queryClient.invalidateQueries();
    return workspace.name;
  };
}

/** The switch to another workspace by a press: its result, and what prevents it, is shown in a notice. */
export function useSwitching() {
  const notify = useNotice();
  return useMutation({
    mutationFn: useSwitchWorkspace(),
    onSuccess: (name) => notify(`You are in ${name} now.`),
    onError: (error) => notify(problemOf(error).message),
  });
}
