import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useId, useRef } from 'react';
import { offersAt } from '../quick-add/completion.ts';
import { useOffers } from '../quick-add/offers.tsx';
import { type Assignable, parseLine } from '../quick-add/parse.ts';
import { assignableQuery } from '../quick-add/queries.ts';
import { useIdentity } from '../session/session.ts';
import { useFieldError } from '../ui/form-errors.tsx';
import { isComposing } from '../ui/typed-ahead.tsx';

const isMember = ({ type }: Assignable) => type === 'user';

/** The members of the workspace as far as they are read: comments can mention no agents. */
export function useMembers(): readonly Assignable[] {
  const { workspace } = useIdentity();
  return (useQuery(assignableQuery(workspace.id)).data ?? []).filter(isMember);
}

/**
 * Returns what finds the ids of the members whom a text mentions as `@Name`, as quick add reads assignees. It waits for
 * the members: a comment that is sent before they are read would notify nobody. @throws ProblemError when they cannot
 * be read.
 */
export function useMentions(): (text: string) => Promise<string[]> {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  return async (text) => {
    if (!text.includes('@')) return [];
    const people = (await queryClient.ensureQueryData(assignableQuery(workspace.id))).filter(isMember);
    const { input } = parseLine(text, { now: 0, timeZone: 'UTC', lists: [], people });
    return (input.assignees ?? []).map(({ id }) => id);
  };
}

interface CommentFieldProps {
  value: string;
  label: string;
  members: readonly Assignable[];
  onChange: (value: string) => void;
  isFocused?: boolean;
}

/** The text of a comment, which `@` offers the names of members in. ⌘Enter or Ctrl+Enter sends its form. */
export function CommentField({ value, label, members, onChange, isFocused = false }: CommentFieldProps) {
  const id = useId();
  const control = useRef<HTMLTextAreaElement>(null);
  const { message, isInvalid } = useFieldError('text');
  const find = (text: string, caret: number) =>
    offersAt(text, caret, { lists: [], people: members, labels: [] }).filter((offer) => offer.label.startsWith('@'));
  const { offer, press, close, attributes, list } = useOffers({ control, onChange, find });
  const attach = useCallback(
    (element: HTMLTextAreaElement | null) => {
      control.current = element;
      if (isFocused) element?.focus();
    },
    [isFocused],
  );
  return (
    <div className="field quick-field" {...(isInvalid && { 'data-invalid': true })}>
      <label htmlFor={id}>{label}</label>
      <span className="hint" id={`${id}-hint`}>
        Markdown. @ mentions members, who are notified.
      </span>
      <textarea
        {...attributes}
        ref={attach}
        id={id}
        name="text"
        className="input"
        rows={3}
        maxLength={60_000}
        value={value}
        aria-required
        aria-invalid={isInvalid || undefined}
        aria-describedby={isInvalid ? `${id}-error` : `${id}-hint`}
        onChange={(event) => {
          onChange(event.target.value);
          offer(event.target.value);
        }}
        onBlur={close}
        onKeyDown={(event) => {
          if (isComposing(event.nativeEvent)) return;
          const isSent = event.key === 'Enter' && (event.metaKey || event.ctrlKey);
          if (isSent) event.currentTarget.form?.requestSubmit();
          if (isSent || press(event)) event.preventDefault();
        }}
      />
      {list}
      {isInvalid && (
        <span className="field-error" id={`${id}-error`}>
          {message}
        </span>
      )}
    </div>
  );
}
