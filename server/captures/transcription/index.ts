import type { Logger } from 'pino';
import type { Segment } from '../../../routers/captures/transcripts/segments.ts';
import { deadlineIn } from '../../agents/deadline.ts';
import { describeRefusal, type Refusal, Refused } from '../../providers/refusal.ts';
import { inTries, realTime, type TrySettings } from '../../providers/tries.ts';
import { readAnswer } from './answer.ts';
import { send } from './endpoint.ts';
import { faultOf, isTooShort, slowFault } from './faults.ts';
import { formOf, type Manner, mannerFor, otherManner } from './manner.ts';
import { segmentsOf } from './segments.ts';
import { type TranscriptionAddress, type TranscriptionConfig, transcriptionAddress } from './settings.ts';
import type { Asking, PieceOfAudio, Transcriber } from './transcriber.ts';

export { type Transcriber, TranscriptionFault } from './transcriber.ts';

/** Bytes of a piece. OpenAI, Azure and Groq take forms of 25 MB. */
const pieceBytes = 24_000_000;

/**
 * Two more tries for what passes quickly (a connection that broke, a busy provider); none after half a minute of asking
 * or for a longer wait, which is the caller's to decide: it holds a lease.
 */
const quickTries: TrySettings = { tries: 3, longestWaitMs: 20_000, longestActiveMs: 30_000, ...realTime };

/** `fetch` has time-outs of its own, of 300 s. */
const isLate = (refusal: Refusal | undefined) => /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(refusal?.network ?? '');

/** Asks the provider at `address`, and remembers what it could not do. */
class Endpoint {
  readonly #address: TranscriptionAddress;
  readonly #timeoutSeconds: number;
  readonly #log: Logger | undefined;
  /** How the provider was asked when it last answered. */
  #manner: Manner;

  constructor(address: TranscriptionAddress, config: TranscriptionConfig, log: Logger | undefined) {
    this.#address = address;
    this.#timeoutSeconds = config.TRANSCRIPTION_TIMEOUT_SECONDS;
    this.#log = log;
    this.#manner = mannerFor(address.model, config.TRANSCRIPTION_RESPONSE_FORMAT);
  }

  #remember(manner: Manner): void {
    const { formats } = this.#manner;
    // A language is refused for what it is, not for being named.
    this.#manner = { ...manner, language: true };
    const [format] = manner.formats;
    const { model } = this.#address;
    if (format !== formats[0])
      this.#log?.info({ model, format }, 'a transcription provider is asked in another format');
  }

  /** Asks once, and once more for each thing that the provider says it cannot do. @throws Refused; what an abort throws */
  async #ask(audio: PieceOfAudio, signal: AbortSignal, onActive: Asking['onActive']): Promise<Segment[]> {
    for (let manner = this.#manner; ; ) {
      const began = performance.now();
      const form = formOf(audio, this.#address.model, manner);
      try {
        const answer = await send(this.#address, form, signal);
        const segments = segmentsOf(readAnswer(answer, manner.formats[0]), audio.offsetMs);
        const ms = performance.now() - began;
        onActive?.(ms);
        this.#remember(manner);
        const { model } = this.#address;
        const bytes = audio.bytes.byteLength;
        this.#log?.debug({ model, bytes, ms: Math.round(ms), segments: segments.length }, 'a piece was transcribed');
        return segments;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (isTooShort(error.refusal)) return [];
        const other = otherManner(manner, error.refusal, form);
        if (!other) throw error;
        manner = other;
      }
    }
  }

  /** @throws TranscriptionFault; the signal's reason when aborted */
  async askInTime(audio: PieceOfAudio, { signal, onActive }: Asking): Promise<Segment[]> {
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
      this.#log?.warn({ model, late, ...found, retryable, retryAfterMs }, 'a piece was not transcribed');
      throw fault;
    } finally {
      deadline.stop();
    }
  }
}

/**
 * Whoever transcribes recordings, by the configuration; null when nobody does. `tries` is for tests. No key, no word of
 * a recording stands in any message or line of the log.
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
    pieceBytes,
    async transcribe(audio, asking) {
      const { signal } = asking;
      signal.throwIfAborted();
      return inTries({ ...quickTries, ...tries }, { signal, once: () => endpoint.askInTime(audio, asking) });
    },
  };
}
