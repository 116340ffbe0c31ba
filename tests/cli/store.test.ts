import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Store } from '../../cli/credentials/store.ts';
import { buildCli } from '../../scripts/build-cli.ts';
import { openPrompt, type Prompt, runWithin } from '../support/cli-world.ts';

const test = suite('the configuration file of the client');
const url = 'http://127.0.0.1:1';
let prompt: Prompt;
let store: Store;

test.before(async () => {
  await buildCli();
});
test.before.each(() => {
  prompt = openPrompt(url);
  store = new Store(prompt.environment);
});
test.after.each(() => prompt.close());

test('a configuration that cannot be written completely stays what it was', async () => {
  await store.change(({ profiles }) => {
    for (let n = 0; n < 40; n++) profiles[`profile-${n}`] = { url, apiKey: `tandem_sk_${n}` };
  });
  const before = readFileSync(store.path, 'utf8');
  assert.is.not((await runWithin(1, ['profiles', 'profile-7'], prompt)).code, 0);
  assert.is(readFileSync(store.path, 'utf8'), before);
  assert.equal(readdirSync(dirname(store.path)), ['config.json']);
});

test('a lock that was left is removed, and one that another process took is left to it', async () => {
  const lock = `${store.path}.lock`;
  mkdirSync(lock, { recursive: true });
  utimesSync(lock, 0, 0);
  await store.change(({ profiles }) => {
    profiles.first = { url };
  });
  let calls = 0;
  await store.change(({ profiles }) => {
    calls++;
    profiles.second = { url };
    if (calls > 1) return;
    writeFileSync(lock, 'of another process');
    setTimeout(() => {
      assert.is(readFileSync(lock, 'utf8'), 'of another process');
      assert.equal(Object.keys(store.read().profiles), ['first'], 'nothing is written without the lock');
      writeFileSync(store.path, JSON.stringify({ version: 1, current: 'third', profiles: { third: { url } } }));
      utimesSync(lock, 0, 0);
    }, 100);
  });
  assert.is(calls, 2);
  assert.equal(Object.keys(store.read().profiles), ['third', 'second']);
  assert.equal(readdirSync(dirname(store.path)), ['config.json']);
});

test.run();
