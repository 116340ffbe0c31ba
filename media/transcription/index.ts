import type { Logger } from 'pino';
import type { Segment } from '../../domain/media.ts';
import { describeRefusal, type Refusal, Refused } from '../../engine/providers/errors.ts';
import { deadlineIn } from '../../engine/providers/limits.ts';
import { inTries, realTime, type TrySettings } from '../../engine/providers/tries.ts';
import { readAnswer } from './answer.ts';
import { send } from './endpoint.ts';
import { faultOf, isTooShort, slowFault } from './faults.ts';
import { formOf, optionsFor, otherOptions, type RequestOptions } from './request-options.ts';
import { segmentsOf } from './segments.ts';
import { type TranscriptionAddress, type TranscriptionConfig, transcriptionAddress } from './settings.ts';
import type { PieceOfAudio, TranscribeOptions, Transcriber } from './transcriber.ts';

export { type Transcriber, TranscriptionFault } from './transcriber.ts';

/** Bytes of a piece. OpenAI, Azure and Groq take forms of 25 MB. */
const maxPieceBytes = 24_000_000;

/**
 * Two more tries for what passes quickly (a connection that broke, a busy provider); none after half a minute of asking
 * or for a longer wait, which is the caller's to decide: it holds a lease.
 */
const quickTries: TrySettings = { maxTries: 3, maxWaitMs: 20_000, maxActiveMs: 30_000, ...realTime };

/** The client of requests has time limits of its own. */
const isLate = (refusal: Refusal | undefined) => refusal?.network?.fault === 'timeout';

/** The provider at `address`, with the request options it accepts. */
class Endpoint {
  readonly #address: TranscriptionAddress;
  readonly #timeoutSeconds: number;
  readonly #log: Logger | undefined;
  /** How the provider was asked when it last answered. */
  #options: RequestOptions;

  constructor(address: TranscriptionAddress, config: TranscriptionConfig, log: Logger | undefined) {
    this.#address = address;
    this.#timeoutSeconds = config.TRANSCRIPTION_TIMEOUT_SECONDS;
    this.#log = log;
    this.#options = optionsFor(address.model, config.TRANSCRIPTION_RESPONSE_FORMAT);
  }

  #keepOptions(options: RequestOptions): void {
    const { formats } = this.#options;
    // A provider refuses an unknown language, not the field: that of the next recording is sent again.
    this.#options = { ...options, language: true };
    const [format] = options.formats;
    const { model } = this.#address;
    if (format !== formats[0]) this.#log?.info({ model, format }, 'transcription response format changed');
  }

  /** Asks once, and once more for each option that the provider refuses. @throws Refused; what an abort throws */
  async #ask(audio: PieceOfAudio, signal: AbortSignal, onActive: TranscribeOptions['onActive']): Promise<Segment[]> {
    for (let options = this.#options; ; ) {
      const began = performance.now();
      const form = formOf(audio, this.#address.model, options);
      try {
        const answer = await send(this.#address, form, signal);
        const segments = segmentsOf(readAnswer(answer, options.formats[0]), audio.offsetMs);
        const ms = performance.now() - began;
        onActive?.(ms);
        this.#keepOptions(options);
        const { model } = this.#address;
        const bytes = audio.bytes.byteLength;
        this.#log?.debug({ model, bytes, ms: Math.round(ms), segments: segments.length }, 'piece transcribed');
        return segments;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (isTooShort(error.refusal)) return [];
        const other = otherOptions(options, error.refusal, form);
        if (!other) throw error;
        options = other;
      }
    }
  }

  /** @throws TranscriptionFault; the signal's reason when aborted */
  async askInTime(audio: PieceOfAudio, { signal, onActive }: TranscribeOptions): Promise<Segment[]> {
    const deadline = deadlineIn(this.#timeoutSeconds * 1000);
    try {
      return await this.#ask(audio, AbortSignal.any([signal, deadline.signal]), onActive);
    } catch (error) {
      signal.throwIfAborted();
      const refusal = error instanceof Refused ? error.refusal : undefined;
      const late = deadline.signal.aborted || isLate(refusal);
      const fault = late ? slowFault(this.#timeoutSeconds) : refusal && faultOf(refusal, Date.now());
      if (!fault) throw error;
      const { retryable, retryAfterMs } = fault;
      const { model } = this.#address;
      const found = refusal && describeRefusal(refusal);
      this.#log?.warn({ model, late, ...found, retryable, retryAfterMs }, 'transcription request failed');
      throw fault;
    } finally {
      deadline.stop();
    }
  }
}

/**
 * The transcriber of the configuration; null when there is none. `tries` is for tests. No key and no word of
 * a recording occurs in a message or line of the log.
 */
export function createTranscriber(
  config: TranscriptionConfig,
  { log, tries = {} }: { log?: Logger; tries?: Partial<TrySettings> } = {},
): Transcriber | null {
  const address = transcriptionAddress(config);
  if (!address) return null;
  const endpoint = new Endpoint(address, config, log);
  return {
    name: address.model,
    pieceMs: config.TRANSCRIPTION_PIECE_MINUTES * 60_000,
    pieceBytes: maxPieceBytes,
    async transcribe(audio, transcribeOptions) {
      const { signal } = transcribeOptions;
      signal.throwIfAborted();
      return inTries({ ...quickTries, ...tries }, { signal, once: () => endpoint.askInTime(audio, transcribeOptions) });
    },
  };
}
