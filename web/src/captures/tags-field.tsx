import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useState } from 'react';
import { Button, Input, Label, Tag, TagGroup, TagList, TextField } from 'react-aria-components';
import { useIdentity } from '../session/session.ts';
import { Icon } from '../ui/icons.tsx';
import { isComposing } from '../ui/typed-ahead.tsx';
import { captureTagsQuery } from './queries.ts';

const maxTags = 50;
const maxTagLength = 50;

/** `tags` plus the comma-separated ones of `text`, without duplicates (case-insensitive). */
function withTags(tags: readonly string[], text: string): string[] {
  const named = text.split(',').map((tag) => Array.from(tag.trim()).slice(0, maxTagLength).join(''));
  const all = new Map([...tags, ...named].filter((tag) => tag !== '').map((tag) => [tag.toLowerCase(), tag]));
  for (const tag of tags) all.set(tag.toLowerCase(), tag);
  return [...all.values()].slice(0, maxTags);
}

interface TagsFieldProps {
  label: string;
  hideLabel?: boolean;
  value: readonly string[];
  onChange: (tags: string[]) => void;
}

/** Editable tags with suggestions from the workspace. */
export function TagsField({ label, hideLabel = false, value, onChange }: TagsFieldProps) {
  const { workspace } = useIdentity();
  const known = useQuery(captureTagsQuery(workspace.id));
  const listId = useId();
  const [text, setText] = useState('');
  const add = () => {
    if (text.trim() !== '') onChange(withTags(value, text));
    setText('');
  };
  const press = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === 'Enter' || event.key === ',') {
      event.preventDefault();
      add();
    } else if (event.key === 'Backspace' && text === '' && value.length > 0) onChange(value.slice(0, -1));
  };
  const offered = known.data?.data.filter(({ name }) => !value.includes(name)) ?? [];
  return (
    <div className={hideLabel ? 'tags-inline' : 'field'}>
      {value.length > 0 && (
        <TagGroup
          aria-label={`${label} that are set`}
          onRemove={(names) => onChange(value.filter((tag) => !names.has(tag)))}
        >
          <TagList className="tags">
            {value.map((tag) => (
              <Tag key={tag} id={tag} textValue={tag} className="tag">
                {tag}
                <Button slot="remove" className="tag-remove">
                  <Icon name="close" />
                </Button>
              </Tag>
            ))}
          </TagList>
        </TagGroup>
      )}
      <TextField
        className="field tags-input"
        value={text}
        onChange={setText}
        onBlur={add}
        {...(hideLabel && { 'aria-label': `Add ${label.toLowerCase()}` })}
      >
        {!hideLabel && <Label>{label}</Label>}
        <Input className="input" list={listId} placeholder="Add a tag" autoComplete="off" onKeyDown={press} />
      </TextField>
      <datalist id={listId}>
        {offered.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}
