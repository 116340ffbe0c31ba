import { v7 as newId } from 'uuid';
import type { TurnRef } from '../routers/jobs.ts';
import type { Handlers } from '../server/jobs/work.ts';
import { startTestService, type TestService, type TestWorkspace } from './harness.ts';

/** A turn that names nothing: the queue does not care. */
export function aTurn(): TurnRef {
  return { workspaceId: newId(), chatId: newId(), turnId: newId() };
}

/** Handlers of jobs that a test watches; jobs of other tests pass through them unseen. */
export interface Watch extends Handlers {
  /** When the turn was handed to the handler, each time: milliseconds as of `Date.now()`. */
  times(turn: TurnRef): number[];
  /** Does this instead of nothing. */
  when(turn: TurnRef, act: (signal: AbortSignal) => Promise<void>): void;
  digests: string[];
}

export function watch(): Watch {
  const seen = new Map<string, number[]>();
  const acts = new Map<string, (signal: AbortSignal) => Promise<void>>();
  const digests: string[] = [];
  return {
    digests,
    times: ({ turnId }) => seen.get(turnId) ?? [],
    when: ({ turnId }, act) => void acts.set(turnId, act),
    onTurn: async ({ turnId }, signal) => {
      seen.set(turnId, [...(seen.get(turnId) ?? []), Date.now()]);
      await acts.get(turnId)?.(signal);
    },
    onDigest: async ({ id }) => {
      digests.push(id);
    },
    onCapture: async () => {},
  };
}

/** Never ends unless the process stops: then it rejects, as handlers should. */
export function untilStopped(signal: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/** A service of the test, with handlers that it watches. */
export async function startWatched(environment: Record<string, string> = {}): Promise<TestService & { watch: Watch }> {
  const handlers = watch();
  return { ...(await startTestService(environment, { handlers })), watch: handlers };
}

export interface TurnSeed {
  /** Of the chat. */
  status?: 'running' | 'queued' | 'awaiting_input' | 'completed';
  /** Seconds from now; null for none. */
  lease?: number | null;
  notBefore?: number | null;
  ended?: boolean;
}

/** A chat with a turn, as its rows stand when no job is left for it. */
export async function strandedTurn(
  { db }: Pick<TestService, 'db'>,
  { workspaceId, userId }: Pick<TestWorkspace, 'workspaceId' | 'userId'>,
  { status = 'running', lease = -1, notBefore = null, ended = false }: TurnSeed = {},
): Promise<TurnRef> {
  const turn: TurnRef = { workspaceId, chatId: newId(), turnId: newId() };
  await db.rows('insert into chats (workspace_id, id, status) values ($1, $2, $3)', [workspaceId, turn.chatId, status]);
  await db.rows(
    `insert into chat_turns (workspace_id, id, chat_id, agent_id, user_id, trigger, scopes, lease_until, not_before, ended_at, outcome)
      select $1, $2, $3, a.id, $4, 'chat', '{}', now() + $5::float8 * interval '1 second',
        now() + $6::float8 * interval '1 second', case when $7 then now() end, case when $7 then 'completed' end
      from agents a where a.workspace_id = $1 and a.is_default`,
    [workspaceId, turn.turnId, turn.chatId, userId, lease, notBefore, ended],
  );
  return turn;
}
