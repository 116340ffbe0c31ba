/*
 * The person for whom this window acts. The cookie of the browser may belong to somebody else since another window
 * signed in. The service refuses requests that name another person or workspace than those of the session
 * (docs/security.md).
 */

/** A person in a workspace. */
export interface Actor {
  user: { id: string };
  workspace: { id: string };
}

/** The reason of the refusal. */
export const sessionChanged = 'session_changed';

let current: Actor | null = null;

/** Sets whom the pages of this window show; null for nobody. */
export function setActor(actor: Actor | null): void {
  current = actor;
}

/** The person of this window; undefined for nobody. */
export const actorId = (): string | undefined => current?.user.id;

/** The header that names for whom a request is made, by default the person of this window. */
export function actingAs(actor: Actor | null = current): Record<string, string> {
  return actor === null ? {} : { 'Tandem-Acting-As': `${actor.user.id}/${actor.workspace.id}` };
}

/** By then this browser has the cookie of a session that another window moves. */
const cookieMs = 500;
let moving: Promise<void> | undefined;

/** Notes that this window moves or ends its session: until that is answered, a 401 does not say which. */
export function whileMoving<Result>(move: Promise<Result>): Promise<Result> {
  const end = () => {
    moving = undefined;
  };
  moving = move.then(end, end);
  return move;
}

/** Resolves once a session that is being moved, by this window or another one, is the one of this browser. */
export const whenMoved = (): Promise<void> =>
  moving ??
  new Promise((resolve) => {
    setTimeout(resolve, cookieMs);
  });
