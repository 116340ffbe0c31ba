import type { Packet } from './tracks.ts';

/** Seconds. Longer silence between two packets is a clock that jumped: nothing was recorded meanwhile. */
const maxGapSeconds = 1;

/** The least seconds between two packets: none of Opus is as short, and WebM counts milliseconds. */
const minStepSeconds = 0.001;

/** Where the packets of several recordings lie in the one that joins them. */
export interface Timeline {
  /** The next packet follows the last one, whatever its own timestamp. */
  follow(): void;
  /** Seconds from the beginning, more than the last: a packet whose timestamp does not advance follows the last one. */
  place(packet: Packet): number;
  /** Where the last packet ends, in seconds. */
  readonly end: number;
}

/** An empty timeline; it begins with the first packet placed. */
export function createTimeline(): Timeline {
  let shift: number | null = null;
  let last = 0;
  let end = 0;
  return {
    follow: () => {
      shift = null;
    },
    place: ({ timestamp, duration }) => {
      if (shift === null || Math.abs(timestamp + shift - end) > maxGapSeconds) shift = end - timestamp;
      last = timestamp + shift - last < minStepSeconds ? end : timestamp + shift;
      end = Math.max(end, last + duration);
      return last;
    },
    get end() {
      return end;
    },
  };
}
