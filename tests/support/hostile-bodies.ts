import fc, { type Arbitrary } from 'fast-check';

/** A part of a text that is repeated, or the text from its number. */
type Family = string | ((place: number) => string);

const clock = (seconds: number) =>
  [3600, 60, 1]
    .map((unit) => String(Math.floor(seconds / unit) % (unit === 3600 ? 100 : 60)).padStart(2, '0'))
    .join(':');

/** What a reader of texts may take too long for, or too much memory. */
const families: Record<string, Family> = {
  'no space': 'a',
  'no space, no case': '\u3042',
  spaces: ' x',
  colons: 'A:',
  'speakers without words': 'A: \n',
  speakers: (place) => `Speaker ${place}: We ship on Friday.\n`,
  sentences: 'We ship. ',
  'full stops': '.',
  ellipses: '… ',
  abbreviations: 'Dr. e.g. i.e. ',
  'question marks': '?!',
  'line breaks': 'x\n',
  'carriage returns': '\r',
  'Unicode line breaks': '\u2028',
  tasks: '- [ ] Send the report by tomorrow\n',
  'open tasks': '- [ ]',
  'TODO:': 'TODO: send it\n',
  quotations: '> ',
  'nested lists': (place) => `${' '.repeat(place % 90)}- x\n`,
  tables: '|a',
  stars: '*',
  'stars and words': '**a ',
  underscores: '_a_',
  brackets: '[',
  links: '[a](',
  'links closed': '[a](b)',
  images: '![',
  backticks: '`',
  'backticks of growing length': (place) => `${'`'.repeat(place % 300)} `,
  tags: '<a ',
  comments: '<!--',
  entities: '&#',
  'combining marks': '\u0301',
  families: '\u{1f469}\u200d',
  'right to left': '\u202e\u05d0 ',
  'quotation marks': '“',
  names: '@Ada ',
  dates: 'tomorrow next Friday 2026-02-30 ',
  digits: '9',
  'numbered lists': (place) => `${place}. x\n`,
  'VTT cues': (place) => `\n${clock(place)}.000 --> ${clock(place + 1)}.000\n<v Ada>x\n`,
  'VTT cues backwards': (place) => `\n${clock(360_000 - place)}.000 --> ${clock(1)}.000\nx\n`,
  'VTT tags': '<v A><c.x>',
  'VTT arrows': '-->',
  'SRT cues': (place) => `${place}\n${clock(place)},000 --> ${clock(place + 1)},000\nx\n\n`,
  'SRT arrows': '1\n-->\n',
  'words of one letter': 'a b c d ',
  'words that never end': (place) => `${place}a`,
  'NUL escaped': '\\u0000',
};

function written(family: Family, length: number): string {
  if (typeof family === 'string') return family.repeat(Math.ceil(length / family.length)).slice(0, length);
  const parts: string[] = [];
  for (let place = 1, total = 0; total < length; place++) {
    const part = family(place);
    total += part.length;
    parts.push(part);
  }
  return parts.join('').slice(0, length);
}

const lengths = fc.oneof(
  { weight: 30, arbitrary: fc.nat(2000) },
  { weight: 8, arbitrary: fc.integer({ min: 2000, max: 60_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: 60_000, max: 900_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(1_000_000, 3_999_999) },
);

/** Bodies of createCapture whose text takes the worst of whoever reads it; one in forty is of the largest size. */
export const hostileCapture: Arbitrary<Record<string, unknown>> = fc
  .record({
    family: fc.constantFrom(...Object.values(families)),
    length: lengths,
    format: fc.constantFrom('vtt', 'srt', 'text', 'note'),
  })
  .map(({ family, length, format }) => {
    if (format === 'note') return { type: 'note', content: written(family, Math.min(length, 500_000)) };
    const text = written(family, length);
    const body = format === 'vtt' ? `WEBVTT\n\n${text}` : text;
    return { type: 'recording', transcript: { format, body: body.slice(0, 4_000_000) } };
  });
