/** Why there is no sound to record. */
export type MicrophoneFault = 'denied' | 'none' | 'busy' | 'insecure' | 'unsupported';

export class NoMicrophone extends Error {
  readonly fault: MicrophoneFault;

  constructor(fault: MicrophoneFault) {
    super(`no microphone: ${fault}`);
    this.fault = fault;
  }
}

const faults: Record<string, MicrophoneFault> = {
  NotAllowedError: 'denied',
  SecurityError: 'denied',
  NotFoundError: 'none',
  OverconstrainedError: 'none',
  NotReadableError: 'busy',
  AbortError: 'busy',
};

/** A microphone that is open. */
export interface Microphone {
  stream: MediaStream;
  /** Which one it is. */
  deviceId: string;
  /** How loud it is now, from 0 (silence) to 1. */
  level(): number;
  /** Sends silence instead of sound. */
  mute(muted: boolean): void;
  close(): void;
}

const processing = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 };

/** Loudness below which a meter shows nothing, in dB of full scale. */
const floorDb = -60;

/** The loudness of a stretch of samples between -1 and 1, on a scale that follows the ear: 0 at -60 dBFS, 1 at 0 dBFS. */
export function loudness(samples: Float32Array): number {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length);
  if (power === 0) return 0;
  return Math.min(1, Math.max(0, 1 - (10 * Math.log10(power)) / floorDb));
}

function meterOf(stream: MediaStream) {
  const audio = new AudioContext();
  const analyser = audio.createAnalyser();
  audio.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  const level = () => {
    // A window that was opened in the background is allowed to listen only later.
    if (audio.state === 'suspended') void audio.resume();
    analyser.getFloatTimeDomainData(samples);
    return loudness(samples);
  };
  return { level, close: () => void audio.close() };
}

/**
 * Opens the microphone wanted, or any when there is none such; the browser may ask whether this page may.
 * `onGone`: it was unplugged, or the permission was taken back. @throws NoMicrophone
 */
export async function openMicrophone(wanted: string | null, onGone: () => void): Promise<Microphone> {
  if (!window.isSecureContext) throw new NoMicrophone('insecure');
  const { mediaDevices } = navigator;
  if (!mediaDevices?.getUserMedia) throw new NoMicrophone('unsupported');
  const audio = { ...processing, ...(wanted && { deviceId: { ideal: wanted } }) };
  const stream = await mediaDevices.getUserMedia({ audio }).catch((error: unknown) => {
    throw new NoMicrophone(faults[(error as DOMException).name] ?? 'busy');
  });
  const [track] = stream.getAudioTracks();
  if (!track) throw new NoMicrophone('none');
  track.onended = onGone;
  const meter = meterOf(stream);
  return {
    stream,
    deviceId: track.getSettings().deviceId ?? '',
    level: meter.level,
    mute: (muted) => {
      track.enabled = !muted;
    },
    close: () => {
      track.onended = null;
      track.stop();
      meter.close();
    },
  };
}

export interface InputDevice {
  id: string;
  label: string;
}

/** The microphones there are; none before the browser was allowed to name them. */
export async function listMicrophones(): Promise<InputDevice[]> {
  const devices = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
  return devices
    .filter(({ kind, deviceId, label }) => kind === 'audioinput' && deviceId !== '' && label !== '')
    .map(({ deviceId, label }) => ({ id: deviceId, label }));
}
