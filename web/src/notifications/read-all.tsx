import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { useNotice } from '../ui/notice.tsx';
import { focusPageTitleIfLost } from '../ui/page.tsx';

/** Marks the shown notifications as read; newer ones stay unread. */
export function ReadAll({ newest, unread }: { newest: string | undefined; unread: number }) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const reading = useMutation({
    mutationFn: (upTo: string) => api.notifications.readAll.mutate({ upTo }),
    onSuccess: async () => {
      await readAgain(queryClient, 'notifications');
      notify('All notifications are marked as read.');
      // The button leaves with the last unread one.
      focusPageTitleIfLost();
    },
    onError: (error) => notify(problemOf(error).message),
  });
  if (newest === undefined || unread === 0) return null;
  return (
    <Button isBusy={reading.isPending} onPress={() => reading.mutate(newest)}>
      Mark all as read
    </Button>
  );
}
