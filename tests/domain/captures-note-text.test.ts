import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { noteTextOf } from '../../domain/captures/note-text.ts';
import { placeOf } from '../../domain/captures/passages.ts';
import { codePoints } from '../../domain/fields.ts';
import { cpuMsOf } from '../support/cpu-time.ts';

const test = suite('what a note says');

test('a leading heading is the title and leaves the text, with the blank lines around it', () => {
  const headings: [content: string, title: string, rest: string | null][] = [
    ['# Plan\n\nWe ship.', 'Plan', 'We ship.'],
    ['# Plan\nWe ship.', 'Plan', 'We ship.'],
    ['\n \t\n\n   ## Plan ##  \n\n\n   We ship.\n', 'Plan', '   We ship.\n'],
    ['# Plan\r\n\r\nWe ship.\r\nOr not.', 'Plan', 'We ship.\r\nOr not.'],
    ['# Plan\r\rWe ship.', 'Plan', 'We ship.'],
    ['###### Six', 'Six', null],
    ['# Plan\n\n \n', 'Plan', null],
    ['# Plan\n\n# Second\n\nText', 'Plan', '# Second\n\nText'],
    ['# 1. **Bold** `code` [x](y) #tag', '1. **Bold** `code` [x](y) #tag', null],
    ['#\tTab', 'Tab', null],
    ['# C#\n\nx', 'C#', 'x'],
    ['Plan\n====\n\nWe ship.', 'Plan', 'We ship.'],
    ['Plan of *mine*\n---\nWe ship.', 'Plan of *mine*', 'We ship.'],
    [`# ${'é'.repeat(300)}\n\nx`, 'é'.repeat(300), 'x'],
  ];
  for (const [content, title, rest] of headings) {
    assert.equal(noteTextOf(content), { title, titleGiven: true, content: rest }, content);
  }
});

test('without one the title is the first line that says something, and the text stays as it was written', () => {
  const others: [content: string, title: string | null][] = [
    ['We ship.\nOr not.', 'We ship.'],
    ['\n\n- [ ] **Call** [Ada](https://a.example) `now`\n- and Bob', 'Call Ada now'],
    ['> quoted\n---\nx', 'quoted'],
    ['- item\n---\nx', 'item'],
    ['1. one\n---\n', 'one'],
    ['---\n\ntext', 'text'],
    ['---\ntitle: x\n---\n', 'title: x'],
    ['#hashtag is none', '#hashtag is none'],
    ['    # code', 'code'],
    ['####### seven', '####### seven'],
    ['Two lines\nof text\n===\n', 'Two lines'],
    ['Text\n\n# Later', 'Text'],
    ['```\ncode\n```', 'code'],
    ['***', null],
    ['| *Who* | When |\n|--|--|\n| Ada | now |', 'Who When'],
    ['Due | now', 'Due | now'],
    ['🌱🌱', '🌱🌱'],
    ['\u00a0\u2003Text\u202e', 'Text'],
  ];
  for (const [content, title] of others) {
    assert.equal(noteTextOf(content), { title, titleGiven: false, content }, content);
  }
});

test('a heading or a line that is too long for a title is cut in the title and whole in the text', () => {
  const words = 'word '.repeat(100).trim();
  for (const content of [`# ${words}\n\nText`, `${words}\nText`, `${words}\n===`]) {
    const { title, titleGiven, content: text } = noteTextOf(content);
    assert.is(text, content);
    assert.is(titleGiven, false);
    assert.match(title ?? '', /^word (word )+word…$/);
    assert.ok(codePoints(title ?? '') <= 300);
  }
  assert.is(codePoints(noteTextOf('字'.repeat(500_000)).title ?? ''), 300);
});

test('half a megabyte of anything is read in a moment', async () => {
  for (const unit of [
    '**',
    '_ ',
    '`',
    '#',
    '# ',
    '\n',
    ' ',
    '[',
    '[x](',
    '<a',
    '> ',
    '- ',
    '\r',
    '=\n',
    'x\n',
    '~~~\n',
    '![',
  ]) {
    const content = unit.repeat(500_000 / unit.length);
    const spent = await cpuMsOf(async () => {
      const { title, content: text } = noteTextOf(`${content}x`);
      assert.ok((text ?? '').length + (title ?? '').length > 0, unit);
      await placeOf(content, 'x y');
    });
    assert.ok(spent < 1500, `${JSON.stringify(unit)}: ${spent} ms`);
  }
});

test('a search in a text finds the first sentence that says most of the words', async () => {
  const text = 'Ada: We start. The price is fine.\n\nGrace: The new Price is 10 euros! 🌱 Then we end.\nBob: price';
  const at = async (query: string, from?: number) => {
    const place = await placeOf(text, query, from);
    return place === undefined ? undefined : Array.from(text).slice(place).join('').slice(0, 12);
  };
  assert.is(await at('price'), 'The price is');
  assert.is(await at('PRICE euros'), 'Grace: The n');
  assert.is(await at('price', 34), 'Grace: The n');
  assert.is(await at('price', 60), 'Bob: price');
  assert.is(await at('we end'), 'Grace: The n');
  assert.is(await at('nothing'), undefined);
  assert.is(await at('price', 10_000), undefined);
  const long = `${'lorem ipsum '.repeat(1000)}the needle ${'dolor sit '.repeat(1000)}`;
  const place = (await placeOf(long, 'needle')) ?? -1;
  const distance = long.indexOf('needle') - place;
  assert.ok(distance >= 0 && distance < 600, String(place));
  const unbroken = `${'字'.repeat(5000)}針${'字'.repeat(5000)}`;
  const found = (await placeOf(unbroken, '針')) ?? -1;
  assert.ok(found >= 4500 && found <= 5000, String(found));
  const emoji = `${'🌱'.repeat(3001)}x`;
  assert.ok(((await placeOf(emoji, 'x')) ?? 0) > 2700);
});

test.run();
