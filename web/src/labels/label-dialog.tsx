import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { type Label, labelsQuery } from '../quick-add/queries.ts';
import { useIdentity } from '../session/session.ts';
import type { Todo } from '../todo-common/queries.ts';
import { Button } from '../ui/button.tsx';
import { Loaded } from '../ui/card.tsx';
import { Overlay } from '../ui/overlay.tsx';
import { isComposing } from '../ui/typed-ahead.tsx';
import { type Chosen, changeOf, type LabelChange, pressed, stateOf } from './choices.ts';
import { nextColor } from './colors.ts';

const maxName = 50;

interface LabelDialogProps {
  todos: readonly Pick<Todo, 'labels'>[];
  /** `outcome`: what the change does to the todos, such as “labelled “Waiting””. */
  onChange: (change: LabelChange, outcome: string) => void;
  close: () => void;
}

/** The dialog in which labels are put on todos and taken off. A name that no label has can be created. */
export function LabelDialog({ todos, onChange, close }: LabelDialogProps) {
  const { workspace } = useIdentity();
  const labels = useQuery(labelsQuery(workspace.id));
  return (
    <Overlay title={todos.length === 1 ? 'Labels' : `Labels of ${todos.length} todos`} isDismissable close={close}>
      <Loaded query={labels} what="the labels">
        {(all) => <Chooser labels={all} todos={todos} workspaceId={workspace.id} onChange={onChange} close={close} />}
      </Loaded>
    </Overlay>
  );
}

interface ChooserProps extends LabelDialogProps {
  labels: readonly Label[];
  workspaceId: string;
}

function Chooser({ labels, todos, workspaceId, onChange, close }: ChooserProps) {
  const id = useId();
  const queryClient = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<Chosen>(new Map());
  const wanted = text.trim().toLowerCase();
  const found = labels.filter(({ name }) => name.toLowerCase().includes(wanted));
  const exact = found.find(({ name }) => name.toLowerCase() === wanted);
  const creating = useMutation({
    mutationFn: (name: string) => api.labels.create.mutate({ name, color: nextColor(labels.length) }),
    onSuccess: (label, name) => {
      queryClient.setQueryData<Label[]>(labelsQuery(workspaceId).queryKey, (old) => old && [...old, label]);
      setChosen((before) => new Map(before).set(label.id, true));
      // Not what was typed meanwhile.
      setText((now) => (now.trim() === name ? '' : now));
      input.current?.focus();
      void readAgain(queryClient, 'labels');
    },
  });
  const mayCreate = wanted !== '' && exact === undefined;
  const create = () => !creating.isPending && creating.mutate(text.trim());
  const press = (labelId: string) => setChosen((before) => pressed(labelId, todos, before));
  const save = () => {
    // Without the label that is being created it would be on no todo.
    if (creating.isPending) return;
    const changed = changeOf(labels, todos, chosen);
    close();
    if (changed) onChange(changed.change, changed.outcome);
  };
  const pressKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return;
    event.preventDefault();
    const label = exact ?? (wanted === '' ? undefined : found[0]);
    if (event.metaKey || event.ctrlKey || wanted === '') save();
    else if (!label) create();
    else {
      press(label.id);
      setText('');
    }
  };
  return (
    <>
      <div className="field">
        <label htmlFor={id}>Find or create a label</label>
        <span className="hint" id={`${id}-hint`}>
          Enter chooses the first one that is found. Without a text it saves.
        </span>
        <input
          ref={input}
          id={id}
          className="input"
          autoComplete="off"
          // biome-ignore lint/a11y/noAutofocus: it is what the dialog was opened for
          autoFocus
          maxLength={maxName}
          aria-describedby={`${id}-hint`}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={pressKey}
        />
      </div>
      <div role="alert">{creating.error && <p className="callout danger">{problemOf(creating.error).message}</p>}</div>
      <fieldset className="label-choices">
        <legend className="visually-hidden">Labels</legend>
        {found.map(({ id: labelId, name, color }) => {
          const state = stateOf(labelId, todos, chosen);
          return (
            <label key={labelId}>
              <input
                type="checkbox"
                checked={state === 'all'}
                ref={(box) => {
                  if (box) box.indeterminate = state === 'some';
                }}
                onChange={() => press(labelId)}
              />
              <span className={`todo-chip label-chip ${color}`}>{name}</span>
            </label>
          );
        })}
        {mayCreate && (
          <Button kind="quiet" isBusy={creating.isPending} onPress={create}>
            Create “{text.trim()}”
          </Button>
        )}
        {!mayCreate && found.length === 0 && (
          <p className="muted">There are no labels yet. Type a name to create one.</p>
        )}
      </fieldset>
      <div className="dialog-actions">
        <Button onPress={close}>Cancel</Button>
        <Button kind="primary" isBusy={creating.isPending} onPress={save}>
          Save
        </Button>
      </div>
    </>
  );
}
