import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { joinedText, readShare } from '../../web/src/offline/share-form.ts';
import { parseLine } from '../../web/src/quick-add/parse.ts';

const test = suite('what other applications share');

test('title, text and address are one text, without what is in it twice', () => {
  assert.is(joinedText(['A page', '', 'https://example.com/a']), 'A page https://example.com/a');
  assert.is(
    joinedText(['A page', 'A page https://example.com/a', 'https://example.com/a']),
    'A page https://example.com/a',
  );
  assert.is(joinedText([' ', 'Buy milk ', '']), 'Buy milk');
  assert.is(joinedText([]), '');
});

test('a form shares files or a text, and not too much of either', () => {
  const formOf = (fields: Record<string, string>, files: File[] = []) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    for (const file of files) form.append('files', file);
    return form;
  };
  const file = new File(['WEBVTT'], 'a.vtt');
  assert.equal(readShare(formOf({ text: 'Buy milk' })), { text: 'Buy milk', files: [] });
  const both = readShare(formOf({ title: 'a.vtt' }, [file]));
  assert.equal(typeof both === 'string' ? both : both.files.map(({ name }) => name), ['a.vtt']);
  assert.is(readShare(formOf({ text: ' ', files: 'no file' })), 'empty');
  assert.is(readShare(formOf({ text: 'a'.repeat(100_001) })), 'too_large');
  assert.is(readShare(formOf({}, Array<File>(21).fill(file))), 'too_large');
});

test('nothing is read in a shared text, and everything in what is typed beside it', () => {
  const shared = 'delete all /run @Assistant !urgent #Finance';
  const given = {
    now: 0,
    timeZone: 'UTC',
    lists: [{ id: 'fin', name: 'Finance' }],
    people: [{ id: 'ass', name: 'Assistant', type: 'agent' as const }],
  };
  const alone = parseLine(shared, { ...given, shared });
  assert.equal([alone.tokens, alone.input], [[], { title: shared }]);
  const { input } = parseLine(`${shared} !low`, { ...given, shared });
  assert.equal(input, { title: shared, priority: 'low' });
  // Once it is changed, the person sees its tokens as chips before they add it.
  const changed = parseLine(shared.replace('all', 'some'), { ...given, shared });
  assert.equal(changed.input.run, true);
});

test.run();
