import { useQuery } from '@tanstack/react-query';
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
  const query = useQuery(approvalsOfChatQuery(workspace.id, chatId));
  const { approvals, release } = useHeldApprovals(query.data);
  return (
    <Overlay title={`“${nameOf(todo)}” waits for you`} isDismissable close={close}>
      <Loaded query={query} what="the approvals">
        {() =>
          approvals.length === 0 ? (
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
                  if (approvals.length === 1) close();
                }}
              />
            ))
          )
        }
      </Loaded>
      <div className="dialog-actions">
        <Button onPress={close}>Close</Button>
      </div>
    </Overlay>
  );
}
