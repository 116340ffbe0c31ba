import type { Engine } from '../engine.ts';
import { inTries, realTime, type TrySettings } from '../providers/tries.ts';

export type RetrySettings = TrySettings;

/**
 * No try begins after five minutes of active time: five tries that each time out after two minutes would be too slow.
 */
const defaults: RetrySettings = { maxTries: 5, maxWaitMs: 120_000, maxActiveMs: 300_000, ...realTime };

/** An engine that tries again when a fault may pass. `onRestart` discards the text of the try that failed. */
export function withRetries(engine: Engine, settings: Partial<RetrySettings> = {}): Engine {
  return {
    name: engine.name,
    answer(request) {
      let hasText = false;
      const once = () => {
        hasText = false;
        const onText = (delta: string) => {
          hasText = true;
          request.onText?.(delta);
        };
        return engine.answer({ ...request, onText });
      };
      const onAgain = (waitMs: number) => {
        if (hasText) request.onRestart?.();
        request.onWait?.(waitMs);
      };
      const { signal, onActive } = request;
      return inTries({ ...defaults, ...settings }, { once, signal, onRetry: onAgain, ...(onActive && { onActive }) });
    },
  };
}
