import type { Claim } from '../../../domain/turns/steps.ts';
import { leasesOf } from '../queue/leases.ts';

/**
 * The turns of agents. A turn of a chat that is answered at once has begun with its first claim; the chat and the run
 * of any other begin with its first step.
 */
export const turnLeases = leasesOf<Claim>({
  name: 'chat_turns',
  key: [{ column: 'id', type: 'uuid', property: 'turnId' }],
  due: 'lease_until',
  attempt: 'attempt',
  // A difference, because Citus allows only what is immutable on columns of an update.
  isSoon: `(t.not_before is null or t.lease_until - t.not_before > interval '2 minutes')`,
  open: 't.ended_at is null and t.lease_until is not null',
  eligible: `(t.not_before is null or t.not_before <= now())
    and (select c.status from chats c where c.workspace_id = t.workspace_id and c.id = t.chat_id) in ('running', 'queued')`,
  held: 't.ended_at is null and t.worker_id is not null',
  onClaim: `worker_id = $2, claims = t.claims + 1,
    started_at = coalesce(t.started_at, case when t.run_id is null and t.not_before is null then now() end)`,
  onRelease: 'worker_id = null',
  onHandBack: 'claims = greatest(0, t.claims - 1)',
  columns: `t.claims, t.chat_id as "chatId", t.id as "turnId", t.agent_id as "agentId", t.user_id as "userId", t.run_id as "runId",
    c.agent_id as "namedAgentId", c.todo_id as "todoId", t.trigger, t.scopes, t.depth, c.timezone, t.active_ms as "activeMs",
    t.started_at is not null and c.status = 'running' as "hasBegun"`,
  joins: 'join chats c on c.workspace_id = t.workspace_id and c.id = t.chat_id',
  notifies: 'turns',
});
