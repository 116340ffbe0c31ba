import { decimals, tenths, whole } from '../harness/figures.ts';
import { table } from '../harness/report.ts';
import type { RecordingFigures } from './index.ts';

/** Target for resident memory, in MiB. */
const memoryTarget = 300;

const memory = (value: number) => (value >= memoryTarget ? `**${decimals(value, 0)}**` : decimals(value, 0));

/** Recordings as Markdown. Missed targets are bold. */
export function reportRecordings(figures: RecordingFigures): string {
  const { recordings, seconds, chunks, chunkBytes, errors } = figures;
  const { before, recording, processing, after, heapBefore, heapRecording } = figures;
  return `### Recordings

${whole(recordings)} recordings at once into one process of the service with its default settings and no models: ${seconds} s each, a chunk of
${(chunkBytes / 1024).toFixed(0)} KiB every half second, on the local disk. Then all are stopped at once and processed.

${table(
  ['memory of the service, MiB', 'before', 'while recording', 'while processing', 'after'],
  [
    [`resident, peak of each phase (target < ${memoryTarget})`, ...[before, recording, processing, after].map(memory)],
    ['heap, garbage collected', decimals(heapBefore, 0), decimals(heapRecording, 0), '', ''],
  ],
)}

From sending a chunk to its acknowledgement, when it is durable: ${tenths(figures.ackP50)} ms (p50), ${tenths(figures.ackP99)} ms (p99) of ${whole(chunks)}. From the stop to
the last one completed: ${tenths(figures.completedSeconds)} s; ${errors} errors.`;
}
