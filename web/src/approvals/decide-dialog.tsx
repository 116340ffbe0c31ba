import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useIdentity } from '../session/session.ts';
import type { Todo } from '../todo-common/queries.ts';
import { nameOf } from '../todo-common/todo-parts.tsx';
import { Button } from '../ui/button.tsx';
import { Loaded } from '../ui/card.tsx';
import { Overlay } from '../ui/overlay.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { approvalsOfChatQuery } from './queries.ts';
import { useHeldApprovals } from './use-approvals.ts';

interface DecideDialogProps {
  /** Its agent waits for a decision. */
  todo: Todo;
  close: () => void;
}

/** The decisions that the agent at work on a todo waits for, over the page that shows the todo. */
export function DecideDialog({ todo, close }: DecideDialogProps) {
  const { workspace } = useIdentity();
  const chatId = todo.latestRun?.chatId ?? '';
  const query = useQuery({ ...approvalsOfChatQuery(workspace.id, chatId), refetchOnMount: 'always' });
  // Not what was read before it was opened: a newer question would move under a pointer that is about to approve.
  const [readBefore] = useState(query.dataUpdatedAt);
  const data = query.dataUpdatedAt === readBefore ? undefined : query.data;
  const { approvals, release } = useHeldApprovals(data);
  const count = approvals.length;
  const actions = useRef<HTMLDivElement>(null);
  // Some browsers do not say that the focus went with a card: it is brought to the next one here.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when a card came or went.
  useEffect(() => {
    const dialog = actions.current?.closest('section');
    if (document.activeElement === document.body) (dialog?.querySelector<HTMLElement>('h3 a') ?? dialog)?.focus();
  }, [count]);
  return (
    <Overlay title={`“${nameOf(todo)}” waits for you`} isDismissable close={close}>
      <Loaded query={{ ...query, data }} what="the approvals">
        {() =>
          count === 0 ? (
            <p role="status">Nothing waits here any more: it was decided elsewhere, or the agent was stopped.</p>
          ) : (
            approvals.map((shown) => (
              <ApprovalCard
                key={shown.approval.id}
                {...shown}
                level={3}
                to={`/chats/${chatId}`}
                onSettled={(approvalId) => {
                  release(approvalId);
                  if (count === 1) close();
                }}
              />
            ))
          )
        }
      </Loaded>
      <div className="dialog-actions" ref={actions}>
        <Button onPress={close}>Close</Button>
      </div>
    </Overlay>
  );
}
