import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { settleLater } from '../../server/settle.ts';

const longMs = 600_000;

/** What is done while `prepare` does this: at once, and in a long time after it. */
function doneBy(prepare: (done: string[]) => void): { atOnce: string[]; later: string[] } {
  const done: string[] = [];
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  try {
    const log = { error: ({ err }: { err: Error }) => done.push(err.message) };
    settleLater({ prepare: () => prepare(done) }, log, () => done.push('released'));
    const atOnce = [...done];
    mock.timers.tick(longMs);
    mock.timers.tick(longMs);
    return { atOnce, later: done };
  } finally {
    mock.timers.reset();
  }
}

const settling = suite('settling');

settling('makes the document and releases the memory of the start once, when nobody waits', () => {
  const { atOnce, later } = doneBy((done) => done.push('prepared'));
  assert.equal(atOnce, []);
  assert.equal(later, ['prepared', 'released']);
});

settling('releases the memory of the start when the document cannot be made', () => {
  const { later } = doneBy(() => {
    throw new Error('no document');
  });
  assert.equal(later, ['no document', 'released']);
});

settling.run();
