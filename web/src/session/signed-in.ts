import { direct } from '../api/direct.ts';

/*
 * Between the pages before the sign-in and the work: the former load neither TanStack Query nor the identity of the
 * latter, for their size.
 */

/** Call after a sign-in or sign-up: removes the cached data of another user, and reads the new identity. */
export async function signedIn(): Promise<void> {
  const { adoptSession } = await import('./session.ts');
  await adoptSession();
}

/** Whether this browser has a session, as the service says; false too when it cannot be reached. */
export async function hasSession(): Promise<boolean> {
  return direct.meta.identity.query({}).then(
    () => true,
    () => false,
  );
}
