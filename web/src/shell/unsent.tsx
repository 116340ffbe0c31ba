import { Link } from 'react-router';
import type { ShownWrite } from '../outbox/write.ts';
import { useSignOut } from '../session/session.ts';
import { Icon } from '../ui/icons.tsx';
import { ConfirmDialog } from '../ui/lazy-overlay.tsx';

/**
 * Says how many changes wait or need a decision, and leads to them. A change that is just being sent is not counted.
 */
export function UnsentPill({ writes, isOnline }: { writes: readonly ShownWrite[]; isOnline: boolean }) {
  const unsent = writes.filter(
    ({ isStored, state, problem }) => !isStored && (!isOnline || state !== 'waiting' || problem !== null),
  );
  if (unsent.length === 0) return null;
  return (
    <Link to="/changes" className="live-pill">
      <Icon name="warning" />
      <span>{pillOf(unsent, isOnline)}</span>
    </Link>
  );
}

/** What the pill says: how many changes wait, and whether a person has to decide about some. */
function pillOf(unsent: readonly ShownWrite[], isOnline: boolean): string {
  const asking = unsent.filter(({ state }) => state !== 'waiting').length;
  const waiting = unsent.length - asking;
  const counted = (count: number, verb: string) => `${count} ${count === 1 ? `change ${verb}s` : `changes ${verb}`}`;
  const parts = [
    ...(waiting > 0 ? [counted(waiting, 'wait')] : []),
    ...(asking > 0 ? [`${counted(asking, 'need')} you`] : []),
  ];
  return `${isOnline ? '' : 'Offline: '}${parts.join(', ')}`;
}

/** Asks before a sign-out discards what is not sent; `loss` says what that is. */
export function SignOutQuestion({ loss, close }: { loss: string; close: () => void }) {
  const signOut = useSignOut();
  return (
    <ConfirmDialog
      title="Sign out and discard changes?"
      confirm="Discard and sign out"
      busy="Signing out…"
      onConfirm={() => signOut('/sign-in', true)}
      close={close}
    >
      {loss}
    </ConfirmDialog>
  );
}
