import type { Logger } from 'pino';
import { type Engine, type EngineAnswer, type EngineRequest, ModelFault, type Purpose, purposes } from '../engine.ts';
import { describeRefusal, Refused } from '../providers/errors.ts';
import { readAnswer } from './answer.ts';
import { toCall } from './conversation.ts';
import { faultOf, refusalOf } from './faults.ts';
import { streamClient } from './guard.ts';
import { providerAt } from './provider.ts';
import { type RetrySettings, withRetries } from './retry.ts';
import { type ModelAddress, type ModelSettings, modelAddresses } from './settings.ts';
import { type AnswerTimeouts, type CallTimer, startCallTimer } from './timeouts.ts';

export interface EngineSettings extends AnswerTimeouts {
  /** Tokens of one answer; 0 leaves it to the provider. */
  maxOutputTokens: number;
}

/**
 * An engine that asks the model at `address`, once per `answer` and without retries. No key occurs in a message or
 * line of the log.
 */
export function createEngine(address: ModelAddress, settings: EngineSettings, log: Logger): Engine {
  const { protocol, model } = address;
  const timers = new WeakMap<AbortSignal, CallTimer>();
  const provider = providerAt(
    address,
    streamClient((signal) => signal && timers.get(signal)?.refresh()),
  );

  async function ask(request: EngineRequest): Promise<EngineAnswer> {
    const timer = startCallTimer(request.signal, settings);
    const { signal } = timer;
    timers.set(signal, timer);
    const receive = async () => {
      const options = provider.fit({ ...toCall(request), abortSignal: signal }, settings.maxOutputTokens);
      const { stream } = await Promise.resolve(provider.model.doStream(options)).catch((error: unknown) => {
        throw new Refused(refusalOf(error));
      });
      return readAnswer(stream, signal, (delta) => request.onText?.(delta));
    };
    try {
      const { answer, usage } = await Promise.race([receive(), timer.ended]);
      const tokens = { inputTokens: usage?.inputTokens.total, outputTokens: usage?.outputTokens.total };
      log.debug({ purpose: request.purpose, protocol, model, ...tokens }, 'model answered');
      return answer;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw error;
    } finally {
      timer.stop();
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
        log.warn({ purpose, protocol, model, ...found, retryable, retryAfterMs }, 'model request failed');
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
const silencesPerAnswer = 5;

/**
 * The engines of the purposes that a model is configured for, with retries; the offline engine has those left out.
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
    answerSeconds: config.AI_STEP_SECONDS * silencesPerAnswer,
    maxOutputTokens: config.AI_MAX_OUTPUT_TOKENS,
  };
  const engines: Partial<Record<Purpose, Engine>> = {};
  for (const purpose of purposes) {
    const address = addresses[purpose];
    if (address === undefined) continue;
    const maxWaitMs = config.AI_RETRY_AFTER_MAX_SECONDS * 1000;
    engines[purpose] = withRetries(createEngine(address, settings, log), { maxWaitMs, ...retries });
  }
  return engines;
}
