import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Card, Empty } from '../ui/card.tsx';
import type { Usage } from './queries.ts';
import { dayInWords, figure, triggerNames } from './words.ts';

interface UsageRow {
  id: string;
  name: ReactNode;
  minutes: number;
  turns: number;
}

interface FiguresProps {
  caption: string;
  /** What the rows are. */
  what: string;
  rows: readonly UsageRow[];
}

/** Minutes and turns in rows. */
function Figures({ caption, what, rows }: FiguresProps) {
  return (
    <table className="figures">
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{what}</th>
          <th scope="col">Minutes</th>
          <th scope="col">Turns</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, name, minutes, turns }) => (
          <tr key={id}>
            <th scope="row">{name}</th>
            <td>{figure(minutes)}</td>
            <td>{turns.toLocaleString('en')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The figures of each day, the latest first; days without any are left out. */
export function DayTable({ byDay }: Pick<Usage, 'byDay'>) {
  const rows = byDay
    .filter(({ minutes, turns }) => minutes > 0 || turns > 0)
    .map(({ day, ...sum }) => ({ id: day, name: dayInWords(day), ...sum }))
    .reverse();
  return <Figures caption="Agent minutes by day" what="Day" rows={rows} />;
}

/** The figures of each agent and of what started the work. */
export function SplitTables({ byAgent, byTrigger }: Pick<Usage, 'byAgent' | 'byTrigger'>) {
  const agents = byAgent.map(({ agentId: id, name, ...sum }) => ({
    id,
    name: <Link to={`/agents/${id}/activity`}>{name}</Link>,
    ...sum,
  }));
  const triggers = byTrigger.flatMap(({ trigger: id, ...sum }) =>
    sum.minutes > 0 || sum.turns > 0 ? [{ id, name: triggerNames[id], ...sum }] : [],
  );
  return (
    <div className="two-cards">
      <Card title="By agent">
        {agents.length === 0 ? (
          <Empty title="No agent worked" />
        ) : (
          <Figures caption="Agent minutes by agent" what="Agent" rows={agents} />
        )}
      </Card>
      <Card title="By what started it">
        {triggers.length === 0 ? (
          <Empty title="Nothing was started" />
        ) : (
          <Figures caption="Agent minutes by what started the work" what="Started by" rows={triggers} />
        )}
      </Card>
    </div>
  );
}
