import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { problemOf } from '../api/client.ts';
import type { Notification } from '../api/queries.ts';
import { ApprovalCard, type CardKeys } from '../approvals/approval-card.tsx';
import type { AllOfChat } from '../approvals/approve-all.tsx';
import { NotificationRow, useMarking } from '../notifications/notification-row.tsx';
import { openOutbox, waitingWords } from '../outbox/current.ts';
import type { Action } from '../outbox/write.ts';
import { RunAgain, RunBadge } from '../runs/run-parts.tsx';
import { useIdentity } from '../session/session.ts';
import { nameOf } from '../todo-common/todo-parts.tsx';
import { Button } from '../ui/button.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Badge, Row } from '../ui/rows.tsx';
import { Ago, DueDay } from '../ui/time.tsx';
import type { RowActions } from './inbox-actions.ts';
import type { Item } from './items.ts';
import { useSnooze } from './snoozed.tsx';
import type { RegisterRow } from './use-rows.ts';
import type { SnoozeSubject } from './use-snoozing.ts';

/** What an item is when it is put off. */
export function subjectOf(item: Item): SnoozeSubject {
  const { id: subjectId } = item;
  if (item.kind === 'approval') return { subjectType: 'approval', subjectId, name: item.approval.approval.title };
  const { todo } = item.kind === 'run' ? item.run : item;
  const name = todo === null ? 'An erased todo' : nameOf(todo);
  return { subjectType: item.kind === 'run' ? 'todo_run' : 'todo', subjectId, name };
}

/** Registers what a row does by keys, as it was rendered last. */
function useRowKeys(register: RegisterRow, id: string, actions: RowActions): void {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => register(id, () => latest.current), [register, id]);
}

interface NeedRowProps {
  item: Item;
  register: RegisterRow;
  release: (approvalId: string) => void;
  /** What is offered to approve all that a chat waits for. */
  offerOf: (chatId: string) => AllOfChat | undefined;
}

/** Something that needs a person: an approval, a run that failed, or a suggestion. */
export function NeedRow({ item, ...row }: NeedRowProps) {
  const { register } = row;
  if (item.kind === 'approval') return <ApprovalRow item={item} {...row} />;
  if (item.kind === 'run') return <FailedRow item={item} register={register} />;
  return <SuggestionRow item={item} register={register} />;
}

type ApprovalRowProps = NeedRowProps & { item: Extract<Item, { kind: 'approval' }> };

function ApprovalRow({ item, register, release, offerOf }: ApprovalRowProps) {
  const keys = useRef<CardKeys>(null);
  const { snooze, button } = useSnooze(subjectOf(item));
  const { chatId } = item.approval.approval;
  const all = offerOf(chatId);
  useRowKeys(register, item.id, {
    approve: () => keys.current?.approve(),
    deny: () => keys.current?.deny(),
    ...(all && { approveAll: all.ask }),
    snooze,
  });
  return (
    <li data-row={item.id}>
      <ApprovalCard
        {...item.approval}
        level={3}
        to={`/chats/${chatId}`}
        keys={keys}
        all={all}
        more={button}
        onSettled={release}
      />
    </li>
  );
}

type KindRowProps<Kind extends Item['kind']> = Pick<NeedRowProps, 'register'> & { item: Extract<Item, { kind: Kind }> };

function FailedRow({ item, register }: KindRowProps<'run'>) {
  const { run } = item.run;
  const subject = subjectOf(item);
  const { name } = subject;
  const { snooze, button } = useSnooze(subject);
  useRowKeys(register, run.id, { snooze });
  return (
    <Row
      rowId={run.id}
      title={<Link to={`/todos/${run.todoId}`}>{name}</Link>}
      badges={<RunBadge run={run} />}
      detail={<p className="run-result">{run.errorMessage ?? 'Its chat shows what the agent has done.'}</p>}
      facts={[
        <Ago key="at" at={run.finishedAt ?? run.startedAt} />,
        <Link key="chat" to={`/chats/${run.chatId}`} aria-label={`Chat: ${name}`}>
          Chat
        </Link>,
      ]}
      actions={
        <>
          {button}
          <RunAgain run={run} name={name} />
        </>
      }
    />
  );
}

function SuggestionRow({ item, register }: KindRowProps<'suggestion'>) {
  const { todo } = item;
  const { snooze, button } = useSnooze(subjectOf(item));
  const identity = useIdentity();
  const notify = useNotice();
  const todoId = todo.id;
  const name = nameOf(todo);
  const decide = async (accepts: boolean) => {
    const outbox = await openOutbox(identity);
    const action: Action = accepts ? { operation: 'update', change: { isSuggested: false } } : { operation: 'archive' };
    const outcome = await (await outbox.add({ action, todos: [todo] })).outcome;
    if (outcome.state === 'refused') return notify(outcome.problem.message);
    const what = accepts ? `“${name}” is on the list.` : `The suggestion “${name}” is dismissed.`;
    notify(what + waitingWords(outcome));
  };
  const settle = (accepts: boolean) => () =>
    void decide(accepts).catch((error: unknown) => notify(problemOf(error).message));
  useRowKeys(register, todoId, { accept: settle(true), dismiss: settle(false), snooze });
  const { content, assignees, dueDate, captureId, createdAt } = todo;
  return (
    <Row
      rowId={todoId}
      title={<Link to={`/todos/${todoId}`}>{name}</Link>}
      badges={<Badge>Suggested</Badge>}
      detail={todo.title !== null && content !== null && <p className="run-result">{content}</p>}
      facts={[
        <Ago key="at" at={createdAt} />,
        ...(assignees.length > 0 ? [`For ${assignees.map((each) => each.name).join(', ')}`] : []),
        ...(dueDate === null
          ? []
          : [
              <span key="due">
                Due <DueDay on={dueDate} />
              </span>,
            ]),
        ...(captureId === null
          ? []
          : [
              <Link key="capture" to={`/captures/${captureId}`} aria-label={`Capture: ${name}`}>
                Capture
              </Link>,
            ]),
      ]}
      actions={
        <>
          {button}
          <Button kind="quiet" aria-label={`Dismiss: ${name}`} onPress={settle(false)}>
            Dismiss
          </Button>
          <Button aria-label={`Accept: ${name}`} onPress={settle(true)}>
            Accept
          </Button>
        </>
      }
    />
  );
}

/** A notification, which a key marks as read or unread. */
export function NotificationEntry({ notification, register }: { notification: Notification; register: RegisterRow }) {
  const { mark } = useMarking(notification);
  const { id, title } = notification;
  const { snooze, button } = useSnooze({ subjectType: 'notification', subjectId: id, name: title });
  useRowKeys(register, id, { toggleRead: () => mark(!notification.isRead), snooze });
  return <NotificationRow notification={notification} rowId={id} more={button} />;
}
