import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { bytes, instant, workspaceId } from './columns.ts';
import { workspaces } from './workspaces.ts';

/**
 * A note, a recording or an imported transcript, bodies included. `active_ms` is what was worked on it, `minutes` what
 * was charged for that. `audio_key` names the playable file in the audio store once its chunks were joined.
 */
export const captures = pgTable(
  'captures',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    type: text('type', { enum: ['note', 'recording'] }).notNull(),
    status: text('status', { enum: ['recording', 'processing', 'completed', 'failed'] }).notNull(),
    /** Who made it. */
    userId: uuid('user_id').notNull(),
    title: text('title'),
    /** A person or the note itself gave the title: none is written. */
    titleGiven: boolean('title_given').notNull().default(false),
    subtitle: text('subtitle'),
    summary: text('summary'),
    content: text('content'),
    transcript: text('transcript'),
    notes: text('notes'),
    tags: text('tags').array().notNull().default(sql`'{}'`),
    /** BCP 47, as the person who records said. */
    language: text('language'),
    durationSeconds: integer('duration_seconds'),
    recordingId: uuid('recording_id'),
    recordedAt: instant('recorded_at'),
    audioKey: text('audio_key'),
    audioType: text('audio_type', { enum: ['audio/webm', 'audio/wav'] }),
    failureCode: text('failure_code', {
      enum: [
        'no_audio',
        'connection_lost',
        'transcription_failed',
        'summary_failed',
        'insufficient_minutes',
        'internal_error',
      ],
    }),
    failureMessage: text('failure_message'),
    failureRetryable: boolean('failure_retryable'),
    failedAt: instant('failed_at'),
    activeMs: integer('active_ms').notNull().default(0),
    minutes: numeric('minutes', { precision: 12, scale: 1, mode: 'number' }).notNull().default(0),
    archivedAt: instant('archived_at'),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    updatedAt: instant('updated_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({ name: 'captures_workspace_fk', columns: [table.workspaceId], foreignColumns: [workspaces.id] }),
    check('captures_failure', sql`(status = 'failed') = (failure_code is not null)`),
    check('captures_note', sql`type <> 'note' or status = 'completed'`),
    uniqueIndex('captures_recording').on(table.workspaceId, table.recordingId),
    index('captures_created').on(table.workspaceId, table.createdAt, table.id),
    index('captures_updated').on(table.workspaceId, table.updatedAt, table.id),
    index('captures_tags').using('gin', table.workspaceId, table.tags),
  ],
);

/** Title, bodies and summary of a capture, case-folded, for search; written only when one of them changes. */
export const captureSearch = pgTable(
  'capture_search',
  {
    workspaceId: workspaceId(),
    captureId: uuid('capture_id').notNull(),
    title: text('title').notNull(),
    /** Content, transcript and notes. */
    body: text('body').notNull(),
    /** Subtitle and summary. */
    summary: text('summary').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.captureId] }),
    foreignKey({
      name: 'capture_search_capture_fk',
      columns: [table.workspaceId, table.captureId],
      foreignColumns: [captures.workspaceId, captures.id],
    }).onDelete('cascade'),
    index('capture_search_trigrams').using(
      'gin',
      table.workspaceId,
      sql`${table.title} gin_trgm_ops`,
      sql`${table.body} gin_trgm_ops`,
      sql`${table.summary} gin_trgm_ops`,
    ),
  ],
);

/** The tags of a workspace: `key` is the name case-folded, `name` its first spelling, which captures carry. */
export const captureTags = pgTable(
  'capture_tags',
  {
    workspaceId: workspaceId(),
    key: text('key').notNull(),
    name: text('name').notNull(),
    lastUsedAt: instant('last_used_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.key] }),
    foreignKey({ name: 'capture_tags_workspace_fk', columns: [table.workspaceId], foreignColumns: [workspaces.id] }),
  ],
);

/**
 * The intake of a recording. The tokens are kept as SHA-256. `holder` is the connection that may add audio until
 * `lease_until`; one that resumes replaces it. What was received is what the audio store holds; `chunks` and
 * `size_bytes` follow with a delay.
 */
export const recordings = pgTable(
  'recordings',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    captureId: uuid('capture_id').notNull(),
    userId: uuid('user_id').notNull(),
    /**
     * The session that started it, or that replaced that one: once it is ended, no audio is added. Null: of a release
     * before.
     */
    credentialId: uuid('credential_id'),
    tokenHash: bytes('token_hash').notNull(),
    tokenExpiresAt: instant('token_expires_at').notNull(),
    /** Set by the first connection, which spends the token. */
    resumeHash: bytes('resume_hash'),
    mediaType: text('media_type', { enum: ['audio/webm', 'audio/wav'] }),
    holder: uuid('holder'),
    leaseUntil: instant('lease_until'),
    lastAudioAt: instant('last_audio_at').notNull().default(sql`now()`),
    chunks: integer('chunks').notNull().default(0),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull().default(0),
    maxSeconds: integer('max_seconds').notNull(),
    openedAt: instant('opened_at').notNull().default(sql`now()`),
    stoppedAt: instant('stopped_at'),
    stopReason: text('stop_reason', { enum: ['stopped', 'silence', 'connection_lost', 'max_duration', 'max_size'] }),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      name: 'recordings_capture_fk',
      columns: [table.workspaceId, table.captureId],
      foreignColumns: [captures.workspaceId, captures.id],
    }).onDelete('cascade'),
    uniqueIndex('recordings_capture').on(table.workspaceId, table.captureId),
    index('recordings_token').on(table.tokenHash),
    index('recordings_resume').on(table.resumeHash),
    index('recordings_silent').on(table.lastAudioAt).where(sql`stopped_at is null`),
    check('recordings_stopped', sql`(stopped_at is null) = (stop_reason is null)`),
  ],
);
