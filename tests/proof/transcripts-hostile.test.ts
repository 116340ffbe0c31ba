import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { durationSeconds, transcriptText } from '../../domain/captures/segments.ts';
import { Failure } from '../../domain/errors.ts';
import type { Segment } from '../../domain/media.ts';
import { readTranscript, type TranscriptFormat } from '../../media/transcripts/index.ts';
import { cpuMsOf } from '../support/cpu-time.ts';

const test = suite('transcripts, hostile');

/** Ordinary bodies take a tenth of it, a quadratic reader hours. */
const mostCpuMs = 3000;
const bodyLength = 4 * 1024 * 1024;

function filled(unit: string): string {
  return unit.repeat(Math.ceil(bodyLength / unit.length)).slice(0, bodyLength);
}

/** Reads and writes it; what was read, or the failure. Anything but a `Failure` of 400 is thrown. */
function attempt(format: TranscriptFormat, body: string): Segment[] | Failure {
  try {
    const segments = readTranscript(format, body, 'body');
    transcriptText(segments);
    return segments;
  } catch (error) {
    if (error instanceof Failure && error.problem.status === 400 && error.problem.errors?.[0]?.param === 'body')
      return error;
    throw error;
  }
}

const line = (index: number) => `Speaker ${index % 7}: line ${index} of what was said, and <i>more</i> &amp; more\n`;
const clock = (second: number) => new Date(second * 1000).toISOString().slice(11, 23);
const manyCues = Array.from({ length: 40_000 }, (_, at) => `${clock(at)} --> ${clock(at + 1)}\n${line(at)}\n`).join('');

/** What fills 4 MiB: the body of a cue, or a whole text. */
const units: [name: string, unit: string, format: 'vtt' | 'text'][] = [
  ['opened tags', '<', 'vtt'],
  ['tags without an end', `<${'a'.repeat(999)}`, 'vtt'],
  ['voices', '<v a>x', 'vtt'],
  ['ampersands', '&', 'vtt'],
  ['numeric references', '&#38;', 'vtt'],
  ['overrides', '{\\', 'vtt'],
  ['arrows', '-->', 'vtt'],
  ['carriage returns', '\r', 'vtt'],
  ['digits', '1', 'text'],
  ['narrow spaces', '\u00a0 ', 'text'],
  ['colons', 'Al: ', 'text'],
  ['brackets', '[a]', 'text'],
  ['closed sentences', '.)', 'text'],
];

for (const [name, unit, format] of units) {
  test(`4 MiB of ${name} are read or refused in time that is linear`, async () => {
    const body = `${format === 'vtt' ? 'WEBVTT\n\n00:01.000 --> 00:02.000\n' : ''}${filled(unit)}`;
    const spent = await cpuMsOf(() => attempt(format, body));
    assert.ok(spent < mostCpuMs, `${spent} ms`);
  });
}

/** What stands on as many lines as are read. */
const manyLines: [name: string, unit: string, format: 'srt' | 'text'][] = [
  ['lines of a letter', 'a\n', 'text'],
  ['numbers on their own', '1\n', 'srt'],
  ['labels in one cue', 'Al Bo: x\n', 'srt'],
  ['odd labels', 'al bo: x\n', 'text'],
  ['headings', 'Al Bo  0:00\nx\n', 'text'],
  ['comments below blank lines', '\nNOTE\n', 'srt'],
];

for (const [name, unit, format] of manyLines) {
  test(`250,000 lines of ${name} are read in time that is linear`, async () => {
    const body = `${format === 'srt' ? '0:01 --> 0:02\nx\n' : ''}${unit.repeat(Math.floor(249_990 / (unit.split('\n').length - 1)))}`;
    const spent = await cpuMsOf(() => assert.instance(attempt(format, body), Array));
    assert.ok(spent < mostCpuMs, `${spent} ms`);
  });
}

test('40,000 cues are read in time that is linear', async () => {
  const spent = await cpuMsOf(() => assert.is((attempt('vtt', `WEBVTT\n\n${manyCues}`) as Segment[]).length, 40_000));
  assert.ok(spent < mostCpuMs, `${spent} ms`);
});

/** A text as a segment holds it: on one line, with something to read. */
const nonBlankText = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .map((text) => text.replace(/[\s\p{Cc}\ufffd]+/gu, ' ').trim())
  .filter((text) => /[^\s\p{Cc}\p{Cf}]/u.test(text) && !text.includes('{\\'));

/** Segments by time, some with the name of a voice; the first always, so that no colon is taken for a label. */
const segments = fc
  .array(
    fc.record({
      after: fc.nat(5000),
      lasts: fc.integer({ min: 200, max: 9000 }),
      speaker: fc.option(nonBlankText),
      text: nonBlankText,
    }),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((parts) => {
    let startMs = 0;
    return parts.map(({ after, lasts, speaker, text }, index): Segment => {
      startMs += after + 1;
      return { startMs, endMs: startMs + lasts, speaker: speaker ?? (index === 0 ? 'Ann' : null), text };
    });
  });

interface Style {
  /** The line ends. */
  end: string;
  numbered: boolean;
  /** Whether the last cue is written first. */
  turned: boolean;
}

const style: fc.Arbitrary<Style> = fc.record({
  end: fc.constantFrom('\n', '\r\n', '\r'),
  numbered: fc.boolean(),
  turned: fc.boolean(),
});

function written(spoken: readonly Segment[], format: 'vtt' | 'srt', { end, numbered, turned }: Style): string {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const time = (ms: number | null) =>
    new Date(ms ?? 0)
      .toISOString()
      .slice(11, 23)
      .replace('.', format === 'srt' ? ',' : '.');
  const cues = spoken.map(({ startMs, endMs, speaker, text }, index) => {
    const words = speaker === null ? escaped(text) : `<v ${escaped(speaker)}>${escaped(text)}</v>`;
    return `${numbered ? `${index + 1}${end}` : ''}${time(startMs)} --> ${time(endMs)}${end}${words}${end}`;
  });
  if (turned) cues.reverse();
  return `${format === 'vtt' ? `WEBVTT${end}${end}` : ''}${cues.join(end)}`;
}

test('segments that are written as WebVTT or SRT come back as they were', () => {
  fc.assert(
    fc.property(segments, fc.constantFrom('vtt', 'srt'), style, (spoken, format, how) => {
      assert.equal(readTranscript(format, written(spoken, format, how), 'body'), spoken);
    }),
    { numRuns: 200 },
  );
});

test('the text of a transcript, imported as text, is the same text', () => {
  const speaker = fc.constantFrom('Ann Lee', 'Bob', 'Dr. Ito (Guest)', 'Speaker 4');
  const sentence = fc.constantFrom(
    'Good morning.',
    'It ends at 10:30.',
    'Note: see http://example.com',
    'and so on',
    '你好。',
  );
  const spoken = fc.array(
    fc.record({ startMs: fc.constant(null), endMs: fc.constant(null), speaker, text: sentence }),
    {
      minLength: 1,
      maxLength: 12,
    },
  );
  fc.assert(
    fc.property(spoken, (each) => {
      const text = transcriptText(each);
      assert.is(transcriptText(readTranscript('text', text, 'body')), text);
    }),
  );
});

const fragment = fc.oneof(
  fc.constantFrom(
    ...[
      'WEBVTT',
      '\n',
      '\n\n',
      '\r',
      '00:01.000',
      '00:00:02,000',
      ' --> ',
      '-->',
      '99:99',
      '1',
      '42\n',
      'NOTE',
      'STYLE\n',
    ],
    ...[
      '<v Ann>',
      '</v>',
      '<c.x',
      '<00:01.000>',
      '>',
      '&amp;',
      '&#0;',
      '&#xD800;',
      '&#99999999;',
      '{\\an8}',
      '\ufeff',
      '\u200e',
    ],
    ...[
      'Ann: ',
      'bob: ',
      '[SPEAKER_01] ',
      '**',
      'Ann  0:01\n',
      '[0:01] ',
      '：',
      'Hi there. ',
      '你好。',
      '\t',
      '\u2028',
      '\u0085',
      '\ufffd',
    ],
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

test('garbage is parsed or refused with a 400, and parsed text is complete', () => {
  const format = fc.constantFrom<TranscriptFormat>('vtt', 'srt', 'text');
  fc.assert(
    fc.property(format, fc.boolean(), fc.array(fragment, { maxLength: 40 }), (as, begins, parts) => {
      const result = attempt(as, `${begins ? 'WEBVTT\n\n0:01 --> 0:02\n' : ''}${parts.join('')}`);
      if (result instanceof Failure) return;
      assert.ok(result.length > 0);
      for (const { startMs, endMs, speaker, text } of result) {
        assert.match(text, /^\S(.*\S)?$/u);
        assert.not.match(text, /\n|\p{Cc}/u);
        assert.ok(speaker === null || speaker.trim() === speaker);
        assert.ok(startMs === null || endMs === null || endMs >= startMs);
      }
      assert.ok((durationSeconds(result) ?? 0) >= 0);
    }),
    { numRuns: 1000 },
  );
});

test.run();
