import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { instant, workspaceId } from './columns.ts';

/** The tenant itself. `agent_minutes` is what is left to spend. */
export const workspaces = pgTable('workspaces', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  timezone: text('timezone').notNull().default('UTC'),
  agentMinutes: numeric('agent_minutes', { precision: 12, scale: 1, mode: 'number' }).notNull(),
  /** Sessions of members without a second factor open only what is needed to set one up. */
  requireSecondFactor: boolean('require_second_factor').notNull().default(false),
  createdAt: instant('created_at').notNull().default(sql`now()`),
});

/**
 * A person, in any number of workspaces: not a tenant table. `email_verified_at` is when the person proved that they
 * read what is sent to the address; null until then. The owner that the first start makes has the empty address until a
 * person takes the workspace: at most one, by the unique index.
 */
export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey(),
    email: text('email').notNull(),
    name: text('name').notNull(),
    passwordHash: text('password_hash').notNull(),
    emailVerifiedAt: instant('email_verified_at'),
    createdAt: instant('created_at').notNull().default(sql`now()`),
  },
  (table) => [uniqueIndex('users_email').on(sql`lower(${table.email})`)],
);

/**
 * A person in a workspace. A removed member stays as a row, so that what the person was assigned keeps its name.
 * `user_id` has no foreign key: every key of a tenant table starts with `workspace_id`, and users belong to none.
 */
export const members = pgTable(
  'members',
  {
    workspaceId: workspaceId(),
    userId: uuid('user_id').notNull(),
    role: text('role', { enum: ['owner', 'member'] }).notNull(),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    removedAt: instant('removed_at'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.userId] }),
    foreignKey({ name: 'members_workspace_fk', columns: [table.workspaceId], foreignColumns: [workspaces.id] }),
    index('members_user').on(table.userId),
  ],
);

/** A worker with standing instructions. Exactly one per workspace is the default. */
export const agents = pgTable(
  'agents',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    description: text('description'),
    instructions: text('instructions'),
    version: integer('version').notNull().default(1),
    requiresApproval: boolean('requires_approval').notNull().default(true),
    approvalGuidance: text('approval_guidance'),
    workingHoursEnabled: boolean('working_hours_enabled').notNull().default(false),
    workingHours: jsonb('working_hours'),
    isDefault: boolean('is_default').notNull().default(false),
    archivedAt: instant('archived_at'),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    updatedAt: instant('updated_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({ name: 'agents_workspace_fk', columns: [table.workspaceId], foreignColumns: [workspaces.id] }),
    uniqueIndex('agents_default').on(table.workspaceId).where(sql`is_default`),
    uniqueIndex('agents_name').on(table.workspaceId, sql`lower(${table.name})`).where(sql`archived_at is null`),
    index('agents_created').on(table.workspaceId, table.createdAt, table.id),
  ],
);

/** Instructions that an agent reads when it needs them. */
export const agentSkills = pgTable(
  'agent_skills',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    agentId: uuid('agent_id').notNull(),
    name: text('name').notNull(),
    instructions: text('instructions'),
    summary: text('summary'),
    archivedAt: instant('archived_at'),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    updatedAt: instant('updated_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      name: 'agent_skills_agent_fk',
      columns: [table.workspaceId, table.agentId],
      foreignColumns: [agents.workspaceId, agents.id],
    }),
    index('agent_skills_agent').on(table.workspaceId, table.agentId, table.createdAt, table.id),
  ],
);

/**
 * Every change of a workspace's agent minutes: grants are positive, work is negative. The entries of a workspace add up
 * to its `agent_minutes`. What an entry names may be erased later, so it refers without foreign keys.
 */
export const minuteEntries = pgTable(
  'minute_entries',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    kind: text('kind', { enum: ['grant', 'turn', 'capture'] }).notNull(),
    minutes: numeric('minutes', { precision: 12, scale: 1, mode: 'number' }).notNull(),
    agentId: uuid('agent_id'),
    chatId: uuid('chat_id'),
    turnId: uuid('turn_id'),
    todoId: uuid('todo_id'),
    captureId: uuid('capture_id'),
    trigger: text('trigger', { enum: ['chat', 'manual', 'create', 'assignment', 'schedule', 'capture'] }),
    createdAt: instant('created_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({ name: 'minute_entries_workspace_fk', columns: [table.workspaceId], foreignColumns: [workspaces.id] }),
    check('minute_entries_sign', sql`(kind = 'grant') = (minutes > 0)`),
    index('minute_entries_created').on(table.workspaceId, table.createdAt, table.id),
    index('minute_entries_turn').on(table.workspaceId, table.turnId).where(sql`turn_id is not null`),
  ],
);

/**
 * Up to which day, in UTC, the ledger of a workspace has been summed up in `minute_days`. A trigger sets it back when
 * an entry of an earlier day is made.
 */
export const minutePositions = pgTable(
  'minute_positions',
  {
    workspaceId: workspaceId().primaryKey(),
    summedUntil: date('summed_until').notNull(),
  },
  (table) => [
    foreignKey({
      name: 'minute_positions_workspace_fk',
      columns: [table.workspaceId],
      foreignColumns: [workspaces.id],
    }),
  ],
);

/**
 * The ledger of one day in UTC as sums, in lists of the same length. Minutes of work are in tenths. A turn is counted
 * where it was charged first; where it was charged again is in `again_…`, with the quarters of an hour since its charge
 * before.
 */
export const minuteDays = pgTable(
  'minute_days',
  {
    workspaceId: workspaceId(),
    day: date('day').notNull(),
    granted: numeric('granted', { precision: 14, scale: 1, mode: 'number' }).notNull(),
    /** By quarters of an hour of the day, from 0. */
    quarters: smallint('quarters').array().notNull(),
    quarterMinutes: integer('quarter_minutes').array().notNull(),
    quarterTurns: integer('quarter_turns').array().notNull(),
    /** By agent and trigger; no agent: captures. */
    agents: uuid('agents').array().notNull(),
    triggers: text('triggers').array().notNull(),
    workMinutes: integer('work_minutes').array().notNull(),
    workTurns: integer('work_turns').array().notNull(),
    /** `again_work`: place in the lists by agent and trigger, from 1; 0 where the charge before was on the same day. */
    againQuarters: smallint('again_quarters').array().notNull(),
    againAfter: integer('again_after').array().notNull(),
    againWork: smallint('again_work').array().notNull(),
    againTurns: integer('again_turns').array().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.day] }),
    foreignKey({ name: 'minute_days_workspace_fk', columns: [table.workspaceId], foreignColumns: [workspaces.id] }),
  ],
);
