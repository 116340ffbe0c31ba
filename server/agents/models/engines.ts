import type { Logger } from 'pino';
import { describeRefusal, Refused } from '../../providers/refusal.ts';
import { type Engine, type EngineAnswer, type EngineRequest, ModelFault, type Purpose, purposes } from '../engine.ts';
import { readAnswer } from './answer.ts';
import { toCall } from './conversation.ts';
import { faultOf } from './faults.ts';
import { guardedFetch } from './guard.ts';
import { providerAt } from './provider.ts';
import { refusalOf } from './refusal.ts';
import { type RetrySettings, withRetries } from './retry.ts';
import { type ModelAddress, type ModelSettings, modelAddresses } from './settings.ts';
import { type Patience, type Watch, watchOver } from './watch.ts';

export interface EngineSettings extends Patience {
  /** Tokens of one answer; 0 leaves it to the provider. */
  maxOutputTokens: number;
}

/**
 * An engine that asks the model at `address`, once per `answer` and without retries. It names no key in any message or
 * line of the log.
 */
export function createEngine(address: ModelAddress, settings: EngineSettings, log: Logger): Engine {
  const { protocol, model } = address;
  const watches = new WeakMap<AbortSignal, Watch>();
  const provider = providerAt(
    address,
    guardedFetch((signal) => signal && watches.get(signal)?.alive()),
  );

  async function ask(request: EngineRequest): Promise<EngineAnswer> {
    const watch = watchOver(request.signal, settings);
    const { signal } = watch;
    watches.set(signal, watch);
    const asking = async () => {
      const options = provider.fit({ ...toCall(request), abortSignal: signal }, settings.maxOutputTokens);
      const { stream } = await Promise.resolve(provider.model.doStream(options)).catch((error: unknown) => {
        throw new Refused(refusalOf(error));
      });
      return readAnswer(stream, signal, (delta) => request.onText?.(delta));
    };
    try {
      const { answer, usage } = await Promise.race([asking(), watch.ended]);
      const tokens = { inputTokens: usage?.inputTokens.total, outputTokens: usage?.outputTokens.total };
      log.debug({ purpose: request.purpose, protocol, model, ...tokens }, 'a model answered');
      return answer;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw error;
    } finally {
      watch.stop();
    }
  }

  return {
    name: model,
    async answer(request) {
      request.signal.throwIfAborted();
      try {
        return await ask(request);
      } catch (error) {
        if (request.signal.aborted) throw request.signal.reason;
        if (!(error instanceof Refused || error instanceof ModelFault)) throw error;
        const fault = error instanceof ModelFault ? error : faultOf(error.refusal, Date.now());
        const found = error instanceof Refused ? describeRefusal(error.refusal) : { fault: error.message };
        const { retryable, retryAfterMs } = fault;
        const { purpose } = request;
        log.warn({ purpose, protocol, model, ...found, retryable, retryAfterMs }, 'a model did not answer');
        throw fault;
      }
    },
  };
}

/** What the models need of the configuration. */
export interface ModelsConfig extends ModelSettings {
  AI_STEP_SECONDS: number;
  AI_MAX_OUTPUT_TOKENS: number;
  AI_RETRY_AFTER_MAX_SECONDS: number;
}

/** One answer as a whole may take this many times as long as a silence. */
const stepsPerAnswer = 5;

/**
 * The engines of the purposes that a model is configured for, with retries; those left out are the built-in engine's.
 * `retries` is for tests.
 */
export function createEngines(
  config: ModelsConfig,
  log: Logger,
  retries: Partial<RetrySettings> = {},
): Partial<Record<Purpose, Engine>> {
  const { addresses } = modelAddresses(config);
  const settings: EngineSettings = {
    silenceSeconds: config.AI_STEP_SECONDS,
    answerSeconds: config.AI_STEP_SECONDS * stepsPerAnswer,
    maxOutputTokens: config.AI_MAX_OUTPUT_TOKENS,
  };
  const engines: Partial<Record<Purpose, Engine>> = {};
  for (const purpose of purposes) {
    const address = addresses[purpose];
    if (address === undefined) continue;
    const longestWaitMs = config.AI_RETRY_AFTER_MAX_SECONDS * 1000;
    engines[purpose] = withRetries(createEngine(address, settings, log), { longestWaitMs, ...retries });
  }
  const names = Object.fromEntries(Object.entries(engines).map(([purpose, { name }]) => [purpose, name]));
  if (purposes.some((purpose) => purpose in engines)) log.info({ models: names }, 'models answer for the agents');
  return engines;
}
