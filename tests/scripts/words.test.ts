import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { allWordFaults, wordFaults } from '../../scripts/words.ts';

const test = suite('words');

const code = (text: string, path = 'server/example.ts') => wordFaults(path, text);

test('code, tests and documents use the terms of the style', () => {
  assert.equal(allWordFaults(), []);
});

test('a name is reported with its file, its line and the term to write, by each of its words', () => {
  assert.equal(code('const a = 1;\nconst patienceMs = 5;'), ['server/example.ts:2: “patienceMs”: write timeout']);
  for (const name of [
    'tellAll',
    'wasTold',
    'SaidIn',
    'hearLine',
    'Ear',
    'mostTries',
    'letterWorker',
    'RecordingNews',
  ]) {
    assert.is(code(`const ${name} = 1;`).length, 1, name);
  }
  for (const name of ['ear1y', 'clear', 'year', 'retold', 'essay', 'foretell', 'maxTries', 'inFlight', 'newsletter']) {
    assert.equal(code(`const ${name} = 1;`), [], name);
  }
});

test('a name is found where V8 no longer optimizes expressions, as in a process with very many', () => {
  const source = `import { wordFaults } from './scripts/words.ts';
    console.log(wordFaults('server/example.ts', 'const wasTold = 1;').length)`;
  const args = ['--no-regexp-optimization', '--input-type=module', '--eval', source];
  assert.is(execFileSync(process.execPath, args, { encoding: 'utf8' }).trim(), '1');
});

test('comments, logs and errors are searched, each with its own line', () => {
  const text = "/**\n * The keeper tells the ear.\n */\nlog.warn('the letter went out');\n";
  assert.equal(
    code(text).map((fault) => fault.split(':')[1]),
    ['2', '2', '4', '4'],
  );
  assert.is(code("// The clients are told at once.\nconst to = 'x';").length, 1);
  assert.is(code('const text = `Nobody has the patience.`;').length, 1);
  assert.is(code('const view = <p>An email or a letter</p>;', 'web/src/example.tsx').length, 1);
});

test('ordinary English is not reported', () => {
  const fine = [
    '/** 3 to 63 lower-case letters, digits and dashes. */',
    '/** The first letter of a name. */',
    '/** At most 16 requests in flight. */',
    '/** While one statement is in\n * flight, the next batch is collected. */',
    'const voices = cue.spans;',
    "const prompt = 'Tell the person what was said.';",
    '/** What people said in a meeting. */',
    'const { letterStatus, sendsLetters } = settings;',
  ];
  for (const text of fine) assert.equal(code(text), [], text);
});

test('texts of tests are data, except the titles of tests', () => {
  const path = 'tests/domain/example.test.ts';
  assert.equal(code("const title = 'Write a letter';", path), []);
  assert.is(code("test('a letter is sent', () => {});", path).length, 1);
  assert.is(code("test('everybody is told', () => {});", path).length, 1);
});

test('documents and file names are searched, and files of the allow-list are not', () => {
  assert.equal(wordFaults('docs/example.md', 'One.\nRunning Tandem in earnest.'), [
    'docs/example.md:2: “in earnest”: write in production',
  ]);
  assert.equal(wordFaults('server/clockwork.ts', ''), ['server/clockwork.ts: “clockwork”: write scheduler']);
  assert.is(wordFaults('tests/domain/letters.test.ts', '').length, 1);
  assert.equal(wordFaults('db/migrations/0000.sql', 'The letters went out.'), []);
});

test.run();
