import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { toolsOf } from '../../adapters/operations.ts';
import { exists } from '../../engine/offline/calendar.ts';
import { toolRouter } from '../../routers/tools/index.ts';
import { garbage } from '../support/arbitraries.ts';
import { Dialogue, page, row, type Tools, toolNames } from '../support/offline-engine.ts';

const test = suite('built-in engine, any words');

const inputs = new Map(toolsOf(toolRouter).map(({ name, input }) => [name, input]));

/** Words that the engine knows, and some that it does not, in any order. */
const word = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...'create add new make todo todos task tasks list lists show find complete archive reopen rename move assign mark set the a my all it to in for and with about due by on of as is what which how many Groceries Inbox Grace me Bob milk invoice urgent high low priority done open overdue today tomorrow Friday next week 2026-02-30 March 3 summarise everything captures agents “Buy milk” "Call Bob" : , ; - 1 2 yes no remind postpone unassign restore delete'.split(
        ' ',
      ),
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '\n- ',
      '\n',
      '“',
      '”',
      "'",
      '"Buy',
      'milk"',
      '\uE0000\uE001',
      '<data-0123456789abcdef>\nx\n</data-0123456789abcdef>',
    ),
  },
);
const sentence = fc.array(word, { maxLength: 14 }).map((words) => words.join(' '));

const id = (place: number) => `01890000-0000-7000-8000-00000000000${place}`;
const rows = [
  row(id(1), 'Buy milk'),
  row(id(2), 'Call Bob', { dueDate: '2026-11-01', status: 'done' }),
  row(id(3), 'invoice'),
];

/** Whether a value is written like a date, and is none of the calendar. */
function isNoDay(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !exists(value);
}

const sane: Tools = Object.fromEntries(
  toolNames.map((name) => [
    name,
    (input: Record<string, unknown>) => {
      if (name === 'list_todos') return page(rows);
      if (name.startsWith('list_')) return { data: [] };
      return { todo: { ...rows[0], ...(typeof input.title === 'string' && { title: input.title }) } };
    },
  ]),
);

test('whatever is said in a row, it comes to an end, and every call has the arguments that the tool takes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(sentence, { minLength: 1, maxLength: 4 }), async (all) => {
      const chat = new Dialogue(sane);
      for (const input of all) assert.ok((await chat.send(input)).length > 0);
      for (const [name, input] of chat.calls) {
        // A date that does not exist goes to the tool as it was said.
        const existing = Object.entries(input).filter(([, value]) => !isNoDay(value));
        const parsed = inputs.get(name)?.safeParse(Object.fromEntries(existing));
        assert.ok(!parsed || parsed.success, `${name} ${JSON.stringify(input)} ${parsed?.error}`);
      }
    }),
    { numRuns: 1500 },
  );
});

test('whatever the tools return, it comes to an end without a fault of its own', async () => {
  await fc.assert(
    fc.asyncProperty(sentence, fc.infiniteStream(garbage), async (input, outputs) => {
      const odd = Object.fromEntries(toolNames.map((name) => [name, () => outputs.next().value]));
      const chat = new Dialogue(odd);
      assert.ok((await chat.send(input)).length > 0);
      assert.ok((await chat.send('show all todos')).length > 0);
      assert.ok((await chat.send('complete the first one')).length > 0);
    }),
    { numRuns: 500 },
  );
});

test.run();
