import type { Db } from '../../db/client.ts';
import { conflict } from '../errors.ts';
import { codePoints } from '../fields.ts';

/** Agents, and skills, of a workspace at most, archived ones too: they are listed in one page. */
const most = 500;
/** Characters of all their texts at most, for the same reason. */
const mostCharacters = 5_000_000;

type Kind = 'agents' | 'skills';

const lengths = (...columns: string[]) => columns.map((column) => `coalesce(char_length(${column}), 0)`).join(' + ');
const usedOf = (table: string, size: string) => `select count(*)::int as count,
    coalesce(sum(${size}), 0)::int as characters from ${table} where workspace_id = $1`;
const used: Record<Kind, string> = {
  agents: usedOf('agents', lengths('description', 'instructions', 'approval_guidance')),
  skills: usedOf('agent_skills', lengths('instructions')),
};

/** Transactions that use up room in one workspace come one after another, so that together they cannot exceed it. */
const lock = `select pg_advisory_xact_lock(hashtextextended($1, 0))`;

/** The characters of texts, as `requireRoom` counts them. */
export function charactersOf(...texts: (string | null)[]): number {
  return texts.reduce((sum, each) => sum + codePoints(each ?? ''), 0);
}

/**
 * Checks that a workspace has room for so many more agents or skills with so many more characters, until the
 * transaction ends. Call it before the write. @throws Failure 409.
 */
export async function requireRoom(
  tx: Db,
  workspaceId: string,
  kind: Kind,
  more: { count: number; characters: number },
): Promise<void> {
  if (more.count <= 0 && more.characters <= 0) return;
  await tx.rows(lock, [`${kind} ${workspaceId}`]);
  const [has] = await tx.rows<{ count: number; characters: number }>(used[kind], [workspaceId]);
  if (!has) throw new Error('a count returned no row');
  // Where there are more from before the limit, what adds none is not refused.
  if (more.count > 0 && has.count + more.count > most) {
    throw conflict(
      `A workspace has at most ${most} ${kind}, archived ones counted. Restore and change an archived one.`,
    );
  }
  if (more.characters > 0 && has.characters + more.characters > mostCharacters) {
    throw conflict(`The texts of all ${kind} of a workspace have at most 5 million characters. Shorten some first.`);
  }
}
