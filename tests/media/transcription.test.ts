import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { closeTranscriptionServers, pieceOf, secretKey, underTest } from '../support/transcription-fixtures.ts';
import type { RawReply } from '../support/transcription-server.ts';
import { refusal } from '../support/transcription-server.ts';

const test = suite('transcription');
test.after(closeTranscriptionServers);

const segment = (
  text: string,
  startMs: number | null = 0,
  endMs: number | null = null,
  speaker: string | null = null,
) => ({
  startMs,
  endMs,
  speaker,
  text,
});

test('a piece is sent as a file with its model, key and format, and its sentences come back', async () => {
  const { ask, server, active } = await underTest();
  assert.equal(await ask(), [segment('A piece of 9 bytes.', 0, 1000)]);
  const [request] = server.requests;
  assert.equal(request?.fields, { model: 'whisper-1', response_format: 'verbose_json' });
  assert.equal(request?.file, { name: 'audio.webm', type: 'audio/webm', bytes: new Uint8Array(pieceOf().bytes) });
  assert.is(request?.path, '/v1/audio/transcriptions');
  assert.is(request?.headers.authorization, `Bearer ${secretKey}`);
  assert.is(active.length, 1);
  assert.ok((active[0] ?? 0) > 0);
});

test('a WAV file is sent as one', async () => {
  const { ask, server } = await underTest();
  await ask({ type: 'audio/wav' });
  assert.is(server.requests[0]?.file?.name, 'audio.wav');
  assert.is(server.requests[0]?.file?.type, 'audio/wav');
});

test('times count from the start of the recording', async () => {
  const segments = [
    { start: 0.5, end: 2.25, text: ' One.' },
    { start: '3', end: '4.5', text: ' Two.' },
    { start: '0:05', end: '00:00:06,500', text: 'Three.' },
  ];
  const { ask } = await underTest({ json: { text: 'One. Two. Three.', segments } });
  assert.equal(await ask({ offsetMs: 600_000 }), [
    segment('One.', 600_500, 602_250),
    segment('Two.', 603_000, 604_500),
    segment('Three.', 605_000, 606_500),
  ]);
});

test('the language and the end of what was said before go along', async () => {
  const { ask, server } = await underTest();
  const before = `${'So it was said before. '.repeat(100)}\0\ud83d The end.`;
  await ask({ language: 'en-GB', prompt: before });
  const { language, prompt = '' } = server.requests[0]?.fields ?? {};
  assert.is(language, 'en');
  assert.ok(prompt.length > 700 && prompt.length <= 800, `${prompt.length} characters`);
  assert.ok(prompt.endsWith('before. \ufffd The end.'), prompt);
  assert.ok(before.includes(` ${prompt.slice(0, 50)}`), 'it begins with a word');
});

const dialects: Record<string, { reply: RawReply; expected: ReturnType<typeof segment>[]; format?: string }> = {
  'text alone': { reply: { json: { text: ' Hello  there.\n' } }, expected: [segment('Hello there.')] },
  'text with a list of segments that is empty': {
    reply: { json: { text: 'Hello.', segments: [] } },
    expected: [segment('Hello.')],
  },
  'a JSON string': { reply: { json: 'Hello.' }, expected: [segment('Hello.')] },
  'plain text where JSON was asked for': {
    reply: { headers: { 'content-type': 'text/plain' }, body: '"Hello," she said.\n' },
    expected: [segment('"Hello," she said.')],
  },
  'plain text under the type of a web page (whisper.cpp)': {
    reply: { headers: { 'content-type': 'text/html; charset=utf-8' }, body: ' Hello.\n [MUSIC] Yes.\n' },
    expected: [segment('Hello. [MUSIC] Yes.')],
  },
  'JSON under the type of plain text': {
    reply: { headers: { 'content-type': 'text/plain' }, body: '\ufeff{"text":"Hello."}' },
    expected: [segment('Hello.')],
  },
  'nanoseconds (LocalAI)': {
    reply: { json: { segments: [{ start: 0, end: 2_500_000_000, text: 'Hello.' }], text: 'Hello.' } },
    expected: [segment('Hello.', 0, 2500)],
  },
  'chunks (Transformers)': {
    reply: { json: { text: 'Hello.', chunks: [{ timestamp: [1.5, null], text: ' Hello.' }] } },
    expected: [segment('Hello.', 1500)],
  },
  'a list of segments alone': {
    reply: { json: [{ start: 1, end: 2, text: 'Hello.' }] },
    expected: [segment('Hello.', 1000, 2000)],
  },
  'NaN, as Python writes it, and times that are none': {
    reply: {
      body: '{"text":"NaN bread","segments":[{"start":NaN,"end":-Infinity,"text":"NaN bread"},{"start":-0.5,"end":"soon","text":"x"},{"start":9e99,"end":3,"text":"y"}]}',
    },
    expected: [segment('NaN bread', null), segment('x', 0), segment('y', null, 3000)],
  },
  'an end before its start': {
    reply: { json: { segments: [{ start: 5, end: 4, text: 'Hello.' }] } },
    expected: [segment('Hello.', 5000, 5000)],
  },
  'words alone, whose punctuation is in the text': {
    reply: {
      json: {
        text: 'Well, hello. Is it you?',
        words: [
          { word: 'Well', start: 0, end: 0.4 },
          { word: 'hello', start: 0.5, end: 1 },
          { word: 'Is', start: 3, end: 3.2 },
          { word: 'it', start: 3.3, end: 3.4 },
          { word: 'you', start: 3.5, end: 4 },
        ],
        segments: null,
      },
    },
    expected: [segment('Well, hello.', 0, 1000), segment('Is it you?', 3000, 4000)],
  },
  'words with their voices and without a text': {
    reply: {
      json: {
        words: [
          { text: 'Hello', start: 0, end: 1, speaker_id: 'speaker_0', type: 'word' },
          { text: ' ', start: 1, end: 1, speaker_id: 'speaker_0', type: 'spacing' },
          { text: 'there.', start: 1, end: 2, speaker_id: 'speaker_0', type: 'word' },
          { text: 'Yes?', start: 2, end: 3, speaker_id: 'speaker_1', type: 'word' },
        ],
      },
    },
    expected: [segment('Hello there.', 0, 2000, 'Speaker 1'), segment('Yes?', 2000, 3000, 'Speaker 2')],
  },
  SRT: {
    format: 'srt',
    reply: {
      headers: { 'content-type': 'application/x-subrip' },
      body: '1\r\n00:00:01,000 --> 00:00:02,500\r\n(speaker 0) Hello\r\nthere.\r\n\r\n2\r\n01:00:03,000 --> 01:00:04,000\r\n(speaker ?) Yes.\r\n\r\n',
    },
    expected: [segment('Hello there.', 1000, 2500, 'Speaker 1'), segment('Yes.', 3_603_000, 3_604_000)],
  },
  WebVTT: {
    format: 'vtt',
    reply: {
      headers: { 'content-type': 'text/vtt' },
      body: 'WEBVTT - a title\n\nNOTE of no --> interest\n\ncue-1\n00:01.000 --> 00:02.000 align:start\n<v Ann><i>Q&amp;A</i></v>\n\n00:03.000 --> 00:04.000\n<v Speaker1>Yes.\n',
    },
    expected: [segment('Q&A', 1000, 2000, 'Ann'), segment('Yes.', 3000, 4000, 'Speaker 1')],
  },
  'what PostgreSQL cannot hold': {
    reply: { body: '{"segments":[{"start":0,"end":1,"text":"One\\u0000 two \\ud83d.","speaker":"An\\u0000n"}]}' },
    expected: [segment('One two \ufffd.', 0, 1000, 'Ann')],
  },
};

for (const [name, { reply, expected, format = 'auto' }] of Object.entries(dialects)) {
  test(`understood: ${name}`, async () => {
    const { ask } = await underTest(reply, { TRANSCRIPTION_RESPONSE_FORMAT: format });
    assert.equal(await ask(), expected);
  });
}

const silences: Record<string, RawReply> = {
  'an empty text': { json: { text: '' } },
  'no text': { json: { text: null } },
  'no segments': { json: { text: ' ', segments: [] } },
  'segments of nothing': { json: { text: '', segments: [{ start: 0, end: 30, text: ' ' }] } },
  'the mark of whisper.cpp': { json: { segments: [{ start: 0, end: 30, text: ' [BLANK_AUDIO]' }] } },
  'an empty body of plain text': { headers: { 'content-type': 'text/plain' }, body: '\n' },
  'subtitles without a cue': { headers: { 'content-type': 'text/vtt' }, body: 'WEBVTT\n\n' },
  'hardly any sound': refusal(400, { message: 'Audio file is too short.', code: 'audio_too_short', param: 'file' }),
};

for (const [name, reply] of Object.entries(silences)) {
  test(`silence is nothing said: ${name}`, async () => {
    const { ask, server } = await underTest(reply);
    assert.equal(await ask(), []);
    assert.is(server.requests.length, 1);
  });
}

for (const format of ['verbose_json', 'diarized_json', 'json', 'text', 'srt', 'vtt']) {
  test(`${format} is asked for where it is set, and understood`, async () => {
    const { ask, server } = await underTest(undefined, { TRANSCRIPTION_RESPONSE_FORMAT: format });
    const [segment, ...others] = await ask();
    assert.is(segment?.text, 'A piece of 9 bytes.');
    assert.equal(others, []);
    assert.is(server.requests[0]?.fields.response_format, format);
  });
}

const unsupported = refusal(400, {
  message: "response_format 'verbose_json' is not compatible with model 'gpt-4o-transcribe'. Use 'json' or 'text'.",
  param: 'response_format',
});

test('what takes no verbose_json is asked for json, once for all pieces, and charged for the answer alone', async () => {
  const { ask, server, active, waits } = await underTest(({ fields }) =>
    fields.response_format === 'verbose_json' ? unsupported : 'Hello.',
  );
  assert.equal(await ask(), [segment('Hello.')]);
  assert.equal(await ask({ offsetMs: 1000 }), [segment('Hello.', 1000)]);
  assert.equal(
    server.requests.map(({ fields }) => fields.response_format),
    ['verbose_json', 'json', 'json'],
  );
  assert.is(active.length, 2);
  assert.equal(waits, []);
});

test('the same from FastAPI, and from a gateway that makes 500 of it', async () => {
  const fastApi = {
    status: 422,
    json: { detail: [{ loc: ['body', 'response_format'], msg: 'Input should be json' }] },
  };
  const gateway = refusal(500, {
    message: 'BadRequestError: Currently only support response_format `text` or `json`.',
  });
  for (const refused of [fastApi, gateway]) {
    const { ask, server } = await underTest(({ fields }) =>
      fields.response_format === 'verbose_json' ? refused : 'Hello.',
    );
    assert.equal(await ask(), [segment('Hello.')]);
    assert.is(server.requests.length, 2);
  }
});

test('a format that is set is not changed', async () => {
  const { fault, server } = await underTest(unsupported, { TRANSCRIPTION_RESPONSE_FORMAT: 'verbose_json' });
  assert.is((await fault()).retryable, false);
  assert.is(server.requests.length, 1);
});

test('what is refused in every format is not remembered as the format’s fault', async () => {
  const { ask, fault, server } = await underTest(unsupported);
  assert.match((await fault()).message, 'refused the request (400)');
  server.answer(() => 'Hello.');
  await ask();
  assert.is(server.requests.at(-1)?.fields.response_format, 'verbose_json');
});

test('a model that separates speakers is asked for them, cuts the audio itself and gets no prompt', async () => {
  const model = 'gpt-4o-transcribe-diarize';
  const { ask, server } = await underTest('Hello.', { TRANSCRIPTION_MODEL: model });
  assert.equal(await ask({ prompt: 'Before.' }), [segment('Hello.', 0, 1000, 'Speaker 1')]);
  assert.equal(server.requests[0]?.fields, { model, response_format: 'diarized_json', chunking_strategy: 'auto' });
});

test('a server that knows no diarized_json is asked for verbose_json instead', async () => {
  const { ask, server } = await underTest(
    ({ fields }) =>
      fields.response_format === 'diarized_json' ? refusal(400, { message: 'unknown response_format' }) : 'Hello.',
    { TRANSCRIPTION_MODEL: 'our-diarizer' },
  );
  await ask();
  assert.is(server.requests.at(-1)?.fields.response_format, 'verbose_json');
});

test('a prompt that is refused is left out from then on, a language for the one piece', async () => {
  const { ask, server } = await underTest(({ fields }) => {
    if (fields.prompt !== undefined) return refusal(400, { message: 'prompt is not supported' });
    if (fields.language === 'tlh') return refusal(400, { message: "Unsupported language: 'tlh'" });
    return 'Hello.';
  });
  const both = { prompt: 'Before.' };
  await ask({ ...both, language: 'tlh' });
  await ask({ ...both, language: 'de' });
  assert.equal(
    server.requests.map(({ fields }) => [fields.prompt, fields.language]),
    [
      ['Before.', 'tlh'],
      [undefined, 'tlh'],
      [undefined, undefined],
      [undefined, 'de'],
    ],
  );
});

const conversation = (...speakers: unknown[]): RawReply => ({
  json: { segments: speakers.map((speaker, n) => ({ start: n, end: n + 1, text: 'Yes.', speaker })) },
});

test('labels of voices are counted as they appear, names are kept, and none is made up', async () => {
  const rows: [unknown[], (string | null)[]][] = [
    [
      ['A', 'B', 'A'],
      ['Speaker 1', 'Speaker 2', 'Speaker 1'],
    ],
    [
      ['SPEAKER_01', 'SPEAKER_00'],
      ['Speaker 1', 'Speaker 2'],
    ],
    [
      [3, 0, 3],
      ['Speaker 1', 'Speaker 2', 'Speaker 1'],
    ],
    [
      ['Ann\n Lee', 'agent', 'A'],
      ['Ann Lee', 'agent', 'Speaker 1'],
    ],
    [
      [null, undefined, '', '?', 'UNKNOWN', {}],
      [null, null, null, null, null, null],
    ],
  ];
  const { ask, server } = await underTest();
  for (const [speakers, expected] of rows) {
    server.answer(() => conversation(...speakers));
    const segments = await ask();
    assert.equal(
      segments.map(({ speaker }) => speaker),
      expected,
    );
  }
});

test('a voice without a name is not taken for one of another piece', async () => {
  const { ask } = await underTest(conversation('A', 'Ann', 'B'));
  const speakers = async (offsetMs: number) => (await ask({ offsetMs })).map(({ speaker }) => speaker);
  assert.equal(await speakers(0), ['Speaker 1', 'Ann', 'Speaker 2']);
  assert.equal(await speakers(600_000), ['Speaker 1 (from 10:00)', 'Ann', 'Speaker 2 (from 10:00)']);
  assert.equal(await speakers(3_723_400), ['Speaker 1 (from 1:02:03)', 'Ann', 'Speaker 2 (from 1:02:03)']);
});

test('a large piece arrives whole', async () => {
  const bytes = Buffer.alloc(8_000_000, 7);
  bytes.set(pieceOf().bytes);
  const { ask, server } = await underTest();
  assert.equal(await ask({ bytes }), [segment('A piece of 8000000 bytes.', 0, 1000)]);
  assert.ok(bytes.equals(server.requests[0]?.file?.bytes ?? new Uint8Array()));
});

test('nothing of the key or of what was said is logged', async () => {
  const { ask, fault, lines, server } = await underTest('Strictly confidential.');
  await ask({ prompt: 'Confidential too.' });
  server.answer(() => refusal(401, { message: `Incorrect API key provided: ${secretKey}`, code: 'invalid_api_key' }));
  const { message, stack } = await fault();
  const logged = [...lines, message, stack].join('\n');
  assert.match(logged, 'piece transcribed');
  assert.match(logged, 'invalid_api_key');
  assert.not.match(logged, /confidential/i);
  assert.not.match(logged, secretKey);
});

test.run();
