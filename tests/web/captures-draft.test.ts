import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ProblemError, problemIn } from '../../web/src/api/problem.ts';
import { createDraft, type Draft } from '../../web/src/captures/draft.ts';

/* Drafts of fields of a capture, with a service of the test that has one text and its version. */

const test = suite('captures: drafts that are saved while typing');

let text: string;
let version: number;
let requests: string[];
/** Called when a change arrives, before its tag is looked at; and when it is stored, before the answer. */
let arrives: () => void;
let answers: () => void;

const storage = new Map<string, string>();
const realStorage = Object.getOwnPropertyDescriptor(globalThis, 'sessionStorage');
const sessionStorage = {
  getItem: (key: string) => storage.get(key) ?? null,
  setItem: (key: string, value: string) => void storage.set(key, value),
  removeItem: (key: string) => void storage.delete(key),
};

const write = (next: string) => {
  text = next;
  version += 1;
};
const unreachable = () => {
  throw new ProblemError(problemIn(null, 0));
};

test.before.each(() => {
  [text, version, requests] = ['first', 1, []];
  [arrives, answers] = [() => {}, () => {}];
  storage.clear();
  Object.defineProperty(globalThis, 'sessionStorage', { value: sessionStorage, configurable: true });
});
test.after(() => {
  if (realStorage) Object.defineProperty(globalThis, 'sessionStorage', realStorage);
  else Reflect.deleteProperty(globalThis, 'sessionStorage');
});

const draftOf = (known = 'first'): Draft<string> =>
  createDraft<string>({
    name: 'notes',
    empty: '',
    of: { captureId: 'a', known },
    read: async () => {
      requests.push('read');
      return { value: text, tag: `${version}` };
    },
    save: async (_, value, tag) => {
      requests.push('save');
      arrives();
      if (tag !== `${version}`) throw new ProblemError(problemIn({ message: 'It changed.' }, 412));
      write(value);
      answers();
      return { value, tag: `${version}` };
    },
  });
const type = async (draft: Draft<string>, value: string) => {
  draft.write(value);
  await draft.flush();
};
const seen = (draft: Draft<string>) => [draft.view().state, draft.view().value, text];

test('what is typed is saved, with the tag of the last answer', async () => {
  const draft = draftOf();
  await type(draft, 'one');
  await type(draft, 'two');
  assert.equal(
    [seen(draft), requests],
    [
      ['saved', 'two', 'two'],
      ['read', 'save', 'save'],
    ],
  );
  assert.is(storage.size, 0);
});

test('what somebody else wrote before it is sent is not overwritten', async () => {
  const draft = draftOf();
  draft.write('mine');
  write('theirs');
  await draft.flush();
  assert.equal(seen(draft), ['differs', 'mine', 'theirs']);
});

test('what somebody else wrote while it is sent is not overwritten, by what is typed on neither', async () => {
  const draft = draftOf();
  await type(draft, 'mine');
  arrives = () => {
    arrives = () => {};
    write('theirs again');
  };
  await type(draft, 'mine too');
  assert.equal(seen(draft), ['differs', 'mine too', 'theirs again']);
  assert.equal(draft.view().theirs, { value: 'theirs again', base: 'mine' });
  await type(draft, 'mine, longer');
  assert.equal(seen(draft), ['differs', 'mine, longer', 'theirs again']);
});

test('a change of another field is no reason to ask', async () => {
  const draft = draftOf();
  await type(draft, 'one');
  version += 1;
  await type(draft, 'two');
  assert.equal(
    [seen(draft), requests],
    [
      ['saved', 'two', 'two'],
      ['read', 'save', 'save', 'read', 'save'],
    ],
  );
});

test('the person decides what stays, and is asked again when it changes once more', async () => {
  const draft = draftOf();
  draft.write('mine');
  write('theirs');
  await draft.flush();
  write('theirs again');
  draft.settle('mine');
  await draft.flush();
  assert.equal(seen(draft), ['differs', 'mine', 'theirs again']);
  draft.settle('mine');
  await draft.flush();
  assert.equal(seen(draft), ['saved', 'mine', 'mine']);

  draft.write('mine too');
  write('theirs');
  await draft.flush();
  draft.settle('theirs');
  await draft.flush();
  assert.equal([seen(draft), storage.size], [['saved', 'theirs', 'theirs'], 0]);
});

test('a change whose answer was lost is not taken for that of somebody else, after a reload neither', async () => {
  for (const isReloaded of [false, true]) {
    [text, version] = ['first', 1];
    const draft = draftOf();
    answers = unreachable;
    await type(draft, 'one');
    assert.equal(seen(draft), ['failed', 'one', 'one']);
    answers = () => {};
    draft.write('one and two');
    if (isReloaded) draft.release();
    const next = isReloaded ? draftOf('one') : draft;
    await next.flush();
    assert.equal(seen(next), ['saved', 'one and two', 'one and two']);
  }
});

test('what waits at a reload is compared with what it was made of', async () => {
  const before = draftOf();
  before.write('mine');
  before.release();
  write('theirs');
  const draft = draftOf('theirs');
  await draft.flush();
  assert.equal(seen(draft), ['differs', 'mine', 'theirs']);
  assert.equal(draft.view().theirs, { value: 'theirs', base: 'first' });
});

test('what is typed during a save is compared with what was saved', async () => {
  const draft = draftOf();
  answers = () => {
    answers = () => {};
    draft.write('one and two');
  };
  await type(draft, 'one');
  assert.equal(seen(draft), ['waiting', 'one and two', 'one']);
  await draft.flush();
  assert.equal(seen(draft), ['saved', 'one and two', 'one and two']);
});

test.run();
