import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { instant, transactionId, workspaceId } from './columns.ts';

/** What kind of actor changes something, and what a change came through. */
export const actorTypes = ['user', 'agent', 'service'] as const;
export const vias = ['rest', 'mcp', 'trpc', 'page', 'cli', 'agent', 'schedule'] as const;

/** Ids of what a resource belongs to. */
export interface EventParents {
  todoId?: string;
  chatId?: string;
  todoListId?: string;
  agentId?: string;
  captureId?: string;
  parentTodoId?: string;
}

/**
 * What an event is, before and after it has its number. It holds ids and names of fields, and no text that people
 * wrote.
 */
const facts = () => ({
  workspaceId: workspaceId(),
  id: uuid('id').notNull(),
  type: text('type').notNull(),
  /** The id of the resource; its kind is that of the type. */
  objectId: uuid('object_id').notNull(),
  parents: jsonb('parents').$type<EventParents>().notNull(),
  changedFields: text('changed_fields').array().notNull(),
  actorType: text('actor_type', { enum: actorTypes }).notNull(),
  actorId: uuid('actor_id'),
  credentialId: uuid('credential_id'),
  via: text('via', { enum: vias }).notNull(),
  requestId: text('request_id'),
  /** The version of the resource after the change, where resources of its kind have one. */
  version: integer('version'),
  /** The only person who may read it; null for everybody who may read the resource. */
  readerId: uuid('reader_id'),
});

/**
 * Events of transactions that may not have committed: each is written in the transaction of its change, and moved to
 * `events` once that has committed. No foreign keys: what it refers to may be erased.
 */
export const eventQueue = pgTable(
  'event_queue',
  {
    ...facts(),
    /** The order in which they were written: a transaction that waited for another one comes after it. */
    position: bigint('position', { mode: 'number' }).generatedAlwaysAsIdentity().notNull(),
    transaction: transactionId('transaction').notNull().default(sql`pg_current_xact_id()`),
    occurredAt: instant('occurred_at').notNull().default(sql`clock_timestamp()`),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

/**
 * The log: what changed in a workspace, in the order of the commits, numbered from 1 without gaps. What is erased
 * leaves its ids here.
 */
export const events = pgTable(
  'events',
  {
    ...facts(),
    sequence: bigint('sequence', { mode: 'number' }).notNull(),
    occurredAt: instant('occurred_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.sequence] }),
    uniqueIndex('events_id').on(table.workspaceId, table.id),
    index('events_object').on(table.workspaceId, table.objectId, table.sequence),
    index('events_actor').on(table.workspaceId, table.actorId, table.sequence),
    // What is old lies together, as rows are only added: a small index finds it for the sweep.
    index('events_age').using('brin', table.occurredAt),
  ],
);

/** The ends of the log of a workspace. The row is locked while its events get their numbers. */
export const eventPositions = pgTable(
  'event_positions',
  {
    workspaceId: workspaceId(),
    /** The sequence of the last event; 0 before the first. */
    latest: bigint('latest', { mode: 'number' }).notNull().default(0),
    /** Events up to here may have been deleted, because they were too old. */
    expired: bigint('expired', { mode: 'number' }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.workspaceId] })],
);
