import { table, whole } from '../report.ts';
import type { RecordingFigures } from './index.ts';

/** MiB that a process may take with all recordings at once. */
const memoryTarget = 300;

const memory = (value: number) => (value < memoryTarget ? value.toFixed(0) : `**${value.toFixed(0)}**`);

/** Recordings as Markdown. What misses its target is bold. */
export function reportRecordings(figures: RecordingFigures): string {
  const { recordings, seconds, chunks, chunkBytes, errors } = figures;
  const { before, recording, processing, after, heapBefore, heapRecording } = figures;
  return `### Recordings

${whole(recordings)} recordings at once into one process of the service with its default settings and no models: ${seconds} s each, a chunk of
${(chunkBytes / 1024).toFixed(0)} KiB every half second, on the local disk. Then all are stopped at once, joined and written about.

${table(
  ['memory of the service, MiB', 'before', 'while they record', 'while they are worked on', 'after'],
  [
    [
      `resident, the most of each while (target < ${memoryTarget})`,
      ...[before, recording, processing, after].map(memory),
    ],
    ['heap, garbage collected', heapBefore.toFixed(0), heapRecording.toFixed(0), '', ''],
  ],
)}

From sending a chunk to its acknowledgement, when it is durable: ${figures.ackP50.toFixed(1)} ms (p50), ${figures.ackP99.toFixed(1)} ms (p99) of ${whole(chunks)}. From the stop to
the last one completed: ${figures.completedSeconds.toFixed(1)} s; ${errors} errors.`;
}
