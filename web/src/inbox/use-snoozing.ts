import { useQueryClient } from '@tanstack/react-query';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { useNotice } from '../ui/notice.tsx';
import { type Snooze, snoozesQuery } from './queries.ts';

/** What can be put off; `name` is for people. */
export interface SnoozeSubject extends Pick<Snooze, 'subjectType' | 'subjectId'> {
  name: string;
}

/** Puts something off, and brings it back. Both are shown before the service answers. */
export function useSnoozing() {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  const notify = useNotice();
  const { queryKey } = snoozesQuery(workspace.id);
  const show = async (change: (before: readonly Snooze[]) => Snooze[]) => {
    await queryClient.cancelQueries({ queryKey });
    queryClient.setQueryData(queryKey, (before) => before && change(before));
  };
  const stored = async (request: Promise<unknown>): Promise<boolean> => {
    const isStored = await request.then(
      () => true,
      (error: unknown) => {
        notify(problemOf(error).message);
        return false;
      },
    );
    await Promise.all([readAgain(queryClient, 'snoozes'), readAgain(queryClient, 'notifications')]);
    return isStored;
  };
  const bringBack = async ({ id: snoozeId }: Pick<Snooze, 'id'>, name: string): Promise<void> => {
    await show((before) => before.filter(({ id }) => id !== snoozeId));
    if (await stored(api.snoozes.delete.mutate({ snoozeId }))) notify(`“${name}” is back in the inbox.`);
  };
  const putOff = async ({ name, ...subject }: SnoozeSubject, until: Date, words: string): Promise<void> => {
    const at = until.toISOString();
    const shown: Snooze = { object: 'snooze', id: subject.subjectId, ...subject, until: at, createdAt: at };
    await show((before) =>
      [...before.filter(({ subjectId }) => subjectId !== subject.subjectId), shown].sort((a, b) =>
        a.until.localeCompare(b.until),
      ),
    );
    const request = api.snoozes.create.mutate({ ...subject, until: at });
    if (!(await stored(request))) return;
    const { id } = await request;
    notify(`“${name}” is put off until ${words}.`, { label: 'Undo', onPress: () => void bringBack({ id }, name) });
  };
  return { putOff, bringBack };
}
