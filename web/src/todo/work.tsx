import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { pollUnlessLive } from '../api/live-state.ts';
import { ApprovalCard } from '../approvals/approval-card.tsx';
import { approvalsOfChatQuery } from '../approvals/queries.ts';
import { useHeldApprovals } from '../approvals/use-approvals.ts';
import { Markdown } from '../captures/markdown.tsx';
import type { Todo } from '../outbox/merge.ts';
import { durationWords, minutesWords } from '../runs/filter.ts';
import { runsOfTodoQuery } from '../runs/queries.ts';
import { RunBadge, triggerWords } from '../runs/run-parts.tsx';
import { useIdentity } from '../session/session.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Card, Pending } from '../ui/card.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';

type Run = NonNullable<Todo['latestRun']>;

const pollMs = 5_000;

/** The work of agents on a todo: what the latest one asks, its result, and the runs before it. */
export function Work({ todo: { id: todoId, latestRun: run } }: { todo: Todo }) {
  if (run === null) return null;
  const { chatId, startedAt, finishedAt, errorMessage, summary } = run;
  return (
    <>
      <Approvals run={run} />
      <Card
        title="Work of an agent"
        intro={finishedAt === null ? <>Began {<Ago at={startedAt} />}</> : <>Ended {<Ago at={finishedAt} />}</>}
        actions={<ButtonLink to={`/chats/${chatId}`}>Open the chat</ButtonLink>}
      >
        <div role="status">
          <RunBadge run={run} />
          {errorMessage !== null && <p className="muted">{errorMessage}</p>}
        </div>
        {summary !== null && <Markdown text={summary} />}
        <EarlierRuns todoId={todoId} latestId={run.id} />
      </Card>
    </>
  );
}

/** What the agent at work on the todo asks to be allowed. */
function Approvals({ run: { chatId, status, statusReason } }: { run: Run }) {
  const { workspace } = useIdentity();
  const isWaiting = status === 'running' && statusReason === 'awaiting_input';
  const { data, isLoading } = useQuery({
    ...approvalsOfChatQuery(workspace.id, chatId),
    enabled: isWaiting,
    refetchInterval: (query) => pollUnlessLive(query, pollMs),
  });
  const { approvals, release } = useHeldApprovals(isWaiting ? data : undefined);
  if (isLoading) return <Pending what="the approvals" isPaused={false} />;
  return approvals.map((shown) => (
    <ApprovalCard key={shown.approval.id} {...shown} to={`/chats/${chatId}`} onSettled={release} />
  ));
}

function EarlierRuns({ todoId, latestId }: { todoId: string; latestId: string }) {
  const { workspace } = useIdentity();
  const runs = useInfiniteQuery(runsOfTodoQuery(workspace.id, todoId));
  if (runs.isLoading) return <Pending what="earlier runs" isPaused={false} />;
  const earlier = runs.data?.pages.flatMap(({ data }) => data).filter(({ id }) => id !== latestId) ?? [];
  if (earlier.length === 0) return null;
  return (
    <>
      <Rows label="Earlier runs">
        {earlier.map((run) => (
          <Row
            key={run.id}
            title={
              <Link to={`/chats/${run.chatId}`}>
                <Ago at={run.startedAt} />
              </Link>
            }
            badges={<RunBadge run={run} />}
            detail={run.errorMessage}
            facts={[
              triggerWords[run.trigger],
              ...(run.finishedAt === null ? [] : [`took ${durationWords(run.startedAt, Date.parse(run.finishedAt))}`]),
              minutesWords(run.minutesUsed),
            ]}
          />
        ))}
      </Rows>
      {runs.hasNextPage && (
        <Button isBusy={runs.isFetchingNextPage} onPress={() => void runs.fetchNextPage()}>
          Show earlier runs
        </Button>
      )}
    </>
  );
}
