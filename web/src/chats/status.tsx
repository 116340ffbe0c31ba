import { Badge } from '../ui/rows.tsx';
import type { ChatStatus } from './queries.ts';

const shown: Record<ChatStatus, { text: string; tone: 'plain' | 'good' | 'warn' | 'bad' }> = {
  queued: { text: 'Waiting to start', tone: 'plain' },
  running: { text: 'At work', tone: 'good' },
  awaiting_input: { text: 'Needs you', tone: 'warn' },
  completed: { text: 'Answered', tone: 'plain' },
  failed: { text: 'Failed', tone: 'bad' },
  cancelled: { text: 'Stopped', tone: 'plain' },
};

/** The status of a chat in words. */
export function statusText(status: ChatStatus): string {
  return shown[status].text;
}

/** The status of a chat in words, with a tone. */
export function StatusBadge({ status }: { status: ChatStatus }) {
  return <Badge tone={shown[status].tone}>{shown[status].text}</Badge>;
}
