import type { Db } from '../db/client.ts';

/** A turn of an agent in a chat. */
export interface TurnRef {
  workspaceId: string;
  chatId: string;
  turnId: string;
}

/** Something short to be written about a thing of the workspace: `id` is that of the chat, the skill or the todo. */
export interface DigestRef {
  kind: 'chat_title' | 'chat_subtitle' | 'skill_summary' | 'minutes_saved';
  workspaceId: string;
  id: string;
}

/** A capture that is worked on. */
export interface CaptureRef {
  workspaceId: string;
  captureId: string;
}

/**
 * Work that goes on behind the requests. A job is made in the transaction it is given and starts once that commits; its
 * payload is ids alone. A job may be done twice or never: what must be exact is held by the rows that it works on.
 */
export interface Jobs {
  /** Works on a turn, not before the instant `after` when one is given. */
  turn(tx: Db, turn: TurnRef, after?: string): Promise<void>;
  digest(tx: Db, digest: DigestRef): Promise<void>;
  /** Works on a capture, not before the instant `after` when one is given. */
  capture(tx: Db, capture: CaptureRef, after?: string): Promise<void>;
}
