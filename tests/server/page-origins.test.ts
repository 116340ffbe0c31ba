import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog } from '../../server/log.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { newAccount, password, temporaryDirectory } from '../support/people.ts';
import { openWelcome } from '../support/welcome.ts';

const test = suite('pages that are opened at another address');
const directory = temporaryDirectory();
const lines: string[] = [];
const elsewhere = 'http://192.168.1.5:8080';
let tandem: TestService;

test.before(async () => {
  const log = createLog({ LOG_LEVEL: 'warn', LOG_FORMAT: 'json' }, { write: (line: string) => void lines.push(line) });
  tandem = await startTestService({ DATA_DIR: directory.path }, { log });
});
test.after(async () => {
  await tandem.close();
  directory.remove();
});

async function post(path: string, input: object, headers: Record<string, string>) {
  const init = { method: 'POST', body: JSON.stringify(input) };
  const response = await fetch(`${tandem.url}/trpc/${path}`, {
    ...init,
    headers: { ...headers, 'content-type': 'application/json' },
  });
  const { result, error } = (await response.json()) as {
    result?: { data: { token: string } };
    error?: { data: { problem: { code: string; reason?: string; message: string } } };
  };
  return { status: response.status, cookie: response.headers.get('set-cookie'), result, problem: error?.data.problem };
}

const newOwner = () => ({ name: 'Ada', email: `${crypto.randomUUID()}@example.com`, password });

test('they are refused with both addresses before a link or an address is spent, and the log has it once', async () => {
  const { url: publicUrl } = tandem;
  const refusal = {
    code: 'validation_failed',
    reason: 'origin_not_allowed',
    message: `This service is set up for ${publicUrl} (PUBLIC_URL). Open it there, or have the operator set PUBLIC_URL to ${elsewhere}.`,
  };
  const { token } = await openWelcome(tandem);
  const [owner, person, { email }] = [newOwner(), newOwner(), await newAccount(tandem)];
  for (const [path, input] of [
    ['auth.takeFirstWorkspace', { token, ...owner }],
    ['auth.signUp', person],
    ['auth.signIn', { email, password }],
    ['auth.requestPasskey', {}],
  ] as const) {
    const { status, cookie, problem: { code, reason, message } = {} } = await post(path, input, { origin: elsewhere });
    assert.equal([status, cookie, { code, reason, message }], [403, null, refusal], path);
  }
  const warnings = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.startsWith('page opened'));
  assert.equal(
    warnings.map((line) => ({ origin: line.origin, publicUrl: line.publicUrl })),
    [{ origin: elsewhere, publicUrl }],
  );
  const own = { origin: publicUrl };
  for (const [path, input] of [
    ['auth.takeFirstWorkspace', { token, ...owner }],
    ['auth.signUp', person],
  ] as const) {
    const { status, cookie } = await post(path, input, own);
    assert.is(status, 200, path);
    assert.match(cookie ?? '', /^tandem_session=tandem_st_/);
  }
});

test('no other origin is accepted, however it is written', async () => {
  const { email } = await newAccount(tandem);
  const { host, hostname } = new URL(tandem.url);
  for (const origin of ['null', `http://${hostname}:1`, `https://${host}`, `http://${host}.evil.example`]) {
    const { status, cookie, problem } = await post('auth.signIn', { email, password }, { origin });
    assert.equal([status, cookie, problem?.reason], [403, null, 'origin_not_allowed'], origin);
  }
});

test('pages that the browser marks as the service’s own, and programs, are answered as before', async () => {
  const { email, session } = await newAccount(tandem);
  const marked = await post('auth.signIn', { email, password }, { origin: elsewhere, 'sec-fetch-site': 'same-origin' });
  assert.match(marked.cookie ?? '', /^tandem_session=/);
  const program = await post('auth.signIn', { email, password }, {});
  assert.equal([program.status, program.cookie], [marked.status, null]);
  assert.match(program.result?.data.token ?? '', /^tandem_st_/);
  const bearer = { origin: elsewhere, authorization: `Bearer ${session.token}` };
  assert.is((await post('todos.create', { title: 'Made by a program' }, bearer)).status, 200);
});

test.run();
