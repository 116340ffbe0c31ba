/** In Hz; enough for speech. */
export const sampleRate = 16_000;
const headerBytes = 44;

/** One channel of 16-bit PCM as a WAV file. Samples are from -1 to 1. */
export function wavOf(channels: readonly Float32Array[]): ArrayBuffer {
  const length = channels[0]?.length ?? 0;
  const view = new DataView(new ArrayBuffer(headerBytes + 2 * length));
  const write = (at: number, text: string) => {
    for (const [place, sign] of [...text].entries()) view.setUint8(at + place, sign.charCodeAt(0));
  };
  write(0, 'RIFF');
  view.setUint32(4, headerBytes - 8 + 2 * length, true);
  write(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  // PCM, one channel.
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, 2 * sampleRate, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  write(36, 'data');
  view.setUint32(40, 2 * length, true);
  for (let at = 0; at < length; at++) {
    let sum = 0;
    for (const channel of channels) sum += channel[at] ?? 0;
    const sample = Math.max(-1, Math.min(1, sum / channels.length));
    view.setInt16(headerBytes + 2 * at, Math.round(sample * 0x7fff), true);
  }
  return view.buffer;
}
