import type { Segment } from '../../domain/media.ts';
import { ProviderFault } from '../../engine/providers/errors.ts';

/** A piece of a recording: a whole file of its own. */
export interface PieceOfAudio {
  bytes: Uint8Array;
  type: 'audio/webm' | 'audio/wav';
  /** Where in the recording it begins, in ms. */
  offsetMs: number;
  /** The language that is spoken, as `en` or `en-GB`, if it is known. */
  language: string | null;
  /** The end of the transcript before this piece, for continuity. */
  prompt: string | null;
}

export interface TranscribeOptions {
  signal: AbortSignal;
  /** Milliseconds that the answer took, once, when it is whole; waiting and what failed is not in them. */
  onActive?: (ms: number) => void;
}

/** Whatever turns speech into text. */
export interface Transcriber {
  readonly name: string;
  /** The longest piece it takes, in ms and in bytes. */
  readonly pieceMs: number;
  readonly pieceBytes: number;
  /**
   * The transcript of a piece, in order, with times from the start of the recording; nothing for silence.
   * @throws TranscriptionFault; the signal's reason when aborted.
   */
  transcribe(audio: PieceOfAudio, options: TranscribeOptions): Promise<Segment[]>;
}

/** A piece was not transcribed. */
export class TranscriptionFault extends ProviderFault {}
