import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { durationSeconds, transcriptText } from '../../domain/captures/segments.ts';
import { Failure } from '../../domain/errors.ts';
import type { Segment } from '../../domain/media.ts';
import { readTranscript, type TranscriptFormat } from '../../media/transcripts/index.ts';
import { cues, segmentLines } from '../support/transcript-fixtures.ts';

const test = suite('transcripts');

function fixture(name: string): string {
  return readFileSync(`tests/fixtures/transcripts/${name}`, 'utf8');
}

function refusal(format: TranscriptFormat, body: string): string {
  try {
    readTranscript(format, body, 'transcript.body');
  } catch (error) {
    assert.instance(error, Failure);
    const { status, code, errors, message } = (error as Failure).problem;
    assert.equal([status, code, errors?.[0]?.param], [400, 'validation_failed', 'transcript.body']);
    return message;
  }
  return 'read';
}

const exports: [name: string, format: TranscriptFormat, expected: string[]][] = [
  [
    'zoom.vtt',
    'vtt',
    [
      '2100 4480 | Mara Lindqvist | Good morning, everyone.',
      '4900 8020 | Mara Lindqvist | First the budget: it went up by 4 %.',
      "8650 11200 | Tomás O'Brien-Vega | Note: the offer at https://example.com ends at 10:30.",
      '14000 15250 | Dr. Ito (Guest) | Understood.',
    ],
  ],
  [
    'teams.vtt',
    'vtt',
    [
      '3300 6870 | Lindqvist, Mara | Good morning, everyone. Shall we start?',
      '6900 9120 | Tomás Vega | Yes & no: Anna is late. So am I.',
      '9200 12000 | Lindqvist, Mara | Question: who calls her?',
      '9200 12000 | Anna <Guest> | I am here.',
    ],
  ],
  [
    'youtube.vtt',
    'vtt',
    [
      '320 2880 | - | hello everyone',
      '2880 5010 | - | today we talk',
      '5010 7510 | - | today we talk',
      '10600 12000 | - | about bees > wasps',
    ],
  ],
  [
    'styled.vtt',
    'vtt',
    [
      "1000 4000 | Mara | It's never a Problem",
      '3604000 3606000 | - | and 2 < 3, <3 you, a < b &copy é &unknown; &lt;',
      '3608000 3608000 | - | one two \ufffd–\ufffd\ufffd three',
    ],
  ],
  [
    'otter.srt',
    'srt',
    [
      '0 3930 | Mara Lindqvist | Good morning, and welcome to',
      '3930 6010 | Mara Lindqvist | the weekly call.',
      '6400 9000 | Tomás Vega | Thanks. Is Anna there?',
      '9500 11000 | Mara Lindqvist | Not yet.',
      '11000 13000 | Mara Lindqvist | She is on her way.',
    ],
  ],
  [
    'broken.srt',
    'srt',
    [
      '1500 2000 | - | The answer: 42',
      '3000 4500 | - | earlier, without a number',
      '4000 5000 | - | one line and another',
      '8000 9000 | - | after a blank line & so on',
      '10000 11000 | - | - Who is there? - Me.',
    ],
  ],
  [
    'otter.txt',
    'text',
    [
      '- - | - | SUMMARY KEYWORDS budget, offer',
      '1000 - | Mara Lindqvist | Good morning, everyone. First the budget: it went up.',
      '- - | Mara Lindqvist | Any questions?',
      '3734000 - | Unknown Speaker | Note: the offer ends at 10:30. Lunch: pizza.',
    ],
  ],
  [
    'meet.txt',
    'text',
    [
      '- - | - | Weekly call (2026-03-02 at 10:00 GMT) - Transcript Attendees Mara Lindqvist, Tomás Vega',
      '0 - | Mara Lindqvist | Good morning, everyone.',
      '- - | Tomás Vega | Good morning. Three things: the budget, the offer and lunch.',
      '300000 - | Mara Lindqvist | Next steps: Tomás asks at 10:30.',
    ],
  ],
];

for (const [name, format, expected] of exports) {
  test(`${name} is read with its times, speakers and words, whatever its line ends and byte order mark`, () => {
    const body = fixture(name);
    assert.equal(segmentLines(format, body), expected);
    assert.equal(segmentLines(format, `\uFEFF${body.replaceAll('\n', '\r\n')}`), expected);
    assert.equal(segmentLines(format, body.replaceAll('\n', '\r')), expected);
    assert.equal(segmentLines(format, body.trimEnd()), expected);
  });
}

test('what a person says twice is read twice, captions that roll up only once', () => {
  const texts = (body: string) => readTranscript('vtt', body, 'body').map(({ text }) => text);
  assert.equal(texts(cues('Yes.', 'Yes.', 'Yes.')), ['Yes.', 'Yes.', 'Yes.']);
  assert.equal(texts(cues('one', 'one\ntwo', 'two\nthree', 'three\nthree', 'three\nfour')), [
    'one',
    'two',
    'three',
    'three',
    'four',
  ]);
  assert.equal(texts(cues('one\ntwo', 'two\nthree', 'four\nfive', 'six\nseven')), [
    'one two',
    'two three',
    'four five',
    'six seven',
  ]);
});

test('captions roll up only where the file shows it, and only from a cue that was just there', () => {
  const texts = (body: string) => readTranscript('vtt', body, 'body').map(({ text }) => text);
  const flash = (second: number, text: string) => `00:0${second}.000 --> 00:0${second}.010\n${text}\n\n`;
  assert.equal(texts(cues('one', 'one\ntwo')), ['one', 'one two']);
  const mostlyNot = cues('a\nb', 'b\nc', 'c\nd', 'e\nf', 'g\nh', 'i\nj');
  assert.equal(texts(mostlyNot), ['a b', 'b c', 'c d', 'e f', 'g h', 'i j']);
  assert.equal(texts(`${cues('one')}${flash(1, 'one')}${flash(2, 'one')}`), ['one', 'one', 'one']);
  const flashed = `${cues('one')}${flash(1, 'one')}00:01.010 --> 00:02.000\ntwo\n\n${flash(2, 'two')}`;
  assert.equal(texts(flashed), ['one', 'two']);
  const later = `${cues('one', 'one\ntwo', 'two\nthree')}00:09.000 --> 00:10.000\nthree\n`;
  assert.equal(texts(later), ['one', 'two', 'three', 'three']);
});

test('files joined into one keep their order though the times begin again', () => {
  const body = `${cues('one', 'two')}\n${cues('three')}`;
  assert.equal(segmentLines('vtt', body), ['0 1000 | - | one', '1000 2000 | - | two', '0 1000 | - | three']);
});

const shape = { vtt: '00:00:01.000 --> 00:00:04.000', srt: '00:00:01,000 --> 00:00:04,000' };
const refusals: [format: TranscriptFormat, body: string, message: string][] = [
  [
    'vtt',
    'hello',
    'Line 1: WebVTT begins with the line WEBVTT, not “hello”. Add it with a blank line below it, or pass a transcript without times with the format “text”.',
  ],
  [
    'vtt',
    'WEBVTTX\n\n00:01.000 --> 00:02.000\nHi',
    'Line 1: WebVTT begins with the line WEBVTT, not “WEBVTTX”. Add it with a blank line below it, or pass the format “srt”.',
  ],
  [
    'vtt',
    '1\n00:00:01,000 --> 00:00:02,000\nHi',
    'Line 1: this is SRT: it has no line WEBVTT, and commas in its times. Pass it with the format “srt”.',
  ],
  ['srt', cues('Hi'), 'Line 1: this is WebVTT, it begins with WEBVTT. Pass it with the format “vtt”.'],
  ['text', cues('Hi'), 'Line 1: this is WebVTT, it begins with WEBVTT. Pass it with the format “vtt”.'],
  [
    'text',
    '1\n00:00:01,000 --> 00:00:02,000\nHi',
    'This is SRT: it begins with the times of a cue. Pass it with the format “srt”.',
  ],
  [
    'vtt',
    'WEBVTT\n\nhello',
    `There is no cue: no line has times such as ${shape.vtt}. Pass a transcript without times with the format “text”.`,
  ],
  [
    'srt',
    'hello',
    `There is no cue: no line has times such as ${shape.srt}. Pass a transcript without times with the format “text”.`,
  ],
  [
    'vtt',
    'WEBVTT\n\n00:00:01.000 --> 00:00:xx.000\nHi',
    `Line 3: the times “00:00:01.000 --> 00:00:xx.000” cannot be read. Write them as ${shape.vtt}.`,
  ],
  [
    'vtt',
    `${cues('Hi')}00:61.000 --> 00:62.000\nHo`,
    `Line 6: the times “00:61.000 --> 00:62.000” cannot be read. Write them as ${shape.vtt}.`,
  ],
  [
    'srt',
    '1\r\n00:00:01,000 -> 00:00:02,000\r\nHi',
    `Line 2: “00:00:01,000 -> 00:00:02,000” has no --> between its times. Write ${shape.srt}.`,
  ],
  ['srt', 'soon --> later\nHi', `Line 1: the times “soon --> later” cannot be read. Write them as ${shape.srt}.`],
  [
    'srt',
    '00:00:03,000 --> 00:00:02,999\nHi',
    'Line 1: “00:00:03,000 --> 00:00:02,999” ends before it starts. Put the earlier time first.',
  ],
  [
    'vtt',
    cues('<b></b>&lrm;', '{\\an8}'),
    'No cue of the transcript has any text, apart from tags. Export it again with what was said.',
  ],
  ['text', ' \n\u200b\n', 'The transcript says nothing: there is no word in it. Pass what was said.'],
  ['text', '%PDF-1.7\nHi', 'This is a PDF. Export the transcript as WebVTT, SRT or plain text and pass that.'],
  [
    'text',
    '<!DOCTYPE html><p>Hi',
    'This is an HTML page. Export the transcript as WebVTT, SRT or plain text and pass that.',
  ],
  [
    'srt',
    '\ufffd\ufffd\u0001\u0002Hi',
    'This does not read as text: it is a binary file or in another encoding than UTF-8. Save the transcript as UTF-8 text and pass that.',
  ],
  [
    'text',
    'a\n'.repeat(300_000),
    'The transcript has 300001 lines, and at most 250000 are read. Pass it in several parts.',
  ],
];

for (const [format, body, message] of refusals) {
  test(`as ${format}, ${JSON.stringify(body.slice(0, 50))} is refused with what to do`, () => {
    assert.is(refusal(format, body), message);
  });
}

test('an arrow that somebody wrote is no broken cue', () => {
  assert.equal(segmentLines('vtt', cues('first\nstep 1 --> step 2')), ['0 1000 | - | first step 1 --> step 2']);
});

test('the text of a transcript is paragraphs: by speaker, or else by pauses and length', () => {
  const segment = (startMs: number | null, endMs: number | null, speaker: string | null, text: string): Segment => ({
    startMs,
    endMs,
    speaker,
    text,
  });
  const words = (count: number) => Array.from({ length: count }, () => 'x'.repeat(49)).join(' ');
  const twoParagraphs = `${words(41)}\n\n${words(19)}`;
  const sentence = `${'word '.repeat(59)}end.`;
  const cases: [segments: Segment[], text: string][] = [
    [[], ''],
    [
      [segment(0, 1, 'Ann', 'Hi.'), segment(9000, 9001, 'Ann', ' I am\n\nAnn. '), segment(9001, 9002, 'Bob', 'Ho.')],
      'Ann: Hi. I am Ann.\n\nBob: Ho.',
    ],
    [[segment(0, 1, 'Ann', 'Hi'), segment(1, 2, null, 'Ho'), segment(2, 3, 'Ann', '')], 'Ann: Hi\n\nHo'],
    [
      [segment(0, 1000, null, 'one'), segment(3000, 4000, null, 'two'), segment(6001, 7000, null, 'three')],
      'one two\n\nthree',
    ],
    [
      [segment(0, 9000, null, 'one'), segment(1000, 2000, null, 'two'), segment(10_000, 11_000, null, 'three')],
      'one two three',
    ],
    [[segment(9000, 9500, null, 'one'), segment(1000, 2000, null, 'two')], 'one\n\ntwo'],
    [Array.from({ length: 60 }, (_, at) => segment(at, at + 1, null, 'x'.repeat(49))), twoParagraphs],
    [[segment(null, null, null, 'one'), segment(null, null, null, 'two')], 'one\n\ntwo'],
    [[segment(0, 1, null, '你好。'), segment(1, 2, null, '再见。'), segment(2, 3, null, 'OK')], '你好。再见。 OK'],
    [
      [
        segment(0, 1, null, `${sentence} ${sentence}`),
        segment(1, 2, null, `${sentence} New.`),
        segment(2, 3, null, 'Last.'),
      ],
      `${sentence} ${sentence} ${sentence}\n\nNew. Last.`,
    ],
  ];
  for (const [segments, text] of cases) assert.is(transcriptText(segments), text);
});

test('a transcript lasts until its last known time, in seconds rounded up', () => {
  const at = (startMs: number | null, endMs: number | null): Segment => ({ startMs, endMs, speaker: null, text: 'x' });
  assert.is(durationSeconds([]), null);
  assert.is(durationSeconds([at(null, null)]), null);
  assert.is(durationSeconds([at(0, 0)]), 0);
  assert.is(durationSeconds([at(0, 9001), at(500, 3000)]), 10);
  assert.is(durationSeconds([at(1000, null), at(61_000, null)]), 61);
});

test.run();
