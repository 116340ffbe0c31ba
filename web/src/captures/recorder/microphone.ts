/** Why no microphone can be used. */
export type MicrophoneFault = 'denied' | 'none' | 'busy' | 'insecure' | 'unsupported';

/** The microphone cannot be used, see `fault`. */
export class MicrophoneError extends Error {
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

/** An open microphone. */
export interface Microphone {
  stream: MediaStream;
  deviceId: string;
  /** Loudness now, from 0 (silence) to 1. */
  level(): number;
  /** Sends silence instead of sound. */
  mute(muted: boolean): void;
  close(): void;
}

const processing = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 };

/** Loudness below which a meter shows nothing, in dB of full scale. */
const floorDb = -60;

/** The loudness of a stretch of samples between -1 and 1, on a logarithmic scale: 0 at -60 dBFS, 1 at 0 dBFS. */
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
    // Browsers suspend audio contexts of windows that were opened in the background.
    if (audio.state === 'suspended') void audio.resume();
    analyser.getFloatTimeDomainData(samples);
    return loudness(samples);
  };
  return { level, close: () => void audio.close() };
}

/**
 * Opens the wanted microphone, or any other; the browser may prompt for permission.
 * `onLost`: it was unplugged, or the permission was revoked. @throws MicrophoneError
 */
export async function openMicrophone(wanted: string | null, onLost: () => void): Promise<Microphone> {
  if (!window.isSecureContext) throw new MicrophoneError('insecure');
  const { mediaDevices } = navigator;
  if (!mediaDevices?.getUserMedia) throw new MicrophoneError('unsupported');
  const audio = { ...processing, ...(wanted && { deviceId: { ideal: wanted } }) };
  const stream = await mediaDevices.getUserMedia({ audio }).catch((error: unknown) => {
    throw new MicrophoneError(faults[(error as DOMException).name] ?? 'busy');
  });
  const [track] = stream.getAudioTracks();
  if (!track) throw new MicrophoneError('none');
  track.onended = onLost;
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

/** A microphone that the browser lists. */
export interface InputDevice {
  id: string;
  label: string;
}

/** The available microphones; empty until the page has permission. */
export async function listMicrophones(): Promise<InputDevice[]> {
  const devices = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
  return devices
    .filter(({ kind, deviceId, label }) => kind === 'audioinput' && deviceId !== '' && label !== '')
    .map(({ deviceId, label }) => ({ id: deviceId, label }));
}
