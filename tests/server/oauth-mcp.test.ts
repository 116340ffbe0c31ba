import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Scope } from '../../domain/scopes.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { Browser, decide } from '../support/oauth.ts';
import { type Assistant, generations, mustAsk } from '../support/oauth-assistants.ts';
import { type ClientPages, clientPages } from '../support/oauth-pages.ts';
import { Wallet } from '../support/oauth-wallet.ts';
import { newAccount, type Person } from '../support/people.ts';

const test = suite('oauth: MCP clients');
let tandem: TestService;
let pages: ClientPages;

test.before(async () => {
  pages = await clientPages();
  tandem = await startTestService({}, { oauthFetch: pages.reach });
});
test.after(async () => {
  await tandem.close();
  await pages.close();
});

async function consent(person: Person, wallet: Wallet, assistant: Assistant, scopes?: Scope[]): Promise<void> {
  const decision = { workspaceId: person.session.workspace.id, ...(scopes && { scopes }) };
  await assistant.finish(await decide(new Browser(person), wallet.address, decision));
}

for (const [generation, make] of Object.entries(generations)) {
  for (const way of ['registration', 'metadata document'] as const) {
    test(`the ${generation} SDK connects by ${way}, calls a tool, renews, and fails once revoked`, async () => {
      const person = await newAccount(tandem);
      const wallet = new Wallet(way === 'registration' ? undefined : pages.publish(`/${generation}.json`));
      const assistant = make(tandem.url, wallet);
      await mustAsk(assistant.connect(), wallet);
      assert.is(new URL(wallet.address).searchParams.get('resource'), `${tandem.url}/mcp`);
      await consent(person, wallet, assistant);
      assert.is(wallet.client?.client_id.startsWith('https:'), way !== 'registration');
      await assistant.connect();
      const made = await assistant.call('create_todo', { title: `By the ${generation} SDK` });
      assert.is(made.isError ?? false, false, JSON.stringify(made));
      const { body: todos } = await tandem.call('GET /todos', undefined, { key: person.session.token });
      assert.is(todos.data[0].title, `By the ${generation} SDK`);
      const before = wallet.kept;
      await tandem.db.rows(`update credentials set expires_at = now() where kind = 'oauth' and user_id = $1`, [
        person.session.user.id,
      ]);
      assert.is((await assistant.call('list_todos', {})).isError ?? false, false);
      assert.not.equal(wallet.kept?.access_token, before?.access_token);
      assert.not.equal(wallet.kept?.refresh_token, before?.refresh_token);
      const route = `GET /connected-apps?workspaceId=${person.session.workspace.id}`;
      const { body: apps } = await tandem.call(route, undefined, { key: person.session.token });
      assert.is(apps.data.length, 1);
      await tandem.call(`DELETE /connected-apps/${apps.data[0].id}`, undefined, { key: person.session.token });
      await mustAsk(assistant.call('list_todos', {}), wallet);
    });
  }
}

test('the current SDK asks for more consent when a tool needs a scope that was not granted', async () => {
  const person = await newAccount(tandem);
  const wallet = new Wallet();
  const assistant = generations.current(tandem.url, wallet);
  await mustAsk(assistant.connect(), wallet);
  await consent(person, wallet, assistant, ['todos:read']);
  await assistant.connect();
  assert.is((await assistant.call('list_todos', {})).isError ?? false, false);
  await mustAsk(assistant.call('create_todo', { title: 'More' }), wallet);
  const scope = new URL(wallet.address).searchParams.get('scope') ?? '';
  assert.ok(scope.includes('todos:write') && scope.includes('todos:read'), scope);
  await consent(person, wallet, assistant, ['todos:read', 'todos:write']);
  assert.is((await assistant.call('create_todo', { title: 'More' })).isError ?? false, false);
});

test('the MCP endpoint says where to sign in, and what is wrong with a token', async () => {
  const ask = (authorization?: string) =>
    fetch(`${tandem.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    });
  const none = await ask();
  assert.is(none.status, 401);
  const challenge = none.headers.get('www-authenticate') ?? '';
  const metadata = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
  assert.match(challenge, 'scope="todos:read ');
  assert.is(((await (await fetch(metadata)).json()) as { resource: string }).resource, `${tandem.url}/mcp`);
  const bad = await ask('Bearer tandem_at_unknown');
  assert.is(bad.status, 401);
  assert.match(bad.headers.get('www-authenticate') ?? '', 'error="invalid_token"');
});

test.run();
