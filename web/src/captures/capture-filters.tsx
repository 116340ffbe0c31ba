import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Checkbox, Input, SearchField } from 'react-aria-components';
import { useLocation, useSearchParams } from 'react-router';
import { useIdentity } from '../session/session.ts';
import { SelectField } from '../ui/choices.tsx';
import { Icon, Tick } from '../ui/icons.tsx';
import { useWords } from '../ui/settled.ts';
import { type CaptureFilter, type CaptureKind, captureTagsQuery } from './queries.ts';

const all = 'all';
const kinds = [
  { id: all, label: 'All kinds' },
  { id: 'recording', label: 'Recordings' },
  { id: 'note', label: 'Notes' },
];
const maxQueryLength = 200;

function filterIn(search: URLSearchParams): CaptureFilter {
  const type = search.get('type');
  return {
    query: (search.get('q') ?? '').trim().slice(0, maxQueryLength),
    type: type === 'recording' || type === 'note' ? type : null,
    tag: search.get('tag'),
    includeArchived: search.get('archived') === 'true',
  };
}

function searchOf({ query, type, tag, includeArchived }: CaptureFilter): URLSearchParams {
  const search = new URLSearchParams();
  if (query !== '') search.set('q', query);
  if (type) search.set('type', type);
  if (tag !== null) search.set('tag', tag);
  if (includeArchived) search.set('archived', 'true');
  return search;
}

/**
 * The filter of the list. It is copied to the page's address, so that back and reload restore it; navigating to another
 * address of the page sets the filter. `round` counts those navigations.
 */
export function useCaptureFilter() {
  const [search, setSearch] = useSearchParams();
  const { key, state } = useLocation() as { key: string; state: { isFilter?: true } | null };
  const [filter, setFilter] = useState(() => filterIn(search));
  const [round, setRound] = useState(0);
  const written = searchOf(filter).toString();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the filter is written
  useEffect(() => {
    if (written !== search.toString()) setSearch(written, { replace: true, state: { isFilter: true } });
  }, [written]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a navigation of another kind sets the filter
  useEffect(() => {
    if (state?.isFilter || written === search.toString()) return;
    setFilter(filterIn(search));
    setRound((before) => before + 1);
  }, [key]);
  const change = (changes: Partial<CaptureFilter>) => setFilter((before) => ({ ...before, ...changes }));
  const isFiltered = searchOf({ ...filter, includeArchived: false }).size > 0;
  return { filter, isFiltered, change, round };
}

interface CaptureFiltersProps {
  filter: CaptureFilter;
  onChange: (changes: Partial<CaptureFilter>) => void;
}

/** Search text, kind, tag, and whether archived captures are included. */
export function CaptureFilters({ filter, onChange }: CaptureFiltersProps) {
  const { workspace } = useIdentity();
  const tags = useQuery(captureTagsQuery(workspace.id));
  const names = new Set([...(tags.data?.data ?? []).map(({ name }) => name), ...(filter.tag ? [filter.tag] : [])]);
  const options = [{ id: all, label: 'All tags' }, ...[...names].map((name) => ({ id: `tag:${name}`, label: name }))];
  return (
    <search className="filters">
      <Words query={filter.query} onChange={(query) => onChange({ query })} />
      <SelectField
        label="Kind"
        hideLabel
        options={kinds}
        value={filter.type ?? all}
        onChange={(id) => onChange({ type: id === all ? null : (id as CaptureKind) })}
      />
      {names.size > 0 && (
        <SelectField
          label="Tag"
          hideLabel
          options={options}
          value={filter.tag === null ? all : `tag:${filter.tag}`}
          onChange={(id) => onChange({ tag: id === all ? null : id.slice('tag:'.length) })}
        />
      )}
      <Checkbox
        className="choice inline"
        isSelected={filter.includeArchived}
        onChange={(includeArchived) => onChange({ includeArchived })}
      >
        <Tick />
        Include archived
      </Checkbox>
    </search>
  );
}

/** Search field with a delay after typing. */
function Words({ query, onChange }: { query: string; onChange: (query: string) => void }) {
  const [text, setText] = useWords(query, onChange);
  return (
    <SearchField
      className="search"
      aria-label="Search captures"
      value={text}
      onChange={setText}
      maxLength={maxQueryLength}
    >
      <Icon name="search" />
      <Input className="input" placeholder="Search titles, notes and transcripts" />
    </SearchField>
  );
}
