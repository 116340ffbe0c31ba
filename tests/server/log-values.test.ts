import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog, describeError } from '../../server/log.ts';
import { ask } from '../support/frame.ts';
import { type LoggedService, mark, markedEmail, startLoggedService } from '../support/logged-service.ts';
import { register, send } from '../support/oauth.ts';
import { newAccount } from '../support/people.ts';
import { reply, settled, use } from '../support/scripted-engine.ts';
import { until } from '../support/until.ts';

const test = suite('what people write, and the log');
let service: LoggedService;

test.before(async () => {
  service = await startLoggedService();
});
test.after(() => service.close());

const logged = () => service.lines.join('').toLowerCase();

test('no name, address, email, token or path of a whole flow shows in the log', async () => {
  const tokens: string[] = [];
  const owner = await newAccount(service.tandem, { name: `Ada ${mark}`, workspaceName: `Studio ${mark}` });
  const { token, workspace } = owner.session;
  tokens.push(token, owner.email);
  const invite = (to: string) =>
    service.tandem.call(
      `POST /workspaces/${workspace.id}/invitations`,
      { email: to, anyoneWithLink: true },
      { key: token },
    );
  const guest = markedEmail();
  const { body: invitation } = await invite(guest);
  tokens.push(/token=([\w-]+)/.exec(invitation.link)?.[1] ?? '');
  await service.box.emailsTo(guest);
  const refused = markedEmail();
  service.box.answers('RCPT', `550 5.1.1 <${refused}>: no such person, ${mark}`);
  await invite(refused);
  await until(() => service.lines.some((line) => line.includes('email not sent')));
  service.box.answers('RCPT', null);
  await service.tandem.call('POST /auth/sessions', { email: guest, password: `${mark} ${mark}` });
  await service.tandem.call('POST /auth/password-resets', { email: owner.email });
  const [reset] = await service.box.emailsTo(owner.email);
  tokens.push(/token=([\w-]+)/.exec(reset?.text ?? '')?.[1] ?? '');
  const { body: key } = await service.tandem.call(
    'POST /api-keys',
    {
      workspaceId: workspace.id,
      name: mark,
      scopes: ['todos:read', 'todos:write', 'chats:write', 'chats:read', 'captures:read', 'captures:write'],
    },
    { key: token },
  );
  tokens.push(key.secret);
  const call = (route: string, body?: unknown) => service.tandem.call(route, body, { key: key.secret });

  const plan = service.engine.plan([
    use(['create_todo', { title: mark, [mark]: mark }], [`tool_${mark}`, {}]),
    use(['create_todo', { title: mark }], ['list_todos', { query: mark }]),
    reply(`Done, ${mark}.`),
  ]);
  const { body: chat } = await call('POST /chats', { message: `${mark} ${plan}`, title: mark });
  await settled({ call } as never, chat.id);
  const failing = service.engine.plan(() => Promise.reject(new RangeError(`Invalid time zone specified: ${mark}`)));
  const { body: other } = await call('POST /chats', { message: `${mark} ${failing}` });
  await settled({ call } as never, other.id);
  await until(() => service.lines.some((line) => line.includes('turn failed')));
  const { body: recording } = await service.tandem.call('POST /captures/recordings', { title: mark }, { key: token });
  tokens.push(recording.token);

  const bearer = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' };
  const rpc = (method: string, params: object) =>
    ask(`${service.tandem.url}/mcp`, {
      method: 'POST',
      headers: bearer,
      body: JSON.stringify({ jsonrpc: '2.0', id: mark, method, params }),
    });
  await rpc('tools/call', { name: 'create_todo', arguments: { title: mark, priority: mark } });
  await rpc('tools/call', { name: mark, arguments: {} });
  await rpc(mark, { name: mark });
  const client = await register(service.tandem.url, { client_name: mark, client_uri: `https://${mark}.example/` });
  const oauth = `client_id=${client}&redirect_uri=https://${mark}.example/&state=${mark}&scope=${mark}`;
  await send(service.tandem.url, `GET /oauth/authorize?response_type=code&${oauth}`);
  await send(service.tandem.url, 'POST /oauth/token', {
    form: { grant_type: 'authorization_code', code: mark, client_id: client },
  });
  await send(service.tandem.url, 'POST /oauth/token', { form: { grant_type: mark, client_id: mark } });
  await send(service.tandem.url, `GET /media/${recording.token}`);
  for (const path of [
    mark,
    `assets/${mark}`,
    `trpc/${mark}?input=${mark}`,
    `join?token=${mark}`,
    `%zz${mark}`,
    `docs/${mark}`,
  ])
    await ask(`${service.tandem.url}/${path}`, { headers: bearer });

  for (const value of [mark, ...tokens]) {
    assert.ok(value.length > 7);
    const line = service.lines.find((each) => each.toLowerCase().includes(value.toLowerCase()));
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
    new Error(`cannot send to ${markedEmail()}`),
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
