import type { Segment } from '../../domain/media.ts';
import type { TrySettings } from '../../engine/providers/tries.ts';
import { createTranscriber, type Transcriber, type TranscriptionFault } from '../../media/transcription/index.ts';
import type { PieceOfAudio, TranscribeOptions } from '../../media/transcription/transcriber.ts';
import { parseConfig } from '../../server/config.ts';
import { keptLog } from './model-engine.ts';
import {
  startTranscriptionServer,
  type TranscriptionReply,
  type TranscriptionScript,
  type TranscriptionServer,
} from './transcription-server.ts';

/** The key of every transcriber under test: it may stand in no message and no line of the log. */
export const secretKey = 'sk-test-transcription-very-secret';

const opened: TranscriptionServer[] = [];

/** Closes every server of the file. */
export async function closeTranscriptionServers(): Promise<void> {
  await Promise.all(opened.splice(0).map((server) => server.close()));
}

/** A piece of a few bytes that begins like a WebM or WAV file. */
export function pieceOf(piece: Partial<PieceOfAudio> = {}): PieceOfAudio {
  const { type = 'audio/webm' } = piece;
  const bytes = Buffer.from(type === 'audio/webm' ? '\x1a\x45\xdf\xa3sound' : 'RIFFsound', 'latin1');
  return { bytes, type, offsetMs: 0, language: null, prompt: null, ...piece };
}

export interface UnderTest {
  transcriber: Transcriber;
  server: TranscriptionServer;
  /** What was logged. */
  lines: string[];
  /** What it would have waited between two tries. */
  waits: number[];
  /** The milliseconds passed to `onActive`. */
  active: number[];
  ask(piece?: Partial<PieceOfAudio>, asking?: Partial<TranscribeOptions>): Promise<Segment[]>;
  /** Asks and gives the fault. @throws Error when there is none */
  fault(piece?: Partial<PieceOfAudio>): Promise<TranscriptionFault>;
}

/** A transcriber that does not wait between its tries, and the server that it asks. */
export async function underTest(
  answer?: TranscriptionReply | TranscriptionScript,
  environment: Record<string, string> = {},
  { timeoutSeconds, ...tries }: Partial<TrySettings> & { timeoutSeconds?: number } = {},
): Promise<UnderTest> {
  const server = await startTranscriptionServer({ apiKey: secretKey });
  opened.push(server);
  if (answer !== undefined) server.answer(typeof answer === 'function' ? answer : () => answer);
  const { lines, log } = keptLog();
  const waits: number[] = [];
  const sleep: TrySettings['sleep'] = async (ms) => void waits.push(ms);
  const config = parseConfig({
    TRANSCRIPTION_BASE_URL: server.url,
    TRANSCRIPTION_API_KEY: secretKey,
    TRANSCRIPTION_MODEL: 'whisper-1',
    ...environment,
  });
  if (timeoutSeconds !== undefined) config.TRANSCRIPTION_TIMEOUT_SECONDS = timeoutSeconds;
  const transcriber = createTranscriber(config, { log, tries: { sleep, random: () => 1, ...tries } });
  if (!transcriber) throw new Error('There is no transcriber');
  const active: number[] = [];
  const asked = (asking: Partial<TranscribeOptions>): TranscribeOptions => ({
    signal: new AbortController().signal,
    onActive: (ms) => active.push(ms),
    ...asking,
  });
  const ask: UnderTest['ask'] = (piece, asking = {}) => transcriber.transcribe(pieceOf(piece), asked(asking));
  const fault: UnderTest['fault'] = async (piece) => {
    const outcome = await ask(piece).catch((error: unknown) => error as TranscriptionFault);
    if (Array.isArray(outcome)) throw new Error(`It answered ${JSON.stringify(outcome)}`);
    return outcome;
  };
  return { transcriber, server, lines, waits, active, ask, fault };
}
