import { Refused } from './refusal.ts';

/** Passes bytes on up to `most`, and calls `alive` at each piece. Beyond, the stream fails with `Refused`. */
export function meter(most: number, alive: () => void = () => {}): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      alive();
      bytes += chunk.byteLength;
      if (bytes > most) controller.error(new Refused({ unreadable: 'length' }));
      else controller.enqueue(chunk);
    },
  });
}
