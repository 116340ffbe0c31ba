import { subscribe } from 'node:diagnostics_channel';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { placements } from '../../db/engine/placement.ts';
import { unroutedIn } from '../../db/engine/routing.ts';

/** Whose work is not of one workspace. This list may only shrink. */
const acrossWorkspaces = new Set([
  // One that is known by a secret, or by a person who is in several.
  'domain/notifications/security-notice.ts',
  'domain/push/subscriptions.ts',
  'domain/workspaces/invitations.ts',
  'domain/workspaces/membership.ts',
  'server/access/admission.ts',
  'server/access/oauth/consent.ts',
  'server/pubsub/event-logs.ts',
  'server/recordings/claims.ts',
  // Whatever is due first, wherever that is.
  'domain/approvals/expiry.ts',
  'domain/events/number.ts',
  'domain/events/number-citus.ts',
  'domain/events/queue.ts',
  'domain/webhooks/fan-out.ts',
  'domain/webhooks/retention.ts',
  'domain/webhooks/sending.ts',
  'server/first-run.ts',
  'server/recordings/silence.ts',
  'server/scheduler/index.ts',
  'server/scheduler/reminders.ts',
  'server/sweeps.ts',
  'server/workers/queue/backlog.ts',
  'server/workers/queue/leases.ts',
  'server/workers/queue/leases-citus.ts',
]);

const root = fileURLToPath(new URL('../../', import.meta.url));
const distributed = new Set(
  [...placements.values()].filter(({ placement }) => placement === 'distributed').map(({ name }) => name),
);
/** Files that send the statements of others: the driver, drizzle, `db/` and what groups statements. */
const isBetween = (file: string) =>
  /^((node_modules|db|scripts)\/|server\/workers\/queue\/batches\.ts$)/.test(file) || file.startsWith('..');

/**
 * The file that sent a statement, or the one of drizzle which did. Undefined where the stack has neither: what waited
 * for a connection behind a race goes on without those who wait for it.
 */
function sender(): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 60;
  const files = [...(new Error().stack ?? '').matchAll(/file:\/\/[^:)]+/g)].map(([url]) =>
    relative(root, fileURLToPath(url)),
  );
  Error.stackTraceLimit = stackTraceLimit;
  return files.find((file) => !isBetween(file)) ?? files.find((file) => file.includes('/drizzle-orm/'));
}

/**
 * Watches the statements that the service sends in this process, and reports once each that does not name its workspace
 * in every query (`db/engine/routing.ts`). Statements of the tests themselves may do as they like.
 */
export function watchStatements(report: (fault: string) => void): void {
  const known = new Set<unknown>();
  subscribe('tandem:statement', (text) => {
    if (known.has(text)) return;
    const file = sender();
    if (file === undefined || file.startsWith('tests/')) return;
    known.add(text);
    if (acrossWorkspaces.has(file)) return;
    const [query] = unroutedIn(String(text), distributed);
    if (query !== undefined) {
      report(`A query of ${file} does not name its workspace by a bound parameter: ${query}`);
    }
  });
}
