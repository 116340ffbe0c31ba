import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Badge } from '../ui/rows.tsx';
import type { Run } from './queries.ts';
import { useRun } from './use-run.ts';

const statuses: Record<Run['status'], { text: string; tone: 'plain' | 'good' | 'warn' | 'bad' }> = {
  running: { text: 'At work', tone: 'good' },
  completed: { text: 'Finished', tone: 'plain' },
  failed: { text: 'Failed', tone: 'bad' },
  cancelled: { text: 'Stopped', tone: 'plain' },
  timed_out: { text: 'Took too long', tone: 'bad' },
};

/** The state of a run in words. */
export function RunBadge({ run: { status, statusReason } }: { run: Run }) {
  if (status === 'running' && statusReason === 'awaiting_input') return <Badge tone="warn">Needs you</Badge>;
  if (status === 'running' && statusReason === 'queued') return <Badge>Waiting to start</Badge>;
  return <Badge tone={statuses[status].tone}>{statuses[status].text}</Badge>;
}

/** What started a run, as a part of a sentence. */
export const triggerWords: Record<Run['trigger'], string> = {
  manual: 'Started by hand',
  create: 'Started with the todo',
  assignment: 'Started by its assignment',
  schedule: 'Started by its schedule',
};

interface RunActionProps {
  run: Run;
  /** Of its todo. */
  name: string;
}

/** Starts the agent of a run on its todo once more. */
export function RunAgain({ run: { todoId, agentId }, name }: RunActionProps) {
  const starting = useRun();
  return (
    <Button
      aria-label={`Run again: ${name}`}
      isBusy={starting.isPending}
      onPress={() => starting.mutate({ todoId, agentId, name })}
    >
      {starting.isPending ? 'Starting…' : 'Run again'}
    </Button>
  );
}

/** Stops the work of a run in its chat. */
export function StopRun({ run: { chatId }, name }: RunActionProps) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const stopping = useMutation({
    mutationFn: () => api.chats.cancel.mutate({ chatId }),
    onSuccess: async () => {
      notify(`The work on “${name}” is stopped.`);
      await Promise.all(['runs', 'todos', 'chats', 'approvals'].map((kind) => readAgain(queryClient, kind)));
    },
    onError: (error) => notify(problemOf(error).message),
  });
  return (
    <Button aria-label={`Stop: ${name}`} isBusy={stopping.isPending} onPress={() => stopping.mutate()}>
      {stopping.isPending ? 'Stopping…' : 'Stop'}
    </Button>
  );
}
