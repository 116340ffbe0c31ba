import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { banner, commandLine } from '../../server/banner.ts';
import { temporaryDirectory } from '../support/people.ts';

const test = suite('what a start prints');

test('names commands that work where it runs', () => {
  const directory = temporaryDirectory();
  const folder = join(directory.path, 'dist/server');
  try {
    mkdirSync(folder, { recursive: true });
    for (const name of ['welcome', 'reset-password']) writeFileSync(join(folder, `${name}.mjs`), '');
    assert.is(commandLine('welcome', [], folder), `node ${relative('', folder)}/welcome.mjs`);
    assert.is(
      commandLine('reset-password', ['EMAIL'], folder),
      `node ${relative('', folder)}/reset-password.mjs EMAIL`,
    );
    mkdirSync(join(directory.path, 'scripts'));
    assert.is(commandLine('welcome', [], folder), 'npm run welcome');
    assert.is(commandLine('reset-password', ['EMAIL'], folder), 'npm run reset-password -- EMAIL');
  } finally {
    directory.remove();
  }
  const printed = banner('http://localhost:1', 'http://localhost:1/install.sh', { type: 'taken' });
  assert.match(printed, 'Forgot the password? npm run reset-password -- EMAIL');
});

test('sends the first person to the sign-up only where that is open', () => {
  const printed = (signUp: 'open' | 'invited') =>
    banner('http://localhost:1', 'http://localhost:1/install.sh', { type: 'empty', signUp });
  assert.match(printed('open'), 'Make the first account: http://localhost:1/sign-up');
  assert.not.match(printed('invited'), 'sign-up');
  assert.match(printed('invited'), 'npm run welcome');
});

test.run();
