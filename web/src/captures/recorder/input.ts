import { type Encoder, startEncoder } from './encoder.ts';
import { type Microphone, openMicrophone } from './microphone.ts';
import type { Chunk } from './outbox.ts';

interface InputEvents {
  onChunk(chunk: Chunk): void;
  /** The microphone was unplugged, its permission was revoked, or the encoder failed. */
  onLost(): void;
}

/** The audio input of a recorder: a microphone and the encoder of its stream. */
export function createInput({ onChunk, onLost }: InputEvents) {
  let microphone: Microphone | undefined;
  let encoder: Encoder | undefined;
  /** Changes when a microphone that is being opened is no longer wanted. */
  let generation = 0;

  /** Resolves when the encoder has delivered its last audio and the microphone is closed. */
  const release = async () => {
    generation += 1;
    const [ending, closing] = [encoder, microphone];
    encoder = undefined;
    microphone = undefined;
    await ending?.stop();
    closing?.close();
  };
  return {
    release,
    /**
     * Opens a microphone, then releases the one before. Returns its device id; null, with it closed, where `release` or
     * `open` was called meanwhile. @throws MicrophoneError
     */
    open: async (wanted: string | null): Promise<string | null> => {
      generation += 1;
      const mine = generation;
      const opened = await openMicrophone(wanted, onLost).catch((error: unknown) => {
        if (mine === generation) throw error;
        return undefined;
      });
      if (!opened || mine !== generation) {
        opened?.close();
        return null;
      }
      const before = release();
      microphone = opened;
      await before;
      return microphone === opened ? opened.deviceId : null;
    },
    isOpen: () => microphone !== undefined,
    /** Encodes the open microphone from now on, in a format of `recordingFormat`. */
    encode: (format: string) => {
      if (microphone) encoder = startEncoder(microphone.stream, format, onChunk, onLost);
    },
    pause: () => {
      encoder?.pause();
      microphone?.mute(true);
    },
    resume: () => {
      microphone?.mute(false);
      encoder?.resume();
    },
    /** Loudness now, from 0 to 1. */
    level: () => microphone?.level() ?? 0,
  };
}
