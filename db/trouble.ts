import { setTimeout as sleep } from 'node:timers/promises';

/** Deadlock and serialization failure. */
const takenBack = /^(40P01|40001)$/;

/**
 * Connections that were lost or refused, a server without room, on its way up or down, or read-only, a time-out of the
 * server for idle transactions or locks.
 */
const outOfOrder =
  /^(08\w{3}|53\w{3}|57P0\d|58\w{3}|25006|25P03|55P03|CONNECTION_\w+|CONNECT_TIMEOUT|E(CONN\w+|PIPE|TIMEDOUT|(HOST|NET)UNREACH|NOTFOUND|AI_AGAIN))$/;

function hasCode(error: unknown, codes: RegExp): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if ('code' in each && typeof each.code === 'string' && codes.test(each.code)) return true;
  }
  return false;
}

/**
 * Whether the database took a transaction back whole because of another one, by the SQLSTATE of the error or of what
 * caused it: nothing of it happened, and it may be repeated.
 */
export function wasTakenBack(error: unknown): boolean {
  return hasCode(error, takenBack);
}

/**
 * Whether the database is out of order or out of reach. A transaction may have committed all the same, when it was the
 * answer that was lost: look before repeating it.
 */
export function isOutOfOrder(error: unknown): boolean {
  return hasCode(error, outOfOrder);
}

/** Whether the error concerns the whole transaction: nothing that runs in it can answer for that. */
export function endsTransaction(error: unknown): boolean {
  return wasTakenBack(error) || isOutOfOrder(error);
}

/** How often a transaction is tried. Each deadlock takes a second to be noticed. */
const mostTries = 5;

/** The outcome of `work`, which is tried again while the database takes it back. It must do nothing but statements. */
export async function repeated<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === mostTries || !wasTakenBack(error)) throw error;
      await sleep(tries * 50 * Math.random());
    }
  }
}
