import { byText, partsOf } from './parts.ts';
import { placements } from './placement.ts';
import { namesIn, unroutedIn } from './routing.ts';

/*
 * A statement on one workspace can be sent to the worker that has it, with the names of its shards instead of those of
 * the tables. PostgreSQL runs it there like any other: Citus plans it neither on the coordinator nor on the worker.
 */

/** The shards of a workspace by their tables, with those of reference tables. */
export type Shards = ReadonlyMap<string, string>;

/** A statement that may be sent to a worker. */
export interface DirectText {
  /** It changes rows. */
  isWrite: boolean;
  /** The places of the parameters that hold the workspace. */
  workspaces: readonly number[];
  /** The text for these shards, the same object each time. @throws Error when one of them is not known. */
  at(shards: Shards): string;
}

const namesOf = (placement: string) =>
  new Set([...placements.values()].filter((each) => each.placement === placement).map(({ name }) => name));
const [distributed, references, local] = ['distributed', 'reference', 'local'].map(namesOf) as [
  Set<string>,
  Set<string>,
  Set<string>,
];
const onWorkers = new Set([...distributed, ...references]);

/** A change of a table. */
const change = /\b(?:insert\s+into|(?<!\b(?:do|for|key)\s+)update|delete\s+from)\s+"?(\w+)"?/gi;

/**
 * Statements that are not only about rows of one workspace: those that notify, affect the session, or name a shard in
 * another way, and those that name the workspace otherwise than by one parameter.
 */
const isMore =
  /\b(merge|nextval|pg_notify|pg_advisory\w*|regclass|ctid|on\s+constraint)\b|\bset\s+workspace_id\b|\bworkspace_id\s+(in\b|=\s*any\b)/i;
/** What a read does not do. In a transaction, as changes are sent, settings end with it. */
const isMoreThanRead = /\b(set_config|for\s+(no\s+key\s+)?(update|share)|for\s+key\s+share)\b/i;
const setsSession = /\bset_config\((?![^()]*,\s*true\))/i;

const names = [...onWorkers].join('|');
const table = new RegExp(`\\b(from|join|into|update|using)\\s+"?(${names})"?(?![\\w."])`, 'gi');

/** What follows a table that has another name in its query; its columns are named by the table itself otherwise. */
const alias =
  /^\s+(?:as\s+)?(?!(?:on|where|set|join|left|right|inner|cross|full|natural|order|group|limit|for|union|except|intersect|offset|having|window|fetch|tablesample|using|returning)\b)"?[a-z_]/i;

/** A query of a `with` list that is called like a table. */
const shadows = new RegExp(`\\b(${names})\\s*(\\([^()]*\\))?\\s+as\\s+(not\\s+)?(materialized\\s+)?\\(`, 'i');

/** Texts for shards that are remembered, all together. */
const maxKept = 20_000;
/** Those texts, by the shards. They go with the statement, with the shards, or all at once when they are too many. */
let kept = new WeakMap<Shards, WeakMap<DirectText, string>>();
let keptCount = 0;

/** What `make` made of the statement for these shards. */
function forShards(text: DirectText, shards: Shards, make: () => string): string {
  const known = kept.get(shards)?.get(text);
  if (known !== undefined) return known;
  if (keptCount === maxKept) {
    kept = new WeakMap();
    keptCount = 0;
  }
  const made = make();
  const texts = kept.get(shards) ?? new WeakMap<DirectText, string>();
  kept.set(shards, texts.set(text, made));
  keptCount++;
  return made;
}

/** Whether an insert may add rows whose workspace is not the parameter that it names first. */
function addsOthers(text: string): boolean {
  const parts = partsOf(text);
  const queries = parts ? [...parts.list.map(({ body }) => body), parts.main] : [text];
  const inserts = queries.filter((query) => /\binsert\b/i.test(query));
  return inserts.some((query) => /\b(union|intersect|except)\b|\bvalues\b[\s\S]*\)\s*,\s*\(/i.test(query));
}

/** Whether the changes of a statement are such as PostgreSQL may make on the shards. */
function mayChange(text: string, changed: readonly string[]): boolean {
  if (setsSession.test(text) || addsOthers(text) || !changed.every((name) => distributed.has(name))) return false;
  // A change of a row of a reference table, and a lock, is made on every node.
  return namesIn(text, references).locked.length === 0 && !namesIn(text, distributed).isLoose;
}

/** The shard in place of its table. Columns are named by the table where the query gives it no other name. */
function named(before: string, shard: string, name: string, after: string): string {
  if (before.toLowerCase() === 'into') return `${before} ${shard}${/^\s+as\b/i.test(after) ? '' : ` as ${name}`}`;
  return `${before} ${shard}${alias.test(after) ? '' : ` ${name}`}`;
}

function directText(text: string): DirectText | null {
  const changed = [...text.matchAll(change)].map(([, name = '']) => name.toLowerCase());
  const isWrite = changed.length > 0;
  if (isMore.test(text) || shadows.test(text)) return null;
  if (isWrite ? !mayChange(text, changed) : isMoreThanRead.test(text)) return null;
  const all = namesIn(text, onWorkers);
  if (all.workspaces.length === 0) return null;
  const found = [...text.matchAll(table)];
  // Others are between commas, or where this does not look for them.
  if (found.length !== all.tables.length || !all.tables.some((name) => distributed.has(name))) return null;
  if (namesIn(text, local).tables.length > 0 || unroutedIn(text, distributed).length > 0) return null;
  const made = (shards: Shards) =>
    text.replace(table, (whole: string, before: string, given: string, offset: number) => {
      const name = given.toLowerCase();
      const shard = shards.get(name);
      if (shard === undefined) throw new Error(`The shard of the table ${name} is not known`);
      return named(before, shard, name, text.slice(offset + whole.length));
    });
  const direct: DirectText = {
    isWrite,
    workspaces: [...new Set(all.workspaces)],
    at: (shards) => forShards(direct, shards, () => made(shards)),
  };
  return direct;
}

/** How a statement is sent to the worker of its workspace; null: Citus has to run it. */
export const directOf = byText(directText);
