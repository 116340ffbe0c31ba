import { problemOf } from '../api/problem.ts';
import { useUnsentMessages } from '../chats/use-outbox.ts';
import { openOutbox, useWrites } from '../outbox/current.ts';
import type { Outbox } from '../outbox/draft.ts';
import type { ShownWrite } from '../outbox/write.ts';
import { useIdentity } from '../session/session.ts';
import { useOnline } from '../shell/offline.tsx';
import { Empty } from '../ui/card.tsx';
import { useNotice } from '../ui/notice.tsx';
import { focusPageTitleIfLost, Page } from '../ui/page.tsx';
import { Rows } from '../ui/rows.tsx';
import { ChangeRow, type ChangeRowActions } from './change-row.tsx';
import { UnsentMessages } from './unsent-messages.tsx';

/** What a person does about unsent changes; a failure is shown. */
function useActions(): ChangeRowActions {
  const identity = useIdentity();
  const notify = useNotice();
  const act = async (work: (outbox: Outbox) => Promise<unknown>) => {
    try {
      await work(await openOutbox(identity));
      // The row with the button may be gone.
      focusPageTitleIfLost();
    } catch (error) {
      notify(problemOf(error).message);
    }
  };
  return {
    discard: ({ id }) =>
      act(async (outbox) => {
        const taken = await outbox.discard(id);
        if (taken.length === 0) notify('There was nothing left to discard: the service has stored it by now.');
      }),
    retry: ({ id }) => act((outbox) => outbox.retry(id)),
    settle: ({ id, mine, current }, keeps) =>
      act(async (outbox) => {
        await outbox.discard(id);
        if (keeps === 'theirs') return;
        const { outcome } = await outbox.add({ action: { operation: 'update', change: mine }, todos: [current] });
        // Without text it leaves the list, and nothing else would say why.
        void outcome.then((became) => became.state === 'refused' && notify(became.problem.message));
      }),
  };
}

/** Page `/changes`: what this person changed in this browser and the service has not stored. */
export function ChangesPage() {
  const isOnline = useOnline();
  const actions = useActions();
  const messages = useUnsentMessages(useIdentity().workspace.id);
  const unsent = useWrites().filter(({ isStored }) => !isStored);
  return (
    <Page
      title="Unsent changes"
      intro="What you changed in this browser and the service has not stored yet. Signing out discards it."
    >
      <UnsentMessages messages={messages} />
      {unsent.length === 0 && messages.length === 0 && (
        <Empty title="No unsent changes">Everything that you changed here is stored by the service.</Empty>
      )}
      {unsent.length > 0 && (
        <section className="card" aria-label="Changes">
          <p className="muted">{introOf(unsent, isOnline)}</p>
          <Rows label="Unsent changes">
            {unsent.map((write) => (
              <ChangeRow key={write.id} write={write} actions={actions} />
            ))}
          </Rows>
        </section>
      )}
    </Page>
  );
}

function introOf(unsent: readonly ShownWrite[], isOnline: boolean): string {
  if (unsent.every(({ state }) => state !== 'waiting')) return 'These need your decision.';
  return isOnline
    ? 'They are sent by themselves, those of one todo in their order.'
    : 'They are sent by themselves once you are online, those of one todo in their order.';
}
