import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildCli } from '../../scripts/build-cli.ts';
import { openPrompt, type Prompt } from '../support/cli-world.ts';
import { startTestService, type TestService } from '../support/harness.ts';

const test = suite('signing in with many clients');
let tandem: TestService;
let prompt: Prompt;

test.before(async () => {
  await buildCli();
  tandem = await startTestService();
  prompt = openPrompt(tandem.url);
});
test.after(async () => {
  prompt.close();
  await tandem.close();
});

test('processes that sign in at once lose nothing of each other', async () => {
  const { key } = await tandem.workspace();
  const names = Array.from({ length: 8 }, (_, index) => `p${index}`);
  const login = (name: string) =>
    prompt.run(['login', '--url', tandem.url, '--key', '-', '--profile', name], { stdin: key });
  for (const { code, err } of await Promise.all(names.map(login))) assert.is(code, 0, err);
  assert.equal(Object.keys(prompt.stored().profiles).sort(), names);
});

test.run();
