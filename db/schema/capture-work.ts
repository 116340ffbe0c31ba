import { sql } from 'drizzle-orm';
import { foreignKey, index, integer, jsonb, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core';
import { captures } from './captures.ts';
import { instant, workspaceId } from './columns.ts';

/**
 * What is still to be done for a capture: one row while anything is. `attempt` is the fence: a worker that claims the
 * work raises it, and only the worker that holds the current one may save. `tries` counts the faults of this step.
 */
export const captureWork = pgTable(
  'capture_work',
  {
    workspaceId: workspaceId(),
    captureId: uuid('capture_id').notNull(),
    step: text('step', { enum: ['assemble', 'transcribe', 'digest'] }).notNull(),
    attempt: integer('attempt').notNull().default(0),
    /** Claims of this step that never came back: a step that kills its process must end too. */
    claims: smallint('claims').notNull().default(0),
    tries: smallint('tries').notNull().default(0),
    workerId: uuid('worker_id'),
    /** From then on any worker may claim it. */
    leaseUntil: instant('lease_until').notNull(),
    createdAt: instant('created_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.captureId] }),
    foreignKey({
      name: 'capture_work_capture_fk',
      columns: [table.workspaceId, table.captureId],
      foreignColumns: [captures.workspaceId, captures.id],
    }).onDelete('cascade'),
    index('capture_work_due').on(table.workspaceId, table.leaseUntil),
  ],
);

/** Transcribed pieces of a recording, until the whole transcript stands in its capture. */
export const capturePieces = pgTable(
  'capture_pieces',
  {
    workspaceId: workspaceId(),
    captureId: uuid('capture_id').notNull(),
    /** From 0. */
    position: integer('position').notNull(),
    /** Where it ends in the recording: the next piece begins there. */
    endMs: integer('end_ms').notNull(),
    segments: jsonb('segments').notNull(),
    createdAt: instant('created_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.captureId, table.position] }),
    foreignKey({
      name: 'capture_pieces_capture_fk',
      columns: [table.workspaceId, table.captureId],
      foreignColumns: [captures.workspaceId, captures.id],
    }).onDelete('cascade'),
  ],
);

/** What a model found in the parts of a long capture, until it is written about as a whole. */
export const capturePoints = pgTable(
  'capture_points',
  {
    workspaceId: workspaceId(),
    captureId: uuid('capture_id').notNull(),
    /** Hash of what the model was asked: a part that has changed since is asked for again. */
    key: text('key').notNull(),
    points: jsonb('points').notNull(),
    createdAt: instant('created_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.captureId, table.key] }),
    foreignKey({
      name: 'capture_points_capture_fk',
      columns: [table.workspaceId, table.captureId],
      foreignColumns: [captures.workspaceId, captures.id],
    }).onDelete('cascade'),
  ],
);

/** Audio that is to be removed from the store: its capture was erased. Removed again until the row goes. */
export const audioRemovals = pgTable(
  'audio_removals',
  {
    workspaceId: workspaceId(),
    recordingId: uuid('recording_id').notNull(),
    /** What still writes has noticed by then. */
    lastAt: instant('last_at').notNull(),
    nextAt: instant('next_at').notNull(),
    attempt: integer('attempt').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.recordingId] }),
    index('audio_removals_due').on(table.workspaceId, table.nextAt),
  ],
);
