import { rows, type Sql } from './cluster.ts';

/** What Citus does not run of the migrations, and what does the same there. */
interface Replacement {
  name: string;
  /** Whether it is still to be replaced: one row, `isThere`. */
  isThere: string;
  statements: string[];
}

const replacements: readonly Replacement[] = [
  {
    // Each worker would have to write into tables of the coordinator: there todos are counted when somebody asks.
    name: 'the numbers of todos that are kept',
    isThere: `select exists (select from pg_trigger
      where tgname = 'todos_counted' and tgrelid = to_regclass('todos')) as "isThere"`,
    statements: [
      'drop trigger todos_counted on todos',
      'drop trigger todos_counted_anew on todos',
      'drop trigger todos_not_counted on todos',
      'delete from counted_workspaces',
      'delete from todo_counts',
      'delete from todo_count_changes',
    ],
  },
  {
    // Shards have no sequences: positions are microseconds there.
    name: 'the positions of events that wait',
    isThere: `select exists (select from pg_attribute where attrelid = to_regclass('event_queue')
      and attname = 'position' and attidentity <> '') as "isThere"`,
    statements: [
      `alter table event_queue alter column position drop identity,
        alter column position set default (extract(epoch from clock_timestamp()) * 1000000)::bigint`,
    ],
  },
  {
    // The shards of a table have no relation of all rows that a statement adds: these are taken one by one.
    name: 'the trigger todo_labels_added',
    isThere: `select exists (select from pg_trigger
      where tgname = 'todo_labels_added' and tgrelid = to_regclass('todo_labels')) as "isThere"`,
    statements: [
      `create or replace function todo_gets_label() returns trigger language plpgsql as $$
begin
  update public.todos t set has_had_labels = true
    where t.workspace_id = new.workspace_id and t.id = new.todo_id and not t.has_had_labels;
  return null;
end
$$`,
      'drop trigger todo_labels_added on todo_labels',
      'create trigger todo_label_added after insert on todo_labels for each row execute function todo_gets_label()',
    ],
  },
  {
    // A reference table is changed on every node: those that notify are prepared to commit, and who listens is
    // connected to the coordinator. There it is the trigger of a shard, whose name begins with that of the table.
    name: 'the function notify_access_change',
    isThere: `select exists (select from pg_proc
      where proname = 'notify_access_change' and prosrc not like '%starts_with(tg_table_name%') as "isThere"`,
    statements: [
      `create or replace function notify_access_change() returns trigger language plpgsql as $$
begin
  if citus_is_coordinator() then
    perform pg_notify('tandem_access', json_build_object(
      'workspaceId', new.workspace_id,
      'userId', new.user_id,
      'credentialId', case when starts_with(tg_table_name, 'credentials') then to_jsonb(new) ->> 'id' end
    )::text);
  end if;
  return null;
end
$$`,
    ],
  },
];

/** Replaces what Citus does not run. Returns what it has replaced now. */
export async function replaceRefused(sql: Sql): Promise<string[]> {
  const replaced: string[] = [];
  for (const { name, isThere, statements } of replacements) {
    const [found] = await rows<{ isThere: boolean }>(sql, isThere);
    if (!found?.isThere) continue;
    for (const statement of statements) await sql.unsafe(statement);
    replaced.push(name);
  }
  return replaced;
}
