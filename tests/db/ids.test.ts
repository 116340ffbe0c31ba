import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newId } from '../../db/ids.ts';

const ids = suite('ids');

const version7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Milliseconds that an id begins with. */
const timeOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

ids('are UUIDs of version 7 of their time, each greater than all before', () => {
  const from = Date.now();
  const made = Array.from({ length: 20_000 }, newId);
  const until = Date.now();
  assert.equal(
    made.filter((id) => !version7.test(id)),
    [],
  );
  assert.equal(made.toSorted(), made);
  assert.is(new Set(made).size, made.length);
  assert.ok(timeOf(made[0] ?? '') >= from && timeOf(made.at(-1) ?? '') <= until);
});

ids('end in other random bytes each', () => {
  const ends = Array.from({ length: 5000 }, () => newId().slice(-10));
  assert.is(new Set(ends).size, ends.length);
});

ids.run();
