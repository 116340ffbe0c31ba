import { setTimeout as sleep } from 'node:timers/promises';
import { constraintOf, isOfLostWorker, isOfMovedShard } from './engine/shard-errors.ts';

/*
 * Every class of database error, by SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html), by the
 * codes of the driver (CONNECTION_…, CONNECT_TIMEOUT) and by those of the system (ECONNREFUSED, …).
 */

/** Deadlock and serialization failure. */
const conflict = ['40P01', '40001'];
/** A connection was refused or lost, or the server is starting, stopping or full. */
const connection =
  '08\\w{3} 53300 57P0\\d CONNECTION_\\w+ CONNECT_TIMEOUT ECONN\\w+ EPIPE ETIMEDOUT EHOSTUNREACH'.split(' ');
/** The server lacks memory, disk or a working file system, or is read-only. */
const incapable = ['53\\w{3}', '58\\w{3}', '25006'];
/** The server ended an idle transaction, a wait for a lock, or a statement that took too long. */
const serverTimeout = ['25P03', '55P03', '57014'];
/** No connection of ours was free (`db/pool.ts`). */
const pool = ['POOL_FULL', 'POOL_TIMEOUT'];
/** The address leads nowhere. */
const address = ['ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'];
/** Nothing answers at the address. */
const silent = ['ECONNREFUSED', 'EHOSTUNREACH', 'ETIMEDOUT', 'CONNECT_TIMEOUT', 'ENOTFOUND', 'EAI_AGAIN'];

function anyOf(...codes: readonly string[]): RegExp {
  return new RegExp(`^(${codes.join('|')})$`);
}

const classes = {
  conflict: anyOf(...conflict),
  connection: anyOf(...connection),
  unavailable: anyOf(...connection, ...incapable, ...serverTimeout, ...pool, ...address),
  unreachable: anyOf(...silent),
  denied: anyOf('28\\w{3}', '3D000'),
  wrongPassword: anyOf('28P01', '28000'),
  duplicateDatabase: anyOf('42P04', '23505'),
  lockTimeout: anyOf('55P03'),
  /** A lock that was not got in time, or a statement that was not over. */
  tooLong: anyOf('55P03', '57014'),
  slowStatement: anyOf('57014'),
  protocol: anyOf('08P01'),
  /** The disk is full, or a limit for files is reached. */
  full: anyOf('53100', '53400'),
  readOnly: anyOf('25006'),
};

/** The embedded database cannot be opened. The message is written for a person: what is wrong, and what to do. */
export class EmbeddedDatabaseError extends Error {
  override readonly name = 'EmbeddedDatabaseError';
}

/** The database is reached through a pooler that shares sessions. The message is written for a person. */
export class SharedSessionError extends Error {
  override readonly name = 'SharedSessionError';
}

/** The server at DATABASE_READ_URL cannot be a standby. The message is written for a person. */
export class StandbyError extends Error {
  override readonly name = 'StandbyError';
}

/** The `code` of an error: a SQLSTATE, or the code of the driver or the system. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Whether the error itself, not its cause, is of the class. */
export function isDatabaseError(name: keyof typeof classes, error: unknown): boolean {
  return classes[name].test(errorCode(error) ?? '');
}

/** The constraint that the error, or one of its causes, violates; drizzle wraps the error of the driver. */
export function violatedConstraint(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    const name = constraintOf(each);
    if (name !== undefined) return name;
  }
  return undefined;
}

function isCausedBy(name: keyof typeof classes, error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (isDatabaseError(name, each)) return true;
    if (name === 'conflict' ? isOfMovedShard(each) : name === 'unavailable' && isOfLostWorker(each)) return true;
  }
  return false;
}

/**
 * Whether PostgreSQL rolled a transaction back because of a concurrent one, or of a shard that was moved: nothing of it
 * remains, and it may be repeated. The causes of the error are examined too.
 */
export function isTransactionConflict(error: unknown): boolean {
  return isCausedBy('conflict', error);
}

/**
 * Whether the database is unavailable or unreachable. The transaction may have been committed when only its answer was
 * lost: read before repeating it. The causes of the error are examined too.
 */
export function isUnavailable(error: unknown): boolean {
  return isCausedBy('unavailable', error);
}

/**
 * Whether a transaction was ended because it waited too long for a lock or for a statement: others need not fail. The
 * causes of the error are examined too.
 */
export function waitedTooLong(error: unknown): boolean {
  return isCausedBy('tooLong', error);
}

/** Whether a statement took too long. The causes of the error are examined too. */
export function isSlowStatement(error: unknown): boolean {
  return isCausedBy('slowStatement', error);
}

/** Whether PostgreSQL found no space to write. The causes of the error are examined too. */
export function isDiskFull(error: unknown): boolean {
  return isCausedBy('full', error);
}

/**
 * Whether a server refused a change because it only reads, as a standby does. The causes of the error are examined too.
 */
export function isReadOnly(error: unknown): boolean {
  return isCausedBy('readOnly', error);
}

/** Whether the error ends the whole transaction, so that code inside of it must not handle the error. */
export function endsTransaction(error: unknown): boolean {
  return isTransactionConflict(error) || isUnavailable(error);
}

/** Whether a server answered a statement with it. */
export function isOfServer(error: unknown): boolean {
  return typeof (error as { severity?: unknown } | null)?.severity === 'string';
}

/** Whether the connection that reported the error is closed, or about to be closed by the server. */
export function isConnectionLoss(error: unknown): boolean {
  const { severity, syscall } = error as { severity?: unknown; syscall?: unknown };
  const isEnd = severity === 'FATAL' || severity === 'PANIC' || syscall !== undefined;
  return isEnd || (errorCode(error) ?? '').startsWith('CONNECTION_');
}

/** How often a transaction is tried. Each deadlock takes a second to be detected. */
const maxTries = 5;

/** Runs `work` again while concurrent transactions roll it back. It must do nothing but statements. */
export async function retryOnConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === maxTries || !isTransactionConflict(error)) throw error;
      await sleep(tries * 50 * Math.random());
    }
  }
}
