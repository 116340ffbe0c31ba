import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTranscript } from '../../media/transcripts/index.ts';
import { cues, segmentLines } from '../support/transcript-fixtures.ts';

const test = suite('transcripts, speakers');

/** Who speaks in each segment of such cues. */
function speakers(...texts: string[]): string {
  const segments = readTranscript('vtt', cues(...texts), 'transcript.body');
  return segments.map(({ speaker }) => speaker ?? '-').join(', ');
}

const texts: [body: string, ...expected: string[]][] = [
  ['One line\nand another\n', '- - | - | One line', '- - | - | and another'],
  ['One\nparagraph.\n\n\n Another: here.', '- - | - | One paragraph.', '- - | - | Another: here.'],
  ['a < b &amp; <b>c</b>', '- - | - | a < b &amp; <b>c</b>'],
  ['[Ann Lee] 10:02:31\nHi\n\n[bob] 10:02:40\nHo', '0 - | Ann Lee | Hi', '9000 - | bob | Ho'],
  ['[Ann Lee] 23:59:59\nHi\n\n[bob] 00:00:02\nHo', '- - | Ann Lee | Hi', '- - | bob | Ho'],
  ['Speaker 1 (00:01):\nHi\n\nSpeaker 2 (00:04):\nHo', '1000 - | Speaker 1 | Hi', '4000 - | Speaker 2 | Ho'],
  ['[00:00.500 --> 00:04.000]  Hi\n[00:04.000 --> 00:05.000]  Ho', '500 4000 | - | Hi', '4000 5000 | - | Ho'],
  ['00:00:03\tAnn:\tHi\n00:00:05\tBob:\tHo', '3000 - | Ann | Hi', '5000 - | Bob | Ho'],
  ['0:00\nso today\n0:04\nwe go', '0 - | - | so today', '4000 - | - | we go'],
  ['10:30 we start', '- - | - | 10:30 we start'],
  ['Call Ann 10:30\nCall Bob 11:30', '- - | - | Call Ann 10:30', '- - | - | Call Bob 11:30'],
  [
    'Call Ann 10:30\nCall Bob 11:30\nThen home',
    '- - | - | Call Ann 10:30',
    '- - | - | Call Bob 11:30',
    '- - | - | Then home',
  ],
  ['**Ann:** Hi\n**Bob:** Ho', '- - | Ann | Hi', '- - | Bob | Ho'],
  ['Ann: Hi\nBob: Ho\nbob: Hm\nand more', '- - | Ann | Hi', '- - | Bob | Ho', '- - | - | bob: Hm and more'],
];

for (const [body, ...expected] of texts) {
  test(`plain text ${JSON.stringify(body)} is read with what it tells of times and speakers`, () => {
    assert.equal(segmentLines('text', body), expected);
  });
}

const labelled: [texts: string[], speakers: string][] = [
  [['Alice: Hi', 'Bob Jones: Ho'], 'Alice, Bob Jones'],
  [['>> ALICE: HI', '- Bob: Ho', '[Eve]: Hm', '<b>Al:</b> ha', 'Al: yes'], 'ALICE, Bob, Eve, Al, Al'],
  [
    ['María de la Cruz: Hola', "O'Neil: Hi", 'Dr. J. van Dyk (she/her): Hi'],
    "María de la Cruz, O'Neil, Dr. J. van Dyk (she/her)",
  ],
  [['SPEAKER_00: Hi', '[SPEAKER_01] Ho', 'Guest 2: Hm'], 'SPEAKER_00, SPEAKER_01, Guest 2'],
  [['Alice:\nHi', 'Alice: Hi\nBob: Ho'], 'Alice, Alice, Bob'],
  [['Alice: Hi', '[Music]', 'Bob: Ho', 'and more'], 'Alice, -, Bob, Bob'],
  [['Alice: Hi', 'Alice: and', 'so on', 'Bob: Ho'], 'Alice, Alice, -, Bob'],
  [['NARRATOR: Once', 'Who is it?', 'ANNA: Me', 'Come in.'], 'NARRATOR, -, ANNA, -'],
  [['http://example.com is down'], '-'],
  [['10:30 is too early'], '-'],
  [['Note: this is important'], '-'],
  [['Next Steps: we ship'], '-'],
  [["Here's the thing: it works"], '-'],
  [['Alice:Hi'], '-'],
  [['Alice:'], '-'],
  [['It went well.', 'We liked', 'one city', 'London: it rained.'], '-, -, -, -'],
  [['Lisbon: 3', 'Berlin: 4', 'Madrid: 5', 'Vienna: 6', 'Athens: 7'], '-, -, -, -, -'],
  [['张伟：你好', '李娜：你好', '张伟：再见'], '张伟, 李娜, 张伟'],
  [['注意：你好'], '-'],
  [['alice: a', 'Bo | Acme: b', 'alice: c', 'Bo | Acme: d'], 'alice, Bo | Acme, alice, Bo | Acme'],
  [['alice: a', 'Bo | Acme: b'], '-, -'],
  [['al: a', 'al: b', 'bo x: c', 'cy z: d', 'di q: e', 'ed w: f'], '-, -, -, -, -, -'],
  [['One', 'Two', 'Three', 'Four', 'Ann Lee: a', 'Ann Lee: b'], '-, -, -, -, -, -'],
  [['Ann Lee: a', 'One', 'Two', 'Ann Lee: b', 'Four', 'Five'], 'Ann Lee, -, -, Ann Lee, -, -'],
  [['Ann: a', 'One', 'Two', 'Three', 'Four', 'Ann: b', 'Bob: c'], 'Ann, -, -, -, -, Ann, -'],
  [['Will: a', 'Ann: b'], '-, Ann'],
  [['Will: a', 'Ann: b', 'Will: c'], 'Will, Ann, Will'],
  [['Will Price: a', 'So Yeon Park: b', 'So Yeon Park: c'], 'Will Price, So Yeon Park, So Yeon Park'],
  [['So Alice: you go'], '-'],
];

for (const [lines, expected] of labelled) {
  test(`the cues ${JSON.stringify(lines)} are said by ${expected}`, () => {
    assert.is(speakers(...lines), expected);
  });
}

test('the identifiers of Webex name who speaks', () => {
  const body = 'WEBVTT\n\n1 "Ann Lee" (349822)\n00:01.000 --> 00:02.000\nNote: hi\n';
  assert.equal(segmentLines('vtt', body), ['1000 2000 | Ann Lee | Note: hi']);
});

test.run();
