import { groupings, isByParts } from './filter.ts';
import type { PartField } from './parts.ts';
import { type FilterOfPage, isBoard } from './use-filter.ts';

const names = {
  status: 'By status',
  priority: 'By priority',
  due: 'By due date',
  assignee: 'By assignee',
  list: 'By list',
};

/** What the page may be grouped by: not by what is the same for all of its todos. A board has no columns of dates. */
export function groupOptionsOf(at: FilterOfPage): { id: string; label: string }[] {
  const { place } = at;
  const isColumns = isBoard(at);
  const isOne = {
    // What a board has where nothing else is chosen.
    status: isColumns,
    priority: false,
    due: isColumns,
    assignee: place.name === 'mine' || place.name === 'today',
    list: place.name === 'list',
  };
  const options = groupings.filter((group) => !isOne[group]).map((id) => ({ id, label: names[id] }));
  return [{ id: '', label: isColumns ? names.status : 'No groups' }, ...options];
}

/** The field by whose values a list is read, group after group; undefined where one sort has all of them in order. */
export function partFieldOf(at: FilterOfPage): Exclude<PartField, 'priority'> | undefined {
  const { group } = at.filter;
  return isByParts(group) && groupOptionsOf(at).some(({ id }) => id === group) ? group : undefined;
}
