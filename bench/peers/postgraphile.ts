import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Call } from '../harness/loader.ts';
import { startPeer } from '../harness/servers.ts';
import { type Asked, type Peer, peerSchema } from './todos.ts';

/** The preset of its documentation, with any column to order and to filter by. */
const preset = `import { makePgService } from 'postgraphile/adaptors/pg';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
export default {
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: process.env.DATABASE_URL, schemas: ['${peerSchema}'] })],
  schema: { defaultBehavior: '+orderBy +filterBy' },
  grafserv: { host: process.env.HOST, port: Number(process.env.PORT), graphiql: false },
};
`;

const todo = 'rowId title content status priority type todoListId dueDate version createdAt updatedAt';
const list = `query ($in: UUID!) {
  allTodos(first: 25, orderBy: [CREATED_AT_DESC, ROW_ID_DESC], condition: { workspaceId: $in }) { nodes { ${todo} } } }`;
const get = `query ($id: UUID!) { todoByRowId(rowId: $id) { ${todo} } }`;
const create = `mutation ($todo: TodoInput!) { createTodo(input: { todo: $todo }) { todo { ${todo} } } }`;

const camel = (name: string) => name.replace(/_(.)/g, (_, first: string) => first.toUpperCase());

function bodyOf(asked: Asked): { query: string; variables: Record<string, unknown> } {
  if (asked.kind === 'get') return { query: get, variables: { id: asked.todoId } };
  if (asked.kind === 'list') return { query: list, variables: { in: asked.workspaceId } };
  const entries = Object.entries(asked.todo).map(([name, value]) => [camel(name), value]);
  return { query: create, variables: { todo: Object.fromEntries(entries) } };
}

function callOf(asked: Asked): Call {
  return { method: 'POST', root: '', path: '/graphql', key: 'none', body: JSON.stringify(bodyOf(asked)) };
}

interface Answer {
  data: {
    allTodos?: { nodes: { rowId: string }[] };
    todoByRowId?: { rowId: string };
    createTodo?: { todo: { rowId: string } };
  };
}

/** PostGraphile, which knows its schema at the start, without roles: whoever reaches it may read and write all. */
export async function startPostGraphile(folder: string, url: string): Promise<Peer> {
  await writeFile(join(folder, 'graphile.config.mjs'), preset);
  const isReady = async (at: string) => (await fetch(`${at}/graphql?query={__typename}`)).status < 500;
  const environment = { DATABASE_URL: url, GRAPHILE_ENV: 'production', NODE_ENV: 'production' };
  const command = join(folder, 'node_modules/postgraphile/dist/cli-run.js');
  return {
    name: 'PostGraphile',
    server: await startPeer([command], environment, folder, isReady),
    callOf,
    idsOf: (answer) => {
      const { allTodos, todoByRowId, createTodo } = (answer as Answer).data;
      return (allTodos?.nodes ?? [todoByRowId ?? createTodo?.todo]).flatMap((each) => each?.rowId ?? []);
    },
  };
}
