import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError, parseConfig } from '../../server/config.ts';

/* Secrets from files, as Docker, Kubernetes and systemd mount them. */

const test = suite('settings from files');
const directory = mkdtempSync(join(tmpdir(), 'tandem-settings-'));
const file = (name: string, content: string) => {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
};

test.after(() => rmSync(directory, { recursive: true }));

const problemOf = (environment: Record<string, string>): string => {
  try {
    parseConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('no ConfigError');
};

test('a setting is read from the file that <SETTING>_FILE names, without the line break at its end', () => {
  const url = 'postgres://tandem:secret@db.example/tandem';
  const config = parseConfig({ DATABASE_URL_FILE: file('database', `${url}\n`), METRICS_TOKEN_FILE: '' });
  assert.is(config.DATABASE_URL, url);
  assert.is(config.METRICS_TOKEN, undefined);
});

test('a file that cannot be read and a setting given twice are refused by name, without any value', () => {
  const message = problemOf({
    DATABASE_URL_FILE: join(directory, 'absent'),
    SMTP_URL: 'smtp://user:hidden@mail.example',
    SMTP_URL_FILE: file('smtp', 'smtp://user:other@mail.example'),
  });
  assert.match(message, 'DATABASE_URL_FILE names a file that cannot be read (ENOENT)');
  assert.match(message, 'SMTP_URL and SMTP_URL_FILE are both set; keep one of them');
  assert.not.match(message, /hidden|other/);
});

test('an empty file is refused: it would count as unset, and switch off what it protects', () => {
  const message = problemOf({ METRICS_TOKEN_FILE: file('empty', ''), DATABASE_URL_FILE: file('break', '\n') });
  assert.match(message, 'METRICS_TOKEN_FILE names a file that is empty');
  assert.match(message, 'DATABASE_URL_FILE names a file that is empty');
});

test('a bad value from a file is refused like any other, and is not shown', () => {
  const message = problemOf({ METRICS_TOKEN_FILE: file('token', 'short') });
  assert.match(message, 'METRICS_TOKEN must be at least 16 characters long');
  assert.not.match(message, 'short');
});

test.run();
