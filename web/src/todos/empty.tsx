import { Suspense } from 'react';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/card.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { isNarrowed } from './filter.ts';
import type { FilterOfPage } from './use-filter.ts';

const NextDue = lazyPart(
  () => import('./next-due.tsx').then(({ NextDue }) => NextDue),
  () => null,
);

const nothing = {
  active: { title: 'No open todos', text: 'Add one, create one over the API, or ask the Assistant.' },
  done: { title: 'Nothing is done yet', text: 'Todos with the status “done” are listed here.' },
  archived: { title: 'No archived todos', text: 'Todos that are archived are listed here and can be brought back.' },
  all: { title: 'No todos', text: 'Add one, create one over the API, or ask the Assistant.' },
  today: { title: 'Nothing is due', text: 'Your todos that are due today or overdue are listed here.' },
  mine: { title: 'No todos are yours', text: 'Open todos that are assigned to you are listed here.' },
};

function reasonOf({ place, filter, listing }: FilterOfPage): keyof typeof nothing {
  if (listing.includeArchived) return 'archived';
  if (filter.status !== undefined) return filter.status.join() === 'done' ? 'done' : 'all';
  if (place.name === 'view') return 'active';
  return place.name === 'today' || place.name === 'mine' ? place.name : 'active';
}

/**
 * What is shown where no todo is found: that the filter is the reason, with the way to clear it, or what belongs here.
 */
export function NoTodos({ at }: { at: FilterOfPage }) {
  const { filter, clear } = at;
  if (isNarrowed(filter)) {
    return (
      <Empty title="No todo matches the filter">
        <Button onPress={() => clear()}>Clear the filter</Button>
      </Empty>
    );
  }
  const reason = reasonOf(at);
  const { title, text } = nothing[reason];
  return (
    <Empty title={title}>
      {text}
      {reason === 'today' && (
        <Suspense>
          <NextDue />
        </Suspense>
      )}
    </Empty>
  );
}
