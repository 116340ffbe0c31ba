import type { Db } from '../db/client.ts';

/** What the person behind a client decided about an approval. `refused`: that decision was not possible. */
export interface Verdict {
  approvalId: string;
  outcome: 'approved' | 'denied' | 'undecided' | 'refused';
  /** Why nothing was decided. */
  message?: string | undefined;
}

/**
 * A credential was revoked. Without `credentialId`: a person was removed from a workspace or has another role there.
 * Whoever waits on their behalf checks again whether they may.
 */
export interface AccessChange {
  workspaceId: string;
  userId: string;
  credentialId?: string | null;
}

/** The channel of NOTIFY that carries `AccessChange` as JSON. Triggers send it, whatever statement makes the change. */
export const accessChannel = 'tandem_access';

/** Whose access it is. */
export interface Accessor {
  workspaceId: string;
  userId: string;
  credentialId?: string;
}

/** Whether the change is one of this access. */
export function concerns(change: AccessChange, { workspaceId, userId, credentialId }: Accessor): boolean {
  if (change.workspaceId !== workspaceId) return false;
  return change.credentialId ? change.credentialId === credentialId : change.userId === userId;
}

/**
 * A change of a chat, on any process. `resync`: the pg listener was disconnected, so events may have been missed.
 * `delta` is provisional text of the message that will have `sequence`, from its `offset`th UTF-16 code unit on; it is
 * never stored. A smaller `offset` than before replaces the text behind it: the answer started again.
 * `access` comes to those who subscribed on behalf of the principal whom it concerns, whatever the chat.
 */
export type LiveEvent =
  | { kind: 'status'; chatId: string }
  | { kind: 'message'; chatId: string }
  | ({ kind: 'verdict'; chatId: string } & Verdict)
  | { kind: 'delta'; chatId: string; sequence: number; offset: number; text: string }
  | ({ kind: 'access' } & AccessChange)
  | { kind: 'resync' };

/** Events of chats from all processes: one listening connection per process; payloads hold ids alone. */
export interface Live {
  /**
   * Calls `listener` for every event of the chat until the returned function is called. Subscribe, then read, then
   * sleep: an event in between is then never missed. `closely` subscribes to messages and deltas as well, `accessor` to
   * changes of their access.
   */
  subscribe(chatId: string, listener: (event: LiveEvent) => void, closely?: boolean, accessor?: Accessor): () => void;
  /** Whether a client of any process follows the chat closely. */
  isFollowed(chatId: string): boolean;
}

/** The channel of NOTIFY that carries `LiveEvent`s as JSON. */
export const liveChannel = 'tandem_live';

/** Notifies all processes once the transaction has committed. */
export function announce(db: Pick<Db, 'notify'>, event: LiveEvent): void {
  db.notify(liveChannel, JSON.stringify(event));
}
