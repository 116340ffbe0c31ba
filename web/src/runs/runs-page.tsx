import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from 'react-router';
import { directoryQuery, type Named } from '../approvals/subject-queries.ts';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Card, Empty, Loaded, Pending } from '../ui/card.tsx';
import { Page } from '../ui/page.tsx';
import { OlderRows, Rows } from '../ui/rows.tsx';
import { type RunFilter, runFilterIn, runListingOf, searchOfRuns } from './filter.ts';
import { runningQuery, runsQuery } from './queries.ts';
import { RunFilters } from './run-filters.tsx';
import { RunRow } from './run-row.tsx';

const nobody: Named[] = [];

/** Page `/runs`: what agents work on at present, and what they did. */
export function RunsPage() {
  const { workspace } = useIdentity();
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const filter = runFilterIn(search);
  const directory = useQuery(directoryQuery(workspace.id));
  const agents = (directory.data ?? nobody).filter(({ type }) => type === 'agent');
  const agentOf = (id: string | null) => agents.find((each) => each.id === id)?.name ?? 'An agent';
  // The focus stays on the control of the filter.
  const change = (changes: RunFilter) =>
    void navigate(`${pathname}${searchOfRuns({ ...filter, ...changes })}`, { state: { isFilter: true } });
  return (
    <Page title="Runs" intro={`What agents do and did on the todos of ${workspace.name}.`}>
      {directory.isLoading && <Pending what="the names of the agents" isPaused={false} />}
      <Running agentOf={agentOf} />
      <History filter={filter} agents={agents} agentOf={agentOf} onChange={change} />
    </Page>
  );
}

interface RunningProps {
  agentOf: (agentId: string | null) => string;
}

function Running({ agentOf }: RunningProps) {
  const { workspace } = useIdentity();
  const running = useQuery(runningQuery(workspace.id));
  return (
    <Card title="Running now">
      <Loaded query={running} what="what runs now">
        {({ data, hasMore }) => {
          if (data.length === 0) return <Empty title="No agent is at work" />;
          return (
            <>
              <Rows label="Running now">
                {data.map(({ run, todo }) => (
                  <RunRow key={run.id} run={run} todo={todo} agent={agentOf(run.agentId)} />
                ))}
              </Rows>
              {hasMore && <p className="muted">Only the {data.length} that began last are shown.</p>}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

interface HistoryProps extends RunningProps {
  filter: RunFilter;
  agents: readonly Named[];
  onChange: (changes: RunFilter) => void;
}

function History({ filter, agents, agentOf, onChange }: HistoryProps) {
  const { workspace } = useIdentity();
  const runs = useInfiniteQuery(runsQuery(workspace.id, runListingOf(filter)));
  const isFiltered = searchOfRuns(filter) !== '';
  return (
    <Card title="History">
      <RunFilters filter={filter} agents={agents} onChange={onChange} />
      <Loaded query={runs} what="the runs">
        {({ pages }) => {
          const all = pages.flatMap(({ data }) => data);
          if (all.length === 0)
            return isFiltered ? (
              <Empty title="No run is like this">
                <Button onPress={() => onChange({ status: [], agentId: '', trigger: [], since: '' })}>
                  Show all runs
                </Button>
              </Empty>
            ) : (
              <Empty title="No runs yet">An agent works on a todo when you run it or assign it to one.</Empty>
            );
          return (
            <Rows label="Runs">
              {all.map(({ run, todo }) => (
                <RunRow key={run.id} run={run} todo={todo} agent={agentOf(run.agentId)} />
              ))}
            </Rows>
          );
        }}
      </Loaded>
      <OlderRows query={runs} />
    </Card>
  );
}
