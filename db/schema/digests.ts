import { index, integer, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core';
import { instant, workspaceId } from './columns.ts';

/**
 * Short texts to be written: titles and subtitles of chats, summaries of skills, estimates of todos. The row goes when
 * its text is written. `attempt` is the fence, and rises when the text is asked for again meanwhile; `tries` counts the
 * claims since then. From `lease_until` on any worker may claim it. What it names may have been erased: no foreign
 * keys.
 */
export const digests = pgTable(
  'digests',
  {
    workspaceId: workspaceId(),
    kind: text('kind', { enum: ['chat_title', 'chat_subtitle', 'skill_summary', 'minutes_saved'] }).notNull(),
    /** The chat, the skill or the todo. */
    subjectId: uuid('subject_id').notNull(),
    attempt: integer('attempt').notNull().default(0),
    tries: smallint('tries').notNull().default(0),
    workerId: uuid('worker_id'),
    leaseUntil: instant('lease_until').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.kind, table.subjectId] }),
    index('digests_due').on(table.workspaceId, table.leaseUntil),
  ],
);
