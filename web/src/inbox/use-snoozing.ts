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

/** What comes back first before the others. */
const inOrder = (snoozes: readonly Snooze[]) => [...snoozes].sort((a, b) => a.until.localeCompare(b.until));

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
  /** `takeBack`: what is shown again where it is not stored, also if nothing can be read then. */
  const stored = async (
    request: Promise<unknown>,
    takeBack: (shown: readonly Snooze[]) => readonly Snooze[],
  ): Promise<boolean> => {
    const isStored = await request.then(
      () => true,
      (error: unknown) => {
        notify(problemOf(error).message);
        queryClient.setQueryData(queryKey, (shown) => shown && inOrder(takeBack(shown)));
        return false;
      },
    );
    await Promise.all([readAgain(queryClient, 'snoozes'), readAgain(queryClient, 'notifications')]);
    return isStored;
  };
  const bringBack = async ({ id: snoozeId }: Pick<Snooze, 'id'>, name: string): Promise<void> => {
    let gone: readonly Snooze[] = [];
    await show((before) => {
      gone = before.filter(({ id }) => id === snoozeId);
      return before.filter(({ id }) => id !== snoozeId);
    });
    const takeBack = (shown: readonly Snooze[]) => [...shown.filter(({ id }) => id !== snoozeId), ...gone];
    if (await stored(api.snoozes.delete.mutate({ snoozeId }), takeBack)) notify(`“${name}” is back in the inbox.`);
  };
  const putOff = async ({ name, ...subject }: SnoozeSubject, until: Date, words: string): Promise<void> => {
    const at = until.toISOString();
    const shown: Snooze = { object: 'snooze', id: subject.subjectId, ...subject, until: at, createdAt: at };
    await show((before) => inOrder([...before.filter(({ subjectId }) => subjectId !== subject.subjectId), shown]));
    const request = api.snoozes.create.mutate({ ...subject, until: at });
    // What is stored in the cache may be a copy.
    const isShown = ({ id, createdAt }: Snooze) => id === shown.id && createdAt === at;
    if (!(await stored(request, (all) => all.filter((each) => !isShown(each))))) return;
    const { id } = await request;
    notify(`“${name}” is put off until ${words}.`, { label: 'Undo', onPress: () => void bringBack({ id }, name) });
  };
  return { putOff, bringBack };
}
