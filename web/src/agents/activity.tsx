import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { useIdentity } from '../session/session.ts';
import { nameOf } from '../todo-common/todo-parts.tsx';
import { Card, Empty, Loaded } from '../ui/card.tsx';
import { Badge, OlderRows, Row, Rows } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';
import { usageQuery } from '../usage/queries.ts';
import { minutesInWords, triggerNames } from '../usage/words.ts';
import type { PartProps } from './agent-text.tsx';
import { agentRunsQuery, type Run } from './queries.ts';

type Part = Pick<PartProps, 'agent'>;

/** Part of the page of an agent: what it did, and the minutes that it used. */
export function Activity({ agent }: Part) {
  return (
    <>
      <Minutes agent={agent} />
      <Runs agent={agent} />
    </>
  );
}

function Minutes({ agent }: Part) {
  const { workspace } = useIdentity();
  const usage = useQuery(usageQuery(workspace.id, {}));
  return (
    <Card title="Minutes" intro="Of the last 30 days." actions={<Link to="/usage">Usage of all agents</Link>}>
      <Loaded query={usage} what="the minutes">
        {({ byAgent, minutesUsed }) => {
          const { minutes = 0, turns = 0 } = byAgent.find(({ agentId }) => agentId === agent.id) ?? {};
          return (
            <p>
              {minutesInWords(minutes)} of {minutesInWords(minutesUsed)} used, in{' '}
              {turns === 1 ? '1 turn' : `${turns} turns`}.
            </p>
          );
        }}
      </Loaded>
    </Card>
  );
}

const statuses: Record<Run['status'], { text: string; tone: 'plain' | 'good' | 'bad' }> = {
  running: { text: 'At work', tone: 'good' },
  completed: { text: 'Finished', tone: 'plain' },
  failed: { text: 'Failed', tone: 'bad' },
  cancelled: { text: 'Stopped', tone: 'plain' },
  timed_out: { text: 'Took too long', tone: 'bad' },
};

function RunBadge({ run: { status, statusReason } }: { run: Run }) {
  if (status === 'running' && statusReason === 'awaiting_input') return <Badge tone="warn">Needs you</Badge>;
  if (status === 'running' && statusReason === 'queued') return <Badge>Waiting to start</Badge>;
  return <Badge tone={statuses[status].tone}>{statuses[status].text}</Badge>;
}

function Runs({ agent }: Part) {
  const { workspace } = useIdentity();
  const runs = useInfiniteQuery(agentRunsQuery(workspace.id, agent.id));
  const rows = runs.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Card title="Runs" intro="Its work on todos, the latest first.">
      <Loaded query={runs} what="the runs">
        {() =>
          rows.length === 0 ? (
            <Empty title="No runs yet">They begin when a todo is assigned with “Start now”, or by a schedule.</Empty>
          ) : (
            <Rows label="Runs">
              {rows.map(({ run, todo }) => (
                <Row
                  key={run.id}
                  title={<Link to={`/todos/${run.todoId}`}>{todo ? nameOf(todo) : 'An erased todo'}</Link>}
                  badges={<RunBadge run={run} />}
                  detail={run.errorMessage}
                  facts={[
                    <Ago key="at" at={run.startedAt} />,
                    triggerNames[run.trigger],
                    minutesInWords(run.minutesUsed),
                    <Link
                      key="chat"
                      to={`/chats/${run.chatId}`}
                      aria-label={`Chat of ${todo ? nameOf(todo) : 'this run'}`}
                    >
                      Chat
                    </Link>,
                  ]}
                />
              ))}
            </Rows>
          )
        }
      </Loaded>
      <OlderRows query={runs} />
    </Card>
  );
}
