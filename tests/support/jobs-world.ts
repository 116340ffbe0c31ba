import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import { startTurn } from '../../domain/chats/turns.ts';
import type { TurnRef } from '../../domain/jobs.ts';
import type { Job } from '../../server/workers/queue/loop.ts';
import type { Handlers } from '../../server/workers/work.ts';
import { startTestService, type TestService, type TestWorkspace } from './harness.ts';

type Owner = Pick<TestWorkspace, 'workspaceId' | 'userId'>;
type Act = (signal: AbortSignal) => Promise<void>;

const defaultAgent = 'select id from agents where workspace_id = $1 and is_default';
const insertChat = 'insert into chats (workspace_id, id, status) values ($1, $2, $3)';

/** A chat with a turn that workers may claim, at once or at `notBefore`, in the transaction given. */
export async function newTurn(
  tx: Db,
  { workspaceId, userId }: Owner,
  notBefore: string | null = null,
): Promise<TurnRef> {
  const chatId = newId();
  const [agent] = await tx.rows<{ id: string }>(defaultAgent, [workspaceId]);
  await tx.rows(insertChat, [workspaceId, chatId, 'running']);
  const starter = { userId, scopes: [], depth: 0 };
  const turn = { workspaceId, chatId, agentId: agent?.id ?? '', starter, trigger: 'chat' as const, notBefore };
  return { workspaceId, chatId, turnId: await startTurn({ db: tx }, turn) };
}

/** Handlers that a test watches. A turn ends when its handler resolves. */
export interface Watch extends Pick<Handlers, 'onTurn' | 'onDigest'> {
  /** When the turn was given to the handler, each time: milliseconds as of `Date.now()`. */
  times(turn: TurnRef): number[];
  /** Does this before the turn ends. */
  when(turn: TurnRef, act: Act): void;
  digests: string[];
  /** Called once, while the next digest is written. */
  onNextDigest?: (() => Promise<void>) | undefined;
}

const end = `update chat_turns set ended_at = now(), outcome = 'completed', worker_id = null
  where workspace_id = $1 and id = $2 and attempt = $3 and ended_at is null`;

function watch(db: () => Db): Watch {
  const seen = new Map<string, number[]>();
  const acts = new Map<string, Act>();
  const digests: string[] = [];
  const watched: Watch = {
    digests,
    times: ({ turnId }) => seen.get(turnId) ?? [],
    when: ({ turnId }, act) => void acts.set(turnId, act),
    onTurn: async ({ workspaceId, turnId, attempt }, { signal }: Job) => {
      seen.set(turnId, [...(seen.get(turnId) ?? []), Date.now()]);
      await acts.get(turnId)?.(signal);
      await db().rows(end, [workspaceId, turnId, attempt]);
    },
    onDigest: async ({ id }) => {
      digests.push(id);
      const { onNextDigest } = watched;
      watched.onNextDigest = undefined;
      await onNextDigest?.();
    },
  };
  return watched;
}

/** Never ends unless the signal is aborted: then it rejects, as handlers must. */
export function untilStopped(signal: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/** A service of the test, with handlers that it watches. */
export async function startWatched(environment: Record<string, string> = {}): Promise<TestService & { watch: Watch }> {
  const handlers = watch(() => service.db);
  const service: TestService = await startTestService(environment, { handlers });
  return { ...service, watch: handlers };
}

export interface TurnSeed {
  /** Of the chat. */
  status?: 'running' | 'queued' | 'awaiting_input' | 'completed';
  /** Seconds from now; null for none. */
  lease?: number | null;
  notBefore?: number | null;
  ended?: boolean;
}

/** A chat with a turn whose row is in a certain state. Nobody is notified of it. */
export async function turnInState(
  { db }: Pick<TestService, 'db'>,
  { workspaceId, userId }: Owner,
  { status = 'running', lease = -1, notBefore = null, ended = false }: TurnSeed = {},
): Promise<TurnRef> {
  const turn: TurnRef = { workspaceId, chatId: newId(), turnId: newId() };
  await db.rows(insertChat, [workspaceId, turn.chatId, status]);
  await db.rows(
    `insert into chat_turns (workspace_id, id, chat_id, agent_id, user_id, trigger, scopes, lease_until, not_before, ended_at, outcome)
      select $1, $2, $3, a.id, $4, 'chat', '{}', now() + $5::float8 * interval '1 second',
        now() + $6::float8 * interval '1 second', case when $7 then now() end, case when $7 then 'completed' end
      from agents a where a.workspace_id = $1 and a.is_default`,
    [workspaceId, turn.turnId, turn.chatId, userId, lease, notBefore, ended],
  );
  return turn;
}
