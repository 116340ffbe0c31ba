import type { Sent } from './client-world.ts';

/** Numbers in [0, 1), the same in every run (a linear congruential generator, Numerical Recipes). */
export function sequenceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Faults {
  random: () => number;
  /** Whether connections are reliable from now on. */
  isOver: () => boolean;
  /** The most that is sent of an answer. */
  maxBytes: number;
  /** Called when a connection fails. */
  onFault?: () => void;
}

/** Streams of events that fail at random: before they are open, or after some bytes of the answer. */
export function unreliable({ random, isOver, maxBytes, onFault = () => {} }: Faults) {
  return async (send: () => Promise<Response>, { calls }: Sent): Promise<Response> => {
    if (calls[0] !== 'events.stream' || isOver()) return send();
    if (random() < 0.2) {
      onFault();
      throw new TypeError('fetch failed');
    }
    const answer = await send();
    if (!answer.ok || !answer.body) return answer;
    let left = Math.floor(random() * maxBytes);
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        controller.enqueue(bytes.subarray(0, left));
        left -= bytes.length;
        if (left > 0) return;
        onFault();
        controller.error(new TypeError('terminated'));
      },
    });
    return new Response(answer.body.pipeThrough(cut), answer);
  };
}
