import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTranscriber } from '../../media/transcription/index.ts';
import { transcriptionAddress } from '../../media/transcription/settings.ts';
import { ConfigError, parseConfig } from '../../server/config.ts';
import { closeTranscriptionServers, secretKey, underTest } from '../support/transcription-fixtures.ts';

const test = suite('configuration of transcription');
test.after(closeTranscriptionServers);

const complete = { TRANSCRIPTION_BASE_URL: 'http://127.0.0.1:8000/v1', TRANSCRIPTION_MODEL: 'whisper-1' };

function configErrorOf(environment: Record<string, string>): string {
  try {
    parseConfig(environment);
  } catch (error) {
    assert.instance(error, ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error('it was accepted');
}

test('without settings nothing is transcribed, and settings with a default do not enable transcription', () => {
  assert.is(createTranscriber(parseConfig({})), null);
  assert.is(createTranscriber(parseConfig({ TRANSCRIPTION_PIECE_MINUTES: '5' })), null);
});

test('an address and a model are enough; a piece takes ten minutes and 24 MB', () => {
  const transcriber = createTranscriber(parseConfig(complete));
  assert.is(transcriber?.name, 'whisper-1');
  assert.is(transcriber?.pieceMs, 600_000);
  assert.is(transcriber?.pieceBytes, 24_000_000);
  const longer = createTranscriber(parseConfig({ ...complete, TRANSCRIPTION_PIECE_MINUTES: '25' }));
  assert.is(longer?.pieceMs, 1_500_000);
});

test('half a configuration is named at start-up, by what is missing or wrong, without the key', () => {
  const url = (TRANSCRIPTION_BASE_URL: string) => ({ ...complete, TRANSCRIPTION_BASE_URL });
  const withoutQuery = /TRANSCRIPTION_BASE_URL must be an address without a name, a password, # or \?/;
  const half: [Record<string, string>, RegExp][] = [
    [{ TRANSCRIPTION_BASE_URL: 'http://host/v1' }, /TRANSCRIPTION_MODEL is missing: name the model/],
    [{ TRANSCRIPTION_MODEL: 'm' }, /TRANSCRIPTION_BASE_URL is missing: .* ends before \/audio\/transcriptions/],
    [{ TRANSCRIPTION_API_KEY: secretKey }, /_BASE_URL is missing: .*\n {2}TRANSCRIPTION_MODEL is missing/],
    [{ ...complete, TRANSCRIPTION_API_KEY: `${secretKey} x` }, /TRANSCRIPTION_API_KEY must be one word/],
    [{ ...complete, TRANSCRIPTION_MODEL: ' ' }, /TRANSCRIPTION_MODEL must name a model/],
    [url('127.0.0.1:8000/v1'), /TRANSCRIPTION_BASE_URL must be an http or https address/],
    [url('ftp://host/v1'), /TRANSCRIPTION_BASE_URL must be an http or https address/],
    [url(`http://me:${secretKey}@host/v1`), withoutQuery],
    [url(`http://host/v1?key=${secretKey}`), withoutQuery],
    [url(`http://host/v1?api-version=1&key=${secretKey}`), withoutQuery],
    [url('http://host/v1#x'), withoutQuery],
    [url('http://host/v1/audio/transcriptions/'), /TRANSCRIPTION_BASE_URL must end before \/audio\/transcriptions/],
    [{ ...complete, TRANSCRIPTION_RESPONSE_FORMAT: 'xml' }, /must be one of auto, verbose_json, .* \(it is “xml”\)/],
    [{ ...complete, TRANSCRIPTION_PIECE_MINUTES: '0' }, /TRANSCRIPTION_PIECE_MINUTES must be between 1 and 60/],
    [{ ...complete, TRANSCRIPTION_TIMEOUT_SECONDS: '301' }, /TRANSCRIPTION_TIMEOUT_SECONDS must be between 5 and 300/],
  ];
  for (const [environment, expected] of half) {
    const message = configErrorOf(environment);
    assert.match(message, expected);
    assert.not.match(message, secretKey);
    assert.not.match(message, 'undefined');
  }
});

test('the address is completed, with or without a slash, and keeps the version that Azure wants', () => {
  const rows = {
    'https://api.example.com/v1': 'https://api.example.com/v1/audio/transcriptions',
    'https://api.example.com/v1//': 'https://api.example.com/v1/audio/transcriptions',
    'https://us.openai.azure.com/openai/v1/?api-version=preview':
      'https://us.openai.azure.com/openai/v1/audio/transcriptions?api-version=preview',
  };
  for (const [given, expected] of Object.entries(rows)) {
    const config = parseConfig({ ...complete, TRANSCRIPTION_BASE_URL: given });
    assert.is(transcriptionAddress(config)?.url, expected);
  }
});

test('Azure gets the key in its own header, others as a bearer, and a server that needs none gets nothing', () => {
  const headers = (base: string, key?: string) =>
    transcriptionAddress({
      TRANSCRIPTION_BASE_URL: base,
      TRANSCRIPTION_MODEL: 'm',
      TRANSCRIPTION_API_KEY: key,
    })?.headers;
  assert.equal(headers('https://us.openai.azure.com/openai/v1', 'k'), { 'api-key': 'k' });
  assert.equal(headers('https://azure.com.example.com/v1', 'k'), { authorization: 'Bearer k' });
  assert.equal(headers('http://127.0.0.1:8000/v1'), {});
});

test('a version in the address and an empty key arrive as they should', async () => {
  const { server } = await underTest();
  const base = `${server.url}?api-version=2024-10-21`;
  const { ask } = await underTest(undefined, { TRANSCRIPTION_BASE_URL: base });
  await ask();
  assert.is(server.requests[0]?.path, '/v1/audio/transcriptions?api-version=2024-10-21');
  const keyless = await underTest(undefined, { TRANSCRIPTION_BASE_URL: server.url, TRANSCRIPTION_API_KEY: '' });
  await keyless.fault();
  assert.is(server.requests[1]?.headers.authorization, undefined);
});

test.run();
