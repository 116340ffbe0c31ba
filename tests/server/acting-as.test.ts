import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertFrame } from '../support/frame.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { callsOf, newAccount, type Person } from '../support/people.ts';

const test = suite('for whom a page acts');
let tandem: TestService;
let ada: Person;
let bob: Person;

test.before(async () => {
  tandem = await startTestService();
  [ada, bob] = [await newAccount(tandem), await newAccount(tandem)];
});
test.after(() => tandem.close());

const nameOf = ({ session }: Person) => `${session.user.id}/${session.workspace.id}`;
const cookieOf = ({ session }: Person) => ({
  cookie: `tandem_session=${session.token}`,
  'sec-fetch-site': 'same-origin',
});
const titlesOf = async (person: Person) =>
  (await callsOf(tandem, person)('GET /todos')).body.data.map(({ title }: { title: string }) => title);

test('a request in the session of the person and workspace that it names is answered', async () => {
  const headers = { ...cookieOf(ada), 'tandem-acting-as': nameOf(ada) };
  assert.is((await tandem.call('GET /me', undefined, { headers })).status, 200);
  assert.is((await tandem.call('POST /todos', { title: 'Hers' }, { headers })).status, 201);
  assert.equal(await titlesOf(ada), ['Hers']);
});

test('one that names another person or workspace is refused, whatever it asks for, and changes nothing', async () => {
  const { user, workspace } = ada.session;
  const others = [nameOf(ada), `${user.id}/${bob.session.workspace.id}`, `${bob.session.user.id}/${workspace.id}`, ''];
  for (const other of others) {
    const headers = { ...cookieOf(bob), 'tandem-acting-as': other };
    for (const [route, body] of [
      ['GET /todos', undefined],
      ['POST /todos', { title: 'Of Ada' }],
      ['PATCH /workspaces/current', { nonsense: 1 }],
      ['DELETE /auth/sessions/current', undefined],
    ] as const) {
      const answer = assertFrame(await tandem.call(route, body, { headers }), route);
      assert.equal(
        [answer.status, answer.body.code, answer.body.reason],
        [409, 'resource_conflict', 'session_changed'],
        `${other} ${route}`,
      );
      assert.match(answer.body.message, /another person or in another workspace/);
    }
    const url = `${tandem.url}/trpc/todos.create`;
    const init = { method: 'POST', body: JSON.stringify({ title: 'Of Ada' }) };
    const answer = await fetch(url, { ...init, headers: { ...headers, 'content-type': 'application/json' } });
    const { error } = (await answer.json()) as { error: { data: { problem: { reason: string } } } };
    assert.equal([answer.status, error.data.problem.reason], [409, 'session_changed']);
  }
  assert.equal(await titlesOf(bob), []);
});

test('a session that has ended stays 401, and a bearer is what it is, whatever the header says', async () => {
  const ended = { ...cookieOf(ada), cookie: 'tandem_session=tandem_st_gone', 'tandem-acting-as': nameOf(bob) };
  assert.is((await tandem.call('GET /todos', undefined, { headers: ended })).status, 401);
  const key = bob.session.token;
  const headers = { 'tandem-acting-as': nameOf(ada) };
  assert.is((await tandem.call('GET /todos', undefined, { key, headers })).status, 200);
});

test.run();
