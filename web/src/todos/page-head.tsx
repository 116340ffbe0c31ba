import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { TandemOutputs } from 'tandem/client';
import { useIdentity } from '../session/session.ts';
import type { Filter, Listing } from './filter.ts';
import { summaryQuery } from './queries.ts';
import { asFilter, type FilterOfPage } from './use-filter.ts';

type Summary = TandemOutputs['todos']['summary'];

interface Tab {
  name: string;
  filter: Pick<Filter, 'status' | 'includeArchived'>;
  count?: (summary: Summary) => number;
}

const tabs: readonly Tab[] = [
  { name: 'Active', filter: {}, count: ({ active }) => active },
  { name: 'All', filter: { status: ['active', 'done'] }, count: ({ total }) => total },
  { name: 'Done', filter: { status: ['done'] }, count: ({ byStatus }) => byStatus.done },
  { name: 'Archived', filter: { includeArchived: true } },
];

const ofTab = ({ status, includeArchived }: Filter) => `${[...(status ?? [])].sort()}|${includeArchived ?? ''}`;

/** How many todos of a summary of every status a listing has. */
export function countOf({ byStatus, total }: Summary, { status }: Listing): number {
  if (status === undefined) return total;
  const named = [status].flat();
  const isListed = (each: keyof typeof byStatus) =>
    named.includes(each) || (each !== 'done' && named.includes('active'));
  return (['ready', 'in_progress', 'done'] as const).reduce(
    (sum, each) => sum + (isListed(each) ? byStatus[each] : 0),
    0,
  );
}

/** What the todos of the page come to, in words. */
export function Counts({ listing }: { listing: Listing }) {
  const { workspace } = useIdentity();
  const { data } = useQuery(summaryQuery(workspace.id, listing));
  if (!data) return <span>Counting…</span>;
  const facts = [
    `${data.active.toLocaleString('en')} active`,
    `${data.byStatus.done.toLocaleString('en')} done`,
    ...(data.minutesSaved > 0 ? [`${data.minutesSaved.toLocaleString('en')} min saved`] : []),
  ];
  return <span>{facts.join(' · ')}</span>;
}

/** Links to the active, all, done and archived todos of the same filter. */
export function Tabs({ at: { filter, listing, hrefOf } }: { at: FilterOfPage }) {
  const { workspace } = useIdentity();
  const isArchived = listing.includeArchived === true;
  const { data } = useQuery(summaryQuery(workspace.id, listing));
  return (
    <nav aria-label="Status" className="tabs">
      {tabs.map(({ name, filter: of, count }) => (
        <Link
          key={name}
          to={hrefOf({ ...filter, status: undefined, includeArchived: undefined, ...of })}
          state={asFilter}
          className="tab"
          aria-current={ofTab(of as Filter) === ofTab(filter) ? 'page' : undefined}
        >
          {name}
          {count && data && !isArchived && <span className="count">{count(data).toLocaleString('en')}</span>}
        </Link>
      ))}
    </nav>
  );
}
