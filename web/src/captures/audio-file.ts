import { importFault } from './import-files.ts';
import { type LinkEnd, openLink, type RecordingStatus } from './recorder/link.ts';
import { Outbox } from './recorder/outbox.ts';
import { sampleRate, wavOf } from './wav.ts';

/*
 * A recording in a file. It is decoded here, because files have many formats, and sent as the recorder sends its audio.
 */

/** The audio of a file as WAV, with its length. @throws ProblemError when this browser cannot decode it. */
export async function decodedAudio(file: File): Promise<{ wav: Blob; seconds: number }> {
  const context = new OfflineAudioContext(1, 1, sampleRate);
  const audio = await context.decodeAudioData(await file.arrayBuffer()).catch(() => {
    throw importFault('This browser cannot read the recording. Convert it to MP3 or WAV, or import its transcript.');
  });
  const channels = Array.from({ length: audio.numberOfChannels }, (_, place) => audio.getChannelData(place));
  return { wav: new Blob([wavOf(channels)], { type: 'audio/wav' }), seconds: audio.duration };
}

interface AudioSending {
  session: { socketUrl: string; token: string };
  audio: { wav: Blob; seconds: number };
  status(): Promise<RecordingStatus>;
  /** `share`: from 0 to 1, what the service has stored. */
  onProgress(share: number): void;
}

/** What is said of a recording that was stopped before the service had all of it. */
function remarkOf({ reason }: Extract<LinkEnd, { by: 'stop' }>): string {
  return reason === 'max_size' || reason === 'max_duration'
    ? 'The recording is longer than this service allows. What it allows was kept.'
    : 'The service ended the recording before all of it was sent. What it received was kept.';
}

/**
 * Sends a decoded recording, also over lost connections. Returns the message to show if only a part of it was stored,
 * else null.
 * @throws ProblemError when nothing was stored, or what was stored cannot be used.
 */
export function sendAudio({ session, audio, status, onProgress }: AudioSending): Promise<string | null> {
  const { socketUrl, token } = session;
  const outbox = new Outbox();
  const ms = audio.seconds * 1000;
  outbox.add({ audio: audio.wav, begins: true, ms });
  const allMs = outbox.unsavedMs;
  return new Promise((resolve, reject) => {
    const link = openLink({
      socketUrl,
      secret: token,
      resumes: false,
      mediaType: 'audio/wav',
      outbox,
      status,
      onReady: () => {},
      onChange: () => onProgress(ms === 0 ? 1 : 1 - outbox.unsavedMs / ms),
      onEnd: (end) => {
        const { unsavedMs } = outbox;
        // The answer to the stop may be lost with the connection.
        const isComplete = end.by === 'stop' && (end.reason === 'stopped' || (end.reason === null && unsavedMs === 0));
        if (isComplete) resolve(null);
        else if (end.by === 'stop' && unsavedMs < allMs) resolve(remarkOf(end));
        else reject(importFault(end.by === 'fault' ? end.message : 'The recording could not be sent. Try again.'));
      },
    });
    // Once all is sent.
    link.stop();
  });
}
