import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Checkbox, Input, SearchField } from 'react-aria-components';
import { useSearchParams } from 'react-router';
import { useIdentity } from '../frame.tsx';
import { SelectField } from '../ui/choices.tsx';
import { Icon } from '../ui/icons.tsx';
import { Tick } from '../ui/tick.tsx';
import { type CaptureFilter, type CaptureKind, captureTagsQuery } from './queries.ts';

const all = 'all';
const kinds = [
  { id: all, label: 'All kinds' },
  { id: 'recording', label: 'Recordings' },
  { id: 'note', label: 'Notes' },
];
const quietMs = 250;
const longestQuery = 200;

/** The filter in the address of the page, so that it can be come back to. */
export function useCaptureFilter() {
  const [search, setSearch] = useSearchParams();
  const type = search.get('type');
  const filter: CaptureFilter = {
    query: (search.get('q') ?? '').trim().slice(0, longestQuery),
    type: type === 'recording' || type === 'note' ? type : null,
    tag: search.get('tag'),
    includeArchived: search.get('archived') === 'true',
  };
  const change = (changes: Partial<CaptureFilter>) => {
    const { query, type: kind, tag, includeArchived } = { ...filter, ...changes };
    const next = new URLSearchParams();
    if (query !== '') next.set('q', query);
    if (kind) next.set('type', kind);
    if (tag !== null) next.set('tag', tag);
    if (includeArchived) next.set('archived', 'true');
    setSearch(next, { replace: true });
  };
  const isFiltered = filter.query !== '' || filter.type !== null || filter.tag !== null;
  return { filter, isFiltered, change };
}

interface CaptureFiltersProps {
  filter: CaptureFilter;
  onChange: (changes: Partial<CaptureFilter>) => void;
}

/** Words, kind, tag, archived ones too. */
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
        Archived too
      </Checkbox>
    </search>
  );
}

/** Searches once the typing pauses. */
function Words({ query, onChange }: { query: string; onChange: (query: string) => void }) {
  const [text, setText] = useState(query);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts a search
  useEffect(() => {
    if (text.trim() === query) return;
    const timer = setTimeout(() => onChange(text.trim()), quietMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <SearchField
      className="search"
      aria-label="Search captures"
      value={text}
      onChange={setText}
      maxLength={longestQuery}
    >
      <Icon name="search" />
      <Input className="input" placeholder="Search titles, notes and transcripts" />
    </SearchField>
  );
}
