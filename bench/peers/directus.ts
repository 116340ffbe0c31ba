import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Call } from '../harness/loader.ts';
import { type Server, startPeer } from '../harness/servers.ts';
import { type Asked, directusSchema, type Peer, peerSchema } from './todos.ts';

const run = promisify(execFile);

/** A page as the service returns it: 25 todos of one workspace, the newest first. */
const page = (workspaceId: string) =>
  `/items/todos?filter[workspace_id][_eq]=${workspaceId}&sort=-created_at,-id&limit=25`;

function callOf(asked: Asked, key: string): Call {
  const common = { key, root: '' };
  if (asked.kind === 'get') return { ...common, method: 'GET', path: `/items/todos/${asked.todoId}` };
  if (asked.kind === 'list') return { ...common, method: 'GET', path: encodeURI(page(asked.workspaceId)) };
  return { ...common, method: 'POST', path: '/items/todos', body: JSON.stringify(asked.todo) };
}

/** A person who may read and create todos, and nothing else. Returns the token. */
async function addPerson(url: string, admin: string): Promise<string> {
  const token = randomBytes(24).toString('hex');
  const post = async (path: string, body: object): Promise<string> => {
    const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`Directus: POST ${path} returned ${response.status}: ${text.slice(0, 300)}`);
    return (JSON.parse(text) as { data: { id: string } }).data.id;
  };
  const allowed = (action: string) => ({ collection: 'todos', action, permissions: {}, validation: {}, fields: ['*'] });
  const permissions = ['read', 'create'].map(allowed);
  const policy = await post('/policies', { name: 'Todos', admin_access: false, app_access: false, permissions });
  await post('/users', { email: 'person@example.com', token, policies: [{ policy }] });
  return token;
}

/**
 * Directus asked with the static token of a person who may read and create todos, and with its rate limit in memory,
 * which is not reached; without telemetry and without refusing requests under load, all else as it is by default.
 */
export async function startDirectus(folder: string, url: string): Promise<Peer> {
  const admin = randomBytes(24).toString('hex');
  const environment = {
    CONFIG_PATH: join(folder, 'no-file'),
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: url,
    DB_SEARCH_PATH: `array:${directusSchema},${peerSchema}`,
    SECRET: randomBytes(32).toString('hex'),
    PUBLIC_URL: 'http://127.0.0.1',
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: randomBytes(12).toString('hex'),
    ADMIN_TOKEN: admin,
    // Under load it would refuse requests, which would count as fast.
    PRESSURE_LIMITER_ENABLED: 'false',
    RATE_LIMITER_ENABLED: 'true',
    RATE_LIMITER_POINTS: '1000000000',
    RATE_LIMITER_DURATION: '60',
    TELEMETRY: 'false',
    LOG_LEVEL: 'error',
    NODE_ENV: 'production',
  };
  const command = join(folder, 'node_modules/directus/cli.js');
  await run(process.execPath, [command, 'bootstrap'], { cwd: folder, env: { ...process.env, ...environment } });
  const answers = async (at: string) => (await fetch(`${at}/server/ping`)).ok;
  const server: Server = await startPeer([command, 'start'], environment, folder, answers);
  const token = await addPerson(server.url, admin);
  return {
    name: 'Directus',
    server,
    callOf: (asked) => callOf(asked, token),
    idsOf: (answer) => {
      const { data } = answer as { data: { id: string } | { id: string }[] };
      return [data].flat().map(({ id }) => id);
    },
  };
}
