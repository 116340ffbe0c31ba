import { randomOf } from './todo-oracle.ts';

/* Captures of the largest size that were made to take long: each is a function of its seed. */

/** What texts are made of, by what it is bait for. */
export const baits: Record<string, readonly string[]> = {
  characters: ['a', 'A:', 'a ', 'ab', 'a. ', 'a.b.', 'Mr. ', 'e.g. ', 'x'],
  blanks: [' ', '\t', '\u00a0 ', '  \n', '\n', '\r', '\r\n', '\n\n', '\u2028', '\u3000', '\v', ' \n \t\n'],
  brackets: [
    '[',
    ']',
    '(',
    '((',
    '{',
    '<',
    '>',
    '[[',
    '[]',
    '[a](',
    '![',
    '![a](b',
    '<a',
    '<a>',
    '</',
    '<!--',
    '{\\an8}',
  ],
  marks: [
    '*',
    '**',
    '**a',
    '*a_',
    '_',
    '__a',
    '`',
    '``a',
    '```\n',
    '~',
    '~~',
    '~~a',
    '\\',
    '|',
    '||a|',
    '#',
    '> ',
    '>>> ',
  ],
  blocks: [
    '- ',
    '- a\n',
    '  - a\n',
    '1. ',
    '1) a\n',
    '# a\n',
    'a\n===\n',
    '---\n',
    '> - 1. ',
    '    a\n',
    '- [ ] a\n',
    '[x] ',
  ],
  links: [
    'http://a.b/',
    'https://',
    '<http://a',
    'www.a.',
    'a@b.c ',
    '[a]: b\n',
    '[a][b]',
    '&amp;',
    '&#38;',
    '&',
    '%41',
  ],
  combining: [
    '\u0301',
    '\u0301\u0316',
    'a\u0301\u0316',
    '\u0f71\u0f72',
    '\u1112\u1161\u11ab',
    '\u0e31\u0e48',
    'e\u0301',
  ],
  emoji: ['😀', '👨‍👩‍👧', '🇩🇪', '👍🏽', '\u200d', '\ufe0f', '❤️\u200d🔥'],
  directions: ['שלום ', 'مرحبا', '\u202e', '\u200f', '\u2067a\u2069', 'سلام: ', 'א'],
  scripts: ['漢字', 'ひらがな。', 'カタカナ', 'ภาษาไทย', '한국어 ', 'हिन्दी ', 'ΑΣ ', 'İı', 'ß', '。', '決定'],
  speakers: [
    'Ada: ',
    'Ada Lovelace: ',
    '\nBob: x',
    '[Ada]: ',
    '**Ada:** ',
    '>> ADA: ',
    'Speaker 1: ',
    '(Ada) ',
    'al bo: x\n',
  ],
  times: [
    '12:00 ',
    '0:01\n',
    '[00:01] ',
    '00:00:01.000 --> ',
    '-->',
    '1:2:3',
    '2026-01-01 ',
    '1/2/2026 ',
    '31.12. ',
    '9 am ',
  ],
  dates: [
    'by Friday ',
    'next week ',
    'tomorrow ',
    'end of the ',
    'in 3 days ',
    'on the 3rd ',
    'due: ',
    'until ',
    'no later than ',
  ],
  tasks: [
    'TODO ',
    'TODO: ',
    'TODO(a) ',
    'Action item: ',
    'Next steps:\n',
    '☐ a\n',
    '@ada ',
    '@',
    'please ',
    'Ada, please ',
  ],
  promises: [
    'I will ',
    "I'll send ",
    'we must ',
    'Ada to ',
    'Ada will send the ',
    'and ',
    'so ',
    'ok yes well ',
    ', ',
    'remember to ',
  ],
  topics: ['we decided ', 'let’s talk about ', 'the topic is ', 'welcome to ', 'agreed ', 'because ', 'if '],
  quotes: ['“', '”', '"', "'", '’', '«', '„', '“a”', "a'b", '""'],
  digits: ['1', '1 ', '1.', '1,000 ', '0', '١', '½', '1\n', '9'.repeat(40)],
  ends: ['.', '. ', '?', '! ', '…', '.)', '?! ', ';', ':', '—', ' - ', '-', ','],
};

const pick = <Value>(random: () => number, values: readonly Value[]): Value =>
  values[Math.floor(random() * values.length)] as Value;

/** A text of `size` UTF-16 units, well-formed: one bait again and again, several in turn, or several at random. */
function hostileText(random: () => number, size: number): string {
  const all = Object.values(baits).flat();
  const style = random();
  const chosen = Array.from({ length: style < 0.4 ? 1 : 2 + Math.floor(random() * 5) }, () => pick(random, all));
  const round = style < 0.7 ? chosen.join('') : Array.from({ length: 2000 }, () => pick(random, chosen)).join('');
  const line = random() < 0.5 ? '' : '\n';
  const unit = line === '' ? round : round.repeat(1 + Math.floor((random() * 300) / round.length)) + line;
  return unit
    .repeat(Math.ceil(size / unit.length))
    .slice(0, size)
    .toWellFormed()
    .replaceAll('\ufffd', 'x');
}

/** Longest texts, in characters and bytes (a body has 4 MiB, and JSON writes some characters with more bytes). */
const limits = { note: 500_000, notes: 100_000, transcript: 3_900_000, body: 4_190_000, lines: 249_000 };

const clock = (ms: number, mark: string) => new Date(ms).toISOString().slice(11, 23).replace('.', mark);

/** Cues up to `size` bytes: short or long, in order or overlapping, with names, tags or lines that roll. */
function hostileCues(random: () => number, size: number, format: 'vtt' | 'srt'): string {
  const mark = format === 'vtt' ? '.' : ',';
  const words = hostileText(random, pick(random, [4, 20, 200, 5000])).replaceAll(/[\r\n\u2028]+|-->/g, ' ');
  const voices = ['', '<v Ada>', '<v A', 'Ada: ', '- ', '<i>', '<00:01.000>', '&lt;'];
  const [voice, step, length] = [pick(random, voices), pick(random, [0, 1, 1000]), pick(random, [0, 1, 100_000, 5e6])];
  const isNumbered = format === 'srt' || random() < 0.3;
  const lines = [format === 'vtt' ? 'WEBVTT\n' : ''];
  let bytes = 0;
  // More lines are refused: at most four for each cue.
  for (let index = 0; bytes < size && index < limits.lines / 4; index += 1) {
    const start = (index * step) % 80_000_000;
    const who = voice === '<v A' ? `<v A${index}>` : voice;
    const cue = `${isNumbered ? `${index}\n` : ''}${clock(start, mark)} --> ${clock(start + length, mark)}\n${who}${words}\n`;
    bytes += Buffer.byteLength(cue) + 1;
    if (bytes < size) lines.push(cue);
  }
  return lines.join('\n');
}

/** The text cut to so many bytes of UTF-8. */
function cutToBytes(text: string, bytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes)).replace(/\ufffd+$/, '');
}

export const kinds = ['text', 'vtt', 'srt', 'note', 'names'] as const;

/** A body of createCapture, and the notes that are written beside it. */
export interface HostileCapture {
  kind: (typeof kinds)[number];
  body: { type: 'note'; content: string } | { type: 'recording'; transcript: { format: string; body: string } };
  notes: string;
}

/** As much of a text as fits into the body of a request, on as many lines as a transcript may have. */
function fitted(text: string): string {
  const lines = text.split(/\r\n?|\n/, limits.lines);
  let fitting = lines.length < limits.lines ? text : lines.join('\n');
  for (let bytes = limits.transcript; Buffer.byteLength(JSON.stringify(fitting)) > limits.body - 200; bytes *= 0.8)
    fitting = cutToBytes(fitting, bytes);
  return fitting;
}

/** A transcript in which everybody speaks once, or a few speak often. */
function manyNames(random: () => number): string {
  const count = pick(random, [3, 1000, 100_000]);
  const spoken = hostileText(random, 8).replaceAll(/[\r\n]/g, ' ');
  const lines = Array.from({ length: 150_000 }, (_, index) => `Ada Bo${(index % count).toString(36)}: ${spoken}`);
  return lines.join('\n');
}

/** The hostile capture of a seed. */
export function hostileCapture(seed: number): HostileCapture {
  const random = randomOf(seed);
  const kind = kinds[seed % kinds.length] as HostileCapture['kind'];
  const notes = `x ${hostileText(random, limits.notes - 10)}`;
  if (kind === 'note')
    return { kind, notes, body: { type: 'note', content: fitted(`x${hostileText(random, limits.note - 10)}`) } };
  const texts = {
    text: () => `x${hostileText(random, limits.transcript)}`,
    names: () => manyNames(random),
    vtt: () => hostileCues(random, limits.transcript, 'vtt'),
    srt: () => hostileCues(random, limits.transcript, 'srt'),
  };
  const format = kind === 'names' ? 'text' : kind;
  return { kind, notes, body: { type: 'recording', transcript: { format, body: fitted(texts[kind]()) } } };
}
