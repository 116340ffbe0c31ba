import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openPrompt, type Prompt, runsAt } from '../support/cli-world.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';

const test = suite('opening pages from the command line');
let tandem: TestService;
let workspace: TestWorkspace;
let prompt: Prompt;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0', LOG_LEVEL: 'error' });
});
test.before.each(async () => {
  workspace = await tandem.workspace();
  prompt = openPrompt(tandem.url, workspace.key);
});
test.after.each(() => prompt.close());
test.after(() => tandem.close());

const { run, done, fails } = runsAt(() => prompt);

/** A program that writes the address that it is given to a file, and ends with `code`. */
function browser(code: number): { BROWSER: string } {
  const path = join(prompt.home, `browser-${code}`);
  writeFileSync(path, `#!/bin/sh\nprintf '%s' "$1" > '${prompt.home}/opened'\nexit ${code}\n`);
  chmodSync(path, 0o755);
  return { BROWSER: path };
}

test('without a browser the address is printed: of the service, a page, or one resource', async () => {
  assert.is((await done('open')).out, `${tandem.url}/\n`);
  assert.is((await done('open', 'settings')).out, `${tandem.url}/settings\n`);
  const { body } = await workspace.call('POST /todos', { title: 'Plan the launch' });
  assert.is((await done('open', 'todo', 'Plan the launch')).out, `${tandem.url}/todos/${body.id}\n`);
  assert.equal((await done('open', 'todo', body.id.slice(0, 35), '--json')).json, {
    url: `${tandem.url}/todos/${body.id}`,
  });
  assert.is((await done('open', 'chat', body.id)).out, `${tandem.url}/chats/${body.id}\n`);
});

test('a browser gets the address; one that fails leaves it printed', async () => {
  const opened = await run(['open', 'docs'], { environment: browser(0) });
  assert.equal([opened.code, opened.out, opened.err], [0, '', `Opened ${tandem.url}/docs\n`]);
  assert.is(readFileSync(join(prompt.home, 'opened'), 'utf8'), `${tandem.url}/docs`);
  const failed = await run(['open', 'docs'], { environment: browser(1) });
  assert.equal([failed.code, failed.out], [0, `${tandem.url}/docs\n`]);
  const missing = await run(['open'], { environment: { BROWSER: join(prompt.home, 'nowhere') } });
  assert.equal([missing.code, missing.out], [0, `${tandem.url}/\n`]);
});

test('what cannot be opened is an error that names the argument', async () => {
  assert.match((await fails(2, 'open', 'kitchen')).err, 'PAGE must be one of todo, chat, capture');
  assert.match((await fails(2, 'open', 'todo')).err, 'ID is missing.');
  assert.match((await fails(2, 'open', 'settings', 'more')).err, 'The page settings takes no id.');
  assert.match((await fails(4, 'open', 'todo', 'Nobody knows it')).err, 'ID: nothing has the title “Nobody knows it”');
  assert.not.ok(existsSync(join(prompt.home, 'opened')));
});

test.run();
