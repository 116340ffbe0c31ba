import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Operation, operationsOf } from '../../adapters/operations.ts';
import { appRouter } from '../../routers/index.ts';
import { createLog, describeError } from '../../server/log.ts';
import { validRequest } from '../fixtures/operations.ts';
import { ask } from '../support/frame.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { register, send } from '../support/oauth.ts';
import { newAccount } from '../support/people.ts';
import { createDatabase, type ScratchDatabase } from '../support/scratch.ts';
import { reply, ScriptedEngine, settled, use } from '../support/scripted-engine.ts';
import { until } from '../support/until.ts';

const test = suite('what people write, and the log');
const engine = new ScriptedEngine();
const lines: string[] = [];
let database: ScratchDatabase;
let box: MailServer;
let tandem: TestService;

test.before(async () => {
  const log = createLog({ LOG_LEVEL: 'trace', LOG_FORMAT: 'json' }, { write: (line: string) => void lines.push(line) });
  [database, box] = [await createDatabase(), await openMailServer()];
  tandem = await startTestService(
    { DATABASE_URL: database.url, SMTP_URL: box.url, REQUIRE_VERIFIED_EMAIL: 'false' },
    { engine, log },
  );
});
test.after(async () => {
  await tandem.close();
  await box.close();
  await database.drop();
});

/** Stands in everything that the requests below hold. */
const mark = 'Zq9xMark';
const email = () => `${mark}-${crypto.randomUUID()}@example.com`;

/** A value with the mark in every string: added to it, or in its place. */
function marked(value: unknown, replaces: boolean): unknown {
  if (typeof value === 'string') return replaces ? mark : value.includes('@') ? email() : `${value} ${mark}`;
  if (Array.isArray(value)) return value.map((each) => marked(each, replaces));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, marked(each, replaces)]));
}

/** Sends a valid request of the operation, and one each with marks added, in place of, and beside its values. */
async function exercise(operation: Operation, workspace: TestWorkspace): Promise<void> {
  const { path = {}, body, query = '', key } = await validRequest(operation, workspace);
  const route = (place: (value: string) => string) =>
    `${operation.method} ${operation.path.replace(/\{(\w+)\}/g, (_, name: string) => place(path[name] ?? ''))}`;
  const valid = route(encodeURIComponent);
  const options = key === undefined ? {} : { key };
  const requests: [string, unknown][] = [
    [`${valid}?${query}`, body && marked(body, false)],
    [`${valid}?${query}`, body && marked(body, true)],
    [`${valid}?${query}&${mark}=${mark}&cursor=${mark}&query=${mark}&timezone=${mark}`, body],
    [`${route(() => mark)}?${query}`, body],
    [valid, body && `{"${mark}": "${mark}`],
  ];
  for (const [each, content] of requests) await workspace.call(each, content, options);
}

const logged = () => lines.join('').toLowerCase();

test('no field of any operation shows in the log, whether it is valid or not', async () => {
  const workspace = await tandem.workspace();
  for (const operation of operationsOf(appRouter)) {
    // A stream and a wait last until their end; the tests below have them.
    if (operation.stream || /Password|signOut|endSession|endOtherSessions/.test(operation.id)) continue;
    await exercise(operation, workspace);
  }
  assert.ok(lines.length > 300, `${lines.length}`);
  assert.not.match(logged(), mark.toLowerCase());
});

test('neither do names, addresses, emails, tokens and paths of a whole flow', async () => {
  const tokens: string[] = [];
  const owner = await newAccount(tandem, { name: `Ada ${mark}`, workspaceName: `Studio ${mark}` });
  const { token, workspace } = owner.session;
  tokens.push(token, owner.email);
  const invite = (to: string) =>
    tandem.call(`POST /workspaces/${workspace.id}/invitations`, { email: to, anyoneWithLink: true }, { key: token });
  const guest = email();
  const { body: invitation } = await invite(guest);
  tokens.push(/token=([\w-]+)/.exec(invitation.link)?.[1] ?? '');
  await box.emailsTo(guest);
  const refused = email();
  box.answers('RCPT', `550 5.1.1 <${refused}>: no such person, ${mark}`);
  await invite(refused);
  await until(() => lines.some((line) => line.includes('email not sent')));
  box.answers('RCPT', null);
  await tandem.call('POST /auth/sessions', { email: guest, password: `${mark} ${mark}` });
  await tandem.call('POST /auth/password-resets', { email: owner.email });
  const [reset] = await box.emailsTo(owner.email);
  tokens.push(/token=([\w-]+)/.exec(reset?.text ?? '')?.[1] ?? '');
  const { body: key } = await tandem.call(
    'POST /api-keys',
    {
      workspaceId: workspace.id,
      name: mark,
      scopes: ['todos:read', 'todos:write', 'chats:write', 'chats:read', 'captures:read', 'captures:write'],
    },
    { key: token },
  );
  tokens.push(key.secret);
  const call = (route: string, body?: unknown) => tandem.call(route, body, { key: key.secret });

  const plan = engine.plan([
    use(['create_todo', { title: mark, [mark]: mark }], [`tool_${mark}`, {}]),
    use(['create_todo', { title: mark }], ['list_todos', { query: mark }]),
    reply(`Done, ${mark}.`),
  ]);
  const { body: chat } = await call('POST /chats', { message: `${mark} ${plan}`, title: mark });
  await settled({ call } as never, chat.id);
  const failing = engine.plan(() => Promise.reject(new RangeError(`Invalid time zone specified: ${mark}`)));
  const { body: other } = await call('POST /chats', { message: `${mark} ${failing}` });
  await settled({ call } as never, other.id);
  await until(() => lines.some((line) => line.includes('turn failed')));
  const { body: recording } = await tandem.call('POST /captures/recordings', { title: mark }, { key: token });
  tokens.push(recording.token);

  const bearer = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' };
  const rpc = (method: string, params: object) =>
    ask(`${tandem.url}/mcp`, {
      method: 'POST',
      headers: bearer,
      body: JSON.stringify({ jsonrpc: '2.0', id: mark, method, params }),
    });
  await rpc('tools/call', { name: 'create_todo', arguments: { title: mark, priority: mark } });
  await rpc('tools/call', { name: mark, arguments: {} });
  await rpc(mark, { name: mark });
  const client = await register(tandem.url, { client_name: mark, client_uri: `https://${mark}.example/` });
  const oauth = `client_id=${client}&redirect_uri=https://${mark}.example/&state=${mark}&scope=${mark}`;
  await send(tandem.url, `GET /oauth/authorize?response_type=code&${oauth}`);
  await send(tandem.url, 'POST /oauth/token', {
    form: { grant_type: 'authorization_code', code: mark, client_id: client },
  });
  await send(tandem.url, 'POST /oauth/token', { form: { grant_type: mark, client_id: mark } });
  await send(tandem.url, `GET /media/${recording.token}`);
  for (const path of [
    mark,
    `assets/${mark}`,
    `trpc/${mark}?input=${mark}`,
    `join?token=${mark}`,
    `%zz${mark}`,
    `docs/${mark}`,
  ])
    await ask(`${tandem.url}/${path}`, { headers: bearer });

  for (const value of [mark, ...tokens]) {
    assert.ok(value.length > 7);
    const line = lines.find((each) => each.toLowerCase().includes(value.toLowerCase()));
    assert.is(line, undefined);
  }
  assert.match(logged(), '"kind":"invitation"');
  assert.match(logged(), '"route":"/media/:token"');
});

test('the text of an error shows without the values that it quotes', () => {
  const text = (error: Error) => JSON.stringify(describeError(error));
  const quoting = [
    new RangeError(`Invalid time zone specified: ${mark}`),
    new SyntaxError(`Unexpected token '${mark}'`),
    new Error(`“${mark}” is no key`),
    new Error(`cannot send to ${email()}`),
    new TypeError(`Failed to parse URL from https://a.example/path?${mark}`),
    new Error(`bad credential tandem_sk_${mark}`),
    Object.assign(new Error(`550 <${mark}>`), { responseCode: 550, command: 'RCPT TO', response: mark }),
    new Error('outer', { cause: new RangeError(mark) }),
  ];
  for (const error of quoting) assert.not.match(text(error), mark);
  assert.match(text(new Error('the disk is on fire')), 'the disk is on fire');
  assert.match(text(quoting[6] as Error), '"responseCode":550');
});

test('a field that could contain text of people is removed from every log line', () => {
  const written: string[] = [];
  const log = createLog(
    { LOG_LEVEL: 'trace', LOG_FORMAT: 'json' },
    { write: (line: string) => void written.push(line) },
  );
  for (const field of ['subject', 'title', 'email', 'to', 'path', 'url', 'query', 'name', 'token'])
    log.info({ [field]: mark }, 'x');
  assert.is(written.length, 9);
  assert.not.match(written.join(''), mark);
});

test.run();
