import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { useIdentity } from '../session/session.ts';
import { asFilter } from '../todos/use-filter.ts';
import { Button } from '../ui/button.tsx';
import { Card, Empty, Loaded } from '../ui/card.tsx';
import { useClock } from '../ui/clock.ts';
import { Page } from '../ui/page.tsx';
import { Bars } from './bars.tsx';
import { csvOf, forecastOf } from './figures.ts';
import { dayAt, faultIn, lastDays, type Period, periodIn, presets, searchOf } from './period.ts';
import { savedQuery, type Usage, usageQuery } from './queries.ts';
import { DayTable, SplitTables } from './tables.tsx';
import { figure, minutesInWords } from './words.ts';

/** Page `/usage`: what the agent minutes of the workspace were used for. */
export function UsagePage() {
  const { workspace } = useIdentity();
  const { search } = useLocation();
  const today = useClock(() => dayAt(Date.now(), workspace.timezone));
  const period = periodIn(search, today);
  const usage = useQuery(usageQuery(workspace.id, period));
  return (
    <Page
      title="Usage"
      intro={`Agent minutes of ${workspace.name}. Days are those of ${workspace.timezone.replaceAll('_', ' ')}.`}
      actions={
        <Button isDisabled={!usage.data} onPress={() => usage.data && download(usage.data)}>
          Download CSV
        </Button>
      }
    >
      <PeriodChoice period={period} today={today} />
      <Loaded query={usage} what="the usage">
        {(data) => (
          <>
            <Summary usage={data} period={period} today={today} />
            <Card title="By day" intro="Days without any use are left out of the table.">
              {data.minutesUsed > 0 ? (
                <>
                  <Bars byDay={data.byDay} />
                  <DayTable byDay={data.byDay} />
                </>
              ) : (
                <Empty title="No minutes were used in these days">
                  Agents use minutes while they work on todos, answer in chats and process captures.
                </Empty>
              )}
            </Card>
            {data.minutesUsed > 0 && <SplitTables {...data} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Offers the figures as a file. */
function download(usage: Usage): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([csvOf(usage)], { type: 'text/csv' }));
  link.download = `usage-${usage.from}-${usage.to}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function PeriodChoice({ period, today }: { period: Period; today: string }) {
  const navigate = useNavigate();
  const id = useId();
  // What is typed, until it is shown or another period is.
  const [typed, setTyped] = useState<Partial<Period>>({});
  const { from, to } = { ...period, ...typed };
  const fault = from === '' || to === '' ? 'Enter both days.' : faultIn({ from, to });
  const show = (event: FormEvent) => {
    event.preventDefault();
    if (fault !== null) return;
    setTyped({});
    void navigate(`/usage${searchOf({ from, to }, today)}`, { state: asFilter });
  };
  return (
    <div className="period">
      <nav aria-label="Period" className="tabs">
        {presets.map((days) => {
          const of = lastDays(days, today);
          const isShown = of.from === period.from && of.to === period.to;
          return (
            <Link
              key={days}
              to={`/usage${searchOf(of, today)}`}
              state={asFilter}
              onClick={() => setTyped({})}
              className="tab"
              aria-current={isShown ? 'page' : undefined}
            >
              {days} days
            </Link>
          );
        })}
      </nav>
      <form className="period-form" onSubmit={show} noValidate>
        <div className="field">
          <label htmlFor={`${id}-from`}>From</label>
          <input
            id={`${id}-from`}
            type="date"
            className="input"
            value={from}
            onChange={({ target }) => setTyped({ ...typed, from: target.value })}
          />
        </div>
        <div className="field">
          <label htmlFor={`${id}-to`}>To</label>
          <input
            id={`${id}-to`}
            type="date"
            className="input"
            value={to}
            onChange={({ target }) => setTyped({ ...typed, to: target.value })}
          />
        </div>
        <Button type="submit">Show</Button>
        <p role="status" className="field-error">
          {fault}
        </p>
      </form>
    </div>
  );
}

function Summary({ usage, period, today }: { usage: Usage; period: Period; today: string }) {
  const { workspace } = useIdentity();
  const saved = useQuery(savedQuery(workspace.id, period, usage.timezone)).data;
  const forecast = forecastOf(usage);
  const hasLimit = workspace.agentMinutesRemaining !== null;
  return (
    <section className="card" aria-label="Summary">
      <dl className="sums">
        <div>
          <dt>Used</dt>
          <dd>{figure(usage.minutesUsed)} min</dd>
        </div>
        {usage.minutesGranted > 0 && (
          <div>
            <dt>Granted</dt>
            <dd>{figure(usage.minutesGranted)} min</dd>
          </div>
        )}
        {hasLimit && (
          <div>
            <dt>Left now</dt>
            <dd>{figure(usage.minutesRemaining)} min</dd>
          </div>
        )}
        <div>
          <dt>Saved, as estimated</dt>
          <dd>{saved === undefined ? '–' : `${figure(saved)} min`}</dd>
        </div>
      </dl>
      {hasLimit && period.to === today && (
        <p>
          {forecast === null
            ? 'Nothing was used in these days, so there is no forecast.'
            : `At the pace of these days, ${minutesInWords(forecast.perDay)} a day, what is left lasts ${daysInWords(forecast.days)}.`}
        </p>
      )}
      <p className="muted small">
        Saved minutes are an estimate for each todo that is done and was last changed in these days.
      </p>
    </section>
  );
}

function daysInWords(days: number): string {
  if (days < 1) return 'less than a day';
  return days === 1 ? 'a day' : `${days.toLocaleString('en')} days`;
}
