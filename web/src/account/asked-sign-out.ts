import { problemOf } from '../api/problem.ts';
import { changesWait, useSignOut } from '../session/session.ts';
import { useNotice } from '../ui/notice.tsx';

/* Signing out on the pages of an account, which are shown without the shell. */

/** Signs out and goes to a page. A refusal is shown; where changes wait to be sent, the person may discard them. */
export function useAskedSignOut(): (to: string) => void {
  const signOut = useSignOut();
  const notify = useNotice();
  return (to) => {
    const leave = (discards: boolean): void => {
      signOut(to, discards).catch((error: unknown) => {
        const { reason, message } = problemOf(error);
        const action = { label: 'Discard and sign out', onPress: () => leave(true) };
        notify(message, reason === changesWait ? action : undefined);
      });
    };
    leave(false);
  };
}
