import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chunkKey } from '../../media/storage/keys.ts';
import { openAudioStore } from '../../media/storage/settings.ts';
import { ConfigError, parseConfig } from '../../server/config.ts';
import { bytes, place } from '../support/audio-stores.ts';
import { temporaryDirectory } from '../support/people.ts';

const settings = suite('the settings of the audio store');
const s3Settings = {
  S3_ENDPOINT: 'https://s3.example.com/',
  S3_REGION: 'eu-1',
  S3_BUCKET: 'the-bucket',
  S3_ACCESS_KEY_ID: 'AKIDOFTHETEST',
  S3_SECRET_ACCESS_KEY: 'never/shown+anywhere=',
};

function configErrorOf(environment: Record<string, string>): string {
  try {
    parseConfig(environment);
  } catch (error) {
    assert.instance(error, ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error('it was accepted');
}

settings('without any, audio lies in the data directory; AUDIO_DIR says where else', async () => {
  const { path, remove } = temporaryDirectory();
  const key = chunkKey(place(), 0, true);
  await openAudioStore(parseConfig({ DATA_DIR: path })).put(key, bytes('x'));
  await openAudioStore(parseConfig({ DATA_DIR: path, AUDIO_DIR: join(path, 'elsewhere') })).put(key, bytes('x'));
  assert.is((await stat(join(path, 'audio', key))).size, 1);
  assert.is((await stat(join(path, 'elsewhere', key))).size, 1);
  remove();
});

settings('half a bucket is named at start-up, by what is missing, and never with its secret', () => {
  for (const name of Object.keys(s3Settings)) {
    const rest = Object.fromEntries(Object.entries(s3Settings).filter(([each]) => each !== name));
    const message = configErrorOf(rest);
    assert.match(message, new RegExp(`^ {2}${name} is missing: audio in S3 needs S3_ENDPOINT, S3_REGION`, 'm'));
    assert.is(message.match(/is missing/g)?.length, 1);
    assert.not.match(message, s3Settings.S3_SECRET_ACCESS_KEY);
  }
  assert.is(configErrorOf({ S3_PREFIX: 'x' }).match(/is missing/g)?.length, 5);
});

settings('what cannot be is named, and secrets are not repeated', () => {
  const wrong: [Record<string, string>, RegExp][] = [
    [{ AUDIO_DIR: '/srv/audio' }, /AUDIO_DIR says that audio lies on disk, and S3_… that it lies in a bucket/],
    [{ S3_ENDPOINT: 's3.example.com' }, /S3_ENDPOINT must be an http or https address/],
    [{ S3_ENDPOINT: 'https://me:pass@s3.example.com' }, /S3_ENDPOINT must be an address without a name/],
    [{ S3_BUCKET: 'The_Bucket' }, /S3_BUCKET must be the name of a bucket/],
    [{ S3_PREFIX: 'a/../b' }, /S3_PREFIX must be names/],
    [{ S3_PATH_STYLE: 'yes' }, /S3_PATH_STYLE must be true .* or false/],
    [{ S3_SECRET_ACCESS_KEY: 'never/shown two' }, /S3_SECRET_ACCESS_KEY must be one word/],
  ];
  for (const [environment, expected] of wrong) {
    const message = configErrorOf({ ...s3Settings, ...environment });
    assert.match(message, expected);
    assert.not.match(message, /never\/shown|AKIDOFTHETEST|me:pass/);
  }
});

settings('a prefix may be written with or without its slashes', () => {
  for (const [given, meant] of [
    ['tandem', 'tandem/'],
    ['/tandem/audio//', 'tandem/audio/'],
    ['/', ''],
  ])
    assert.is(parseConfig({ ...s3Settings, S3_PREFIX: given }).S3_PREFIX, meant);
  assert.is(parseConfig({ ...s3Settings, S3_PATH_STYLE: 'false' }).S3_PATH_STYLE, false);
});

settings.run();
