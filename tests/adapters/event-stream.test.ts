import { Writable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeEvents } from '../../adapters/rest/event-stream.ts';

const test = suite('server-sent events');

/** The pieces that were written for these events. */
async function piecesOf(events: readonly unknown[]): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  const body = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece);
      done();
    },
  });
  await writeEvents(
    body,
    (async function* () {
      yield* events;
    })(),
  );
  return pieces;
}

test('an event has its id, its type and its data in one line, also beyond ASCII', async () => {
  const [, piece] = await piecesOf([{ event: 'change', id: 7, data: { title: 'Größe\n🚀' } }]);
  assert.is(String(piece), 'event: change\nid: 7\ndata: {"title":"Größe\\n🚀"}\n\n');
});

test('the text of an event is made once for all streams, and keeps no other memory than its own', async () => {
  const event = { event: 'change', id: 8, data: {} };
  const [, first] = await piecesOf([event]);
  const [, second] = await piecesOf([event]);
  assert.ok(first && first === second);
  assert.is(first.buffer.byteLength, first.length);
});

test.run();
