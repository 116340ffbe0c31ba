import { groupings, isByParts } from './filter.ts';
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
    status: isColumns,
    priority: false,
    due: isColumns,
    assignee: place.name === 'mine' || place.name === 'today',
    list: place.name === 'list',
  };
  const options = groupings
    .filter((group) => !isOne[group] && (isColumns || !isByParts(group)))
    .map((id) => ({ id, label: names[id] }));
  return [{ id: '', label: isColumns ? names.status : 'No groups' }, ...options];
}
