import { inTries, realTime, type TrySettings } from '../../providers/tries.ts';
import type { Engine } from '../engine.ts';

export type RetrySettings = TrySettings;

/** No try begins after five minutes of asking: five silences of two minutes are too long for anybody. */
const usual: RetrySettings = { tries: 5, longestWaitMs: 120_000, longestActiveMs: 300_000, ...realTime };

/** An engine that asks again when a fault may pass. Text of a try that failed is declared void before the next. */
export function withRetries(engine: Engine, settings: Partial<RetrySettings> = {}): Engine {
  return {
    name: engine.name,
    answer(request) {
      let spoke = false;
      const once = () => {
        spoke = false;
        const onText = (delta: string) => {
          spoke = true;
          request.onText?.(delta);
        };
        return engine.answer({ ...request, onText });
      };
      const onAgain = (waitMs: number) => {
        if (spoke) request.onRestart?.();
        request.onWait?.(waitMs);
      };
      const { signal, onActive } = request;
      return inTries({ ...usual, ...settings }, { once, signal, onAgain, ...(onActive && { onActive }) });
    },
  };
}
