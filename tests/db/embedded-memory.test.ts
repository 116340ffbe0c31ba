import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sharedBuffersFor } from '../../db/embedded/memory.ts';

const test = suite('memory of the embedded PostgreSQL');

const gibibyte = 2 ** 30;

test('its buffers follow the memory of the machine, from 128 MB to 1 GB', () => {
  const found = [0.5, 1, 2, 4, 8, 16, 24, 256].map((size) => sharedBuffersFor(size * gibibyte));
  assert.equal(found, ['128MB', '128MB', '128MB', '256MB', '512MB', '1024MB', '1024MB', '1024MB']);
});

test('without a size, that of this machine counts', () => {
  assert.match(sharedBuffersFor(), /^\d+MB$/);
  assert.ok(Number.parseInt(sharedBuffersFor(), 10) >= 128);
});

test.run();
