import type { Db } from '../db/client.ts';

/** What the person behind a client said of an approval. `refused`: it could not be decided so. */
export interface Verdict {
  approvalId: string;
  outcome: 'approved' | 'denied' | 'undecided' | 'refused';
  /** Why nothing was decided. */
  message?: string | undefined;
}

/**
 * What just happened to a chat, on any process. `resync`: the line was down, anything may have happened. `delta` is
 * provisional text of the message that will have `sequence`, from its `offset`th UTF-16 code unit on; it is never
 * stored. An `offset` that goes back takes back what came after it: the answer began anew.
 */
export type LiveEvent =
  | { kind: 'status'; chatId: string }
  | { kind: 'message'; chatId: string }
  | ({ kind: 'verdict'; chatId: string } & Verdict)
  | { kind: 'delta'; chatId: string; sequence: number; offset: number; text: string }
  | { kind: 'resync' };

/** News of chats from all processes: one listening connection each, ids alone on the line. */
export interface Live {
  /**
   * Calls `listener` for every event of the chat until the returned function is called. Subscribe, then read, then
   * sleep: what happens in between is then never missed. `closely` also asks for messages and deltas.
   */
  subscribe(chatId: string, listener: (event: LiveEvent) => void, closely?: boolean): () => void;
  /** Whether somebody, on any process, follows the chat closely. */
  isFollowed(chatId: string): boolean;
}

/** The channel of NOTIFY that carries `LiveEvent`s as JSON. */
export const liveChannel = 'tandem_live';

/** Tells all processes once the transaction commits. */
export async function announce(tx: Db, event: LiveEvent): Promise<void> {
  await tx.rows('select pg_notify($1, $2)', [liveChannel, JSON.stringify(event)]);
}
