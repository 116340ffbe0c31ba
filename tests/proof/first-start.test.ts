import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { testDatabaseUrl } from '../support/harness.ts';
import { password, temporaryDirectory } from '../support/people.ts';
import { freePort } from '../support/ports.ts';
import { type ServiceProcess, startProcess, stopProcesses } from '../support/processes.ts';
import { createDatabase, type ScratchDatabase } from '../support/scratch.ts';
import { runScript } from '../support/scripts.ts';

const test = suite('the first start, and the commands for the way in');
const directory = temporaryDirectory();
let scratch: ScratchDatabase;
let settings: Record<string, string>;

test.before(async () => {
  scratch = await createDatabase();
  // Without DATABASE_URL: PostgreSQL in the data directory, as `npm start` has it.
  settings = { DATABASE_URL: '', DATA_DIR: directory.path, PORT: String(await freePort()) };
});
test.after.each(stopProcesses);
test.after(async () => {
  await scratch.drop();
  directory.remove();
});

const linkIn = (text: string) => /(http\S+)\/welcome#token=([\w-]{43})$/m.exec(text);
const take = (service: ServiceProcess, token: string, email: string) =>
  service.call('POST /auth/welcome', null, { token, name: 'Ada', email, password });

test('prints a key and one link that takes the workspace, and puts its token into no line of the log', async () => {
  const service = await startProcess({ ...settings, LOG_LEVEL: 'trace' });
  const printed = service.output();
  const [, url, token = ''] = linkIn(printed) ?? [];
  assert.is(url, service.url);
  const key = /shown only this once: (tandem_sk_\w+)/.exec(printed)?.[1] ?? '';
  const { body: todo } = await service.call('POST /todos', key, { title: 'Made by curl' });
  assert.is((await take(service, 'wrong', 'eve@example.com')).status, 400);
  assert.is(await service.stop(), 0);
  const lines = service.output().split('\n');
  assert.equal(
    lines.filter((line) => line.includes(token)).map((line) => line.trim()),
    [`${url}/welcome#token=${token}`],
  );

  const second = await startProcess(settings);
  assert.match(second.output(), 'Nobody owns the first workspace yet: the link that was printed is valid until 2');
  assert.match(second.output(), 'npm run welcome');
  assert.not.match(second.output(), /tandem_sk_|#token/);
  const renewed = await runScript('welcome', [], settings);
  assert.is(renewed.code, 0, renewed.stderr);
  assert.match(renewed.stdout, 'Earlier links are no longer valid.');
  const newer = linkIn(renewed.stdout)?.[2] ?? '';
  assert.is(linkIn(renewed.stdout)?.[1], second.url);
  assert.is((await take(second, token, 'ada@example.com')).status, 400);
  const { status, body: session } = await take(second, newer, 'ada@example.com');
  assert.is(status, 201);
  assert.is((await second.call(`GET /todos/${todo.id}`, session.token)).body.title, 'Made by curl');
  assert.is((await second.call('GET /me', key)).status, 200);
  const refused = await runScript('welcome', [], settings);
  assert.equal([refused.code, refused.stdout], [1, '']);
  assert.match(refused.stderr, /^The first workspace has an owner, .*Sign in.*\n$/);
  await second.stop();

  const third = await startProcess(settings);
  assert.match(third.output(), `Sign in: ${third.url}/sign-in`);
  assert.not.match(third.output(), /tandem_sk_|#token/);
});

test('a database of its own gets a workspace by npm run welcome only, once however many run it', async () => {
  const shared = { ...settings, DATABASE_URL: scratch.url };
  const service = await startProcess(shared);
  assert.match(service.output(), `Make the first account: ${service.url}/sign-up`);
  const runs = await Promise.all([runScript('welcome', [], shared), runScript('welcome', [], shared)]);
  assert.equal(
    runs.map(({ code }) => code),
    [0, 0],
    JSON.stringify(runs),
  );
  assert.is(runs.filter(({ stdout }) => stdout.includes('tandem_sk_')).length, 1);
  const answers = [];
  for (const { stdout } of runs)
    answers.push((await take(service, linkIn(stdout)?.[2] ?? '', 'ada@example.com')).status);
  assert.equal(answers.sort(), [201, 400], 'the newest link alone is valid');
  assert.is((await runScript('welcome', [], shared)).code, 1);
});

test('npm run reset-password prints a link that sets a password once, and does not confirm the address', async () => {
  const shared = { ...settings, DATABASE_URL: scratch.url };
  const service = await startProcess(shared);
  const email = `${crypto.randomUUID()}@example.com`;
  assert.is((await service.call('POST /auth/accounts', null, { name: 'Grace', email, password })).status, 201);
  const { code, stdout, stderr } = await runScript('reset-password', [email.toUpperCase()], shared);
  assert.is(code, 0, stderr);
  const [, url, token] = /(http\S+)\/reset-password#token=([\w-]{43})$/m.exec(stdout) ?? [];
  assert.is(url, service.url);
  const reset = { token, newPassword: 'another four quiet words' };
  assert.is((await service.call('POST /auth/password-resets/confirm', null, reset)).status, 200);
  assert.is((await service.call('POST /auth/password-resets/confirm', null, reset)).status, 400);
  const session = await service.call('POST /auth/sessions', null, { email, password: reset.newPassword });
  assert.is(session.status, 201);
  const { body } = await service.call('GET /auth/email-verification', session.body.token);
  assert.is(body.verifiedAt, null);
});

test('an error is printed as a sentence, without a stack', async () => {
  const shared = { ...settings, DATABASE_URL: testDatabaseUrl() };
  const wrong: [name: string, args: string[], environment: Record<string, string>, message: string][] = [
    ['welcome', ['now'], {}, 'npm run welcome takes no arguments.'],
    ['welcome', [], { PORT: '0' }, 'PORT is 0, so the address of the service is not known here: set PUBLIC_URL.'],
    ['reset-password', [], {}, 'npm run reset-password -- EMAIL'],
    ['reset-password', ['nobody@example.com'], {}, 'Nobody has the e-mail address nobody@example.com.'],
    ['reset-password', ['a@example.com'], { DATABASE_URL: 'postgres://a:secret@127.0.0.1:1/x' }, 'cannot be reached.'],
  ];
  for (const [name, args, environment, message] of wrong) {
    const { code, stdout, stderr } = await runScript(name, args, { ...shared, ...environment });
    assert.equal([code, stdout], [1, ''], name);
    assert.match(stderr, message);
    assert.not.match(stderr, /\n {4}at |node_modules|secret/);
  }
});

test.run();
