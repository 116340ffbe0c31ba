import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useOnPage } from '../edits/list-actions.ts';
import { assignableQuery, labelsQuery } from '../quick-add/queries.ts';
import { useIdentity } from '../session/session.ts';
import { dateHere } from '../todo-common/days.ts';
import { todoListsQuery } from '../todo-common/queries.ts';
import { Icon } from '../ui/icons.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { useWords } from '../ui/settled.ts';
import { type Filter, groupings, isByParts, priorities, type Sort, sortOfGroup, usualOrder } from './filter.ts';
import { groupOptionsOf } from './group-options.ts';
import { NativeSelect } from './native-select.tsx';
import { priorityNames } from './parts.ts';
import { type FilterOfPage, isBoard } from './use-filter.ts';

const weekDays = 7;

const sortOptions = [
  { id: 'createdAt', label: 'Newest' },
  { id: 'updatedAt', label: 'Last changed' },
  { id: 'dueDate', label: 'Due date' },
  { id: 'priority', label: 'Priority' },
  { id: 'position', label: 'Manual' },
];
const layoutOptions = [
  { id: '', label: 'List' },
  { id: 'board', label: 'Board' },
];

/** The values of a filter with one of them added or removed; undefined when none is left. */
function toggled<Value extends string>(values: readonly Value[] | undefined, value: Value): Value[] | undefined {
  const rest = (values ?? []).filter((each) => each !== value);
  const next = rest.length === (values ?? []).length ? [...rest, value] : rest;
  return next.length > 0 ? next : undefined;
}

/** The controls of the filter: words, priority, list, assignee and due date, then the order and the groups. */
export function FilterBar({ at }: { at: FilterOfPage }) {
  const { place, filter, listing, change } = at;
  const shown = isBoard(at);
  const { group, layout } = filter;
  const sortBy = (sort: Sort) => {
    const keeps = shown || (isByParts(group) && sort !== 'position');
    change({ sort, order: usualOrder(sort), group: keeps ? group : undefined });
  };
  const groupBy = (group: Filter['group']) => {
    const sort = sortOfGroup(group) ?? (listing.sort === 'position' && group !== undefined ? 'createdAt' : undefined);
    change(shown || sort === undefined ? { group } : { group, sort, order: usualOrder(sort) });
  };
  const options = groupOptionsOf(at);
  return (
    <search className="todo-filters">
      <Words query={filter.query} onChange={(query) => change({ query }, { replace: true })} />
      <PriorityMenu at={at} />
      {place.name !== 'list' && <ListSelect at={at} />}
      {place.name !== 'mine' && place.name !== 'today' && <AssigneeMenu at={at} />}
      <LabelMenu at={at} />
      {place.name !== 'today' && <DueSelect at={at} />}
      <span className="todo-filters-order">
        <NativeSelect
          label="Sort"
          value={listing.sort ?? 'createdAt'}
          options={sortOptions}
          onChange={(sort) => sortBy(sort as Sort)}
        />
        <NativeSelect
          label={shown ? 'Columns' : 'Group'}
          value={options.some(({ id }) => id === group) ? (group ?? '') : ''}
          options={options}
          onChange={(id) => groupBy(groupings.find((each) => each === id))}
        />
        {listing.includeArchived !== true && (
          <NativeSelect
            label="Layout"
            value={layout ?? ''}
            options={layoutOptions}
            onChange={(id) => change({ layout: id === 'board' ? id : undefined, group: undefined })}
          />
        )}
      </span>
    </search>
  );
}

/** The search field. The address follows a quarter of a second after the last key. */
function Words({ query = '', onChange }: { query?: string | undefined; onChange: (query?: string) => void }) {
  const [text, setText] = useWords(query, (words) => onChange(words || undefined));
  const input = useRef<HTMLInputElement>(null);
  useOnPage('search', { focus: () => input.current?.focus() });
  return (
    <span className="todo-search">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        className="input"
        aria-label="Search todos"
        placeholder="Search"
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </span>
  );
}

function PriorityMenu({ at: { filter, change } }: { at: FilterOfPage }) {
  const chosen = filter.priority ?? [];
  const options = [...priorities, 'none' as const];
  return (
    <MenuButton
      label={`Priority: ${chosen.map((name) => priorityNames[name]).join(', ') || 'any'}`}
      className="menu-button filter-button"
      heading="Priority"
      isMultiple
      choices={options.map((id) => ({ id, label: priorityNames[id], isChecked: chosen.includes(id) }))}
      entries={[]}
      onChoose={(id) => change({ priority: toggled(chosen, id as (typeof options)[number]) })}
    >
      <FilterLabel name="Priority" count={chosen.length} />
    </MenuButton>
  );
}

function ListSelect({ at: { filter, change } }: { at: FilterOfPage }) {
  const { workspace } = useIdentity();
  const lists = useQuery(todoListsQuery(workspace.id)).data ?? [];
  const several = (filter.todoListId ?? []).length > 1;
  const value = filter.todoListId?.join() ?? '';
  return (
    <NativeSelect
      label="List"
      value={value}
      isSet={value !== ''}
      options={[
        { id: '', label: 'All lists' },
        ...lists.map(({ id, name }) => ({ id, label: name })),
        ...(several ? [{ id: value, label: 'Several lists' }] : []),
      ]}
      onChange={(id) => change({ todoListId: id === '' ? undefined : id.split(',') })}
    />
  );
}

function AssigneeMenu({ at: { filter, change } }: { at: FilterOfPage }) {
  const { workspace, user } = useIdentity();
  const workers = useQuery({ ...assignableQuery(workspace.id), enabled: false });
  const chosen = filter.unassigned ? ['nobody'] : (filter.assigneeId ?? []);
  const others = (workers.data ?? []).filter(({ id }) => id !== user.id);
  const choose = (id: string) => {
    if (id === 'nobody') change({ assigneeId: undefined, unassigned: filter.unassigned ? undefined : true });
    else change({ assigneeId: toggled(filter.assigneeId, id), unassigned: undefined });
  };
  return (
    <MenuButton
      label={chosen.length === 0 ? 'Assignee: anyone' : `Assignee: ${chosen.length} chosen`}
      className="menu-button filter-button"
      heading="Assigned to"
      isMultiple
      choices={[
        { id: 'me', label: 'Me' },
        { id: 'nobody', label: 'Nobody' },
        ...others.map(({ id, name, type }) => ({ id, label: type === 'agent' ? `${name} (agent)` : name })),
      ].map((option) => ({ ...option, isChecked: chosen.includes(option.id) }))}
      entries={[]}
      onChoose={choose}
      onOpen={() => void workers.refetch()}
    >
      <FilterLabel name="Assignee" count={chosen.length} />
    </MenuButton>
  );
}

function LabelMenu({ at: { filter, change } }: { at: FilterOfPage }) {
  const { workspace } = useIdentity();
  const chosen = filter.labelId ?? [];
  const labels = useQuery({ ...labelsQuery(workspace.id), enabled: chosen.length > 0 });
  const known = labels.data ?? [];
  const gone = labels.data ? chosen.filter((id) => !known.some((label) => label.id === id)) : [];
  return (
    <MenuButton
      label={chosen.length === 0 ? 'Label: any' : `Label: ${chosen.length} chosen`}
      className="menu-button filter-button"
      heading={known.length === 0 ? 'There are no labels yet' : 'Labelled'}
      isMultiple
      choices={[...known, ...gone.map((id) => ({ id, name: 'A deleted label' }))].map(({ id, name }) => ({
        id,
        label: name,
        isChecked: chosen.includes(id),
      }))}
      entries={[]}
      onChoose={(id) => change({ labelId: toggled(chosen, id) })}
      onOpen={() => void labels.refetch()}
    >
      <FilterLabel name="Label" count={chosen.length} />
    </MenuButton>
  );
}

function DueSelect({ at: { filter, change } }: { at: FilterOfPage }) {
  const known = [
    { id: '', label: 'Any due date' },
    { id: dateHere(-1), label: 'Overdue' },
    { id: dateHere(), label: 'Due today or before' },
    { id: dateHere(weekDays), label: 'Due within a week' },
  ];
  const value = filter.dueBefore ?? '';
  const options = known.some(({ id }) => id === value) ? known : [...known, { id: value, label: `Due until ${value}` }];
  return (
    <NativeSelect
      label="Due"
      value={value}
      isSet={value !== ''}
      options={options}
      onChange={(id) => change({ dueBefore: id === '' ? undefined : id })}
    />
  );
}

function FilterLabel({ name, count }: { name: string; count: number }) {
  return (
    <>
      <span className="menu-label">{name}</span>
      {/* Drawn by CSS: the name of the button says what is chosen. */}
      {count > 0 && <span className="count" data-count={count} />}
      <Icon name="down" />
    </>
  );
}
