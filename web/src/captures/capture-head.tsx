import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Input, TextField } from 'react-aria-components';
import { useNavigate } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Form } from '../ui/form.tsx';
import { useIsHere } from '../ui/here.ts';
import { Icon } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { focusPageTitle, PageTitle } from '../ui/page.tsx';
import { Ago } from '../ui/time.tsx';
import { CaptureBadges, nameOf } from './capture-badges.tsx';
import { useChangeCapture, useReadCaptureAgain } from './capture-change.ts';
import type { Capture } from './queries.ts';
import { inWords } from './recorder/duration.ts';
import { TagsField } from './tags-field.tsx';

/** Title, facts, tags and actions of a capture. */
export function CaptureHead({ capture }: { capture: Capture }) {
  const { id, type, subtitle, durationSeconds, recordedAt, createdAt, tags, isArchived } = capture;
  const [isRenaming, setRenaming] = useState(false);
  const change = useChangeCapture(id);
  const notify = useNotice();
  const tagging = useMutation({
    // One after the other: each sends all the tags.
    scope: { id: `tags ${id}` },
    mutationFn: (next: string[]) => change({ tags: next }),
    onError: (error) => notify(problemOf(error).message),
  });
  return (
    <header className="capture-head">
      {isRenaming ? (
        <Rename capture={capture} close={() => setRenaming(false)} />
      ) : (
        <div className="capture-title">
          <PageTitle title={nameOf(capture)} />
          <Button kind="quiet" aria-label="Change the title" onPress={() => setRenaming(true)}>
            <Icon name="edit" />
          </Button>
        </div>
      )}
      {subtitle && <p className="subtitle">{subtitle}</p>}
      <div className="capture-meta">
        <ul className="facts">
          <li>
            <span>{type === 'note' ? 'Note' : 'Recording'}</span>
          </li>
          <li>
            <Ago at={recordedAt ?? createdAt} />
          </li>
          {durationSeconds !== null && (
            <li>
              <span>{inWords(durationSeconds * 1000)}</span>
            </li>
          )}
        </ul>
        <CaptureBadges status={capture.status} isArchived={isArchived} />
      </div>
      <div className="capture-bar">
        <TagsField
          label="Tags"
          hideLabel
          value={tagging.isPending ? tagging.variables : tags}
          onChange={(next) => tagging.mutate(next)}
        />
        <CaptureActions capture={capture} />
      </div>
    </header>
  );
}

function Rename({ capture, close }: { capture: Capture; close: () => void }) {
  const change = useChangeCapture(capture.id);
  const isHere = useIsHere();
  const done = () => {
    close();
    setTimeout(focusPageTitle);
  };
  return (
    <>
      <h1 className="visually-hidden">{nameOf(capture)}</h1>
      <Form
        fields={{ title: { label: 'Title' } }}
        submit="Save"
        busy="Saving…"
        label="Title"
        onSubmit={async (filled) => {
          await change({ title: filled.text('title').trim() || null });
          // Not where it was closed before: another one may be open by then.
          if (isHere()) done();
        }}
        actions={<Button onPress={done}>Cancel</Button>}
      >
        <TextField
          className="field"
          name="title"
          aria-label="Title"
          defaultValue={capture.title ?? ''}
          maxLength={300}
          autoFocus
        >
          <Input className="input title-input" autoComplete="off" />
        </TextField>
      </Form>
    </>
  );
}

function CaptureActions({ capture }: { capture: Capture }) {
  const { id, isArchived } = capture;
  const queryClient = useQueryClient();
  const readCaptureAgain = useReadCaptureAgain();
  const navigate = useNavigate();
  const notify = useNotice();
  const archiving = useMutation({
    // What the capture was: it is another one before the answer is shown.
    mutationFn: async (wasArchived: boolean) => {
      await (wasArchived ? api.captures.restore : api.captures.delete).mutate({ captureId: id });
      await readCaptureAgain();
    },
    onSuccess: (_, wasArchived) => notify(wasArchived ? 'The capture is restored.' : 'The capture is archived.'),
    onError: (error) => notify(problemOf(error).message),
  });
  const erase = async () => {
    const { pathname } = location;
    await api.captures.delete.mutate({ captureId: id, permanent: true });
    notify('The capture is erased.');
    // Only from here: the person may have gone on.
    if (location.pathname === pathname) await navigate('/captures');
    queryClient.removeQueries({ queryKey: ['capture'] });
    await readAgain(queryClient, 'captures');
  };
  return (
    <div className="capture-actions">
      <Button isBusy={archiving.isPending} onPress={() => archiving.mutate(isArchived)}>
        {isArchived ? 'Restore' : 'Archive'}
      </Button>
      <ConfirmButton label="Erase" title="Erase this capture?" confirm="Erase it" busy="Erasing…" onConfirm={erase}>
        <p>
          Text, audio and suggested todos that were not accepted are deleted permanently. Accepted todos are not
          deleted.
        </p>
      </ConfirmButton>
    </div>
  );
}
