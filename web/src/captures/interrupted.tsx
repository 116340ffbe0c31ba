import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { useGoOn } from '../ui/here.ts';
import { Icon } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { focusPageTitle } from '../ui/page.tsx';
import { Ago } from '../ui/time.tsx';
import { recorder, recordingDrafts, useRecorder } from './current-recording.ts';
import { captureQuery } from './queries.ts';
import { clock } from './recorder/duration.ts';
import { chosenMicrophone, clearStoredRecording, storedRecording } from './recorder/stored.ts';

/** Offers to resume or finish a recording that a reload of this window interrupted. */
export function Interrupted({ format }: { format: string }) {
  const { workspace } = useIdentity();
  const { phase } = useRecorder();
  const [kept, setKept] = useState(storedRecording);
  const goOn = useGoOn();
  const notify = useNotice();
  const isHere = kept?.workspaceId === workspace.id;
  const capture = useQuery({
    ...captureQuery(workspace.id, kept?.captureId ?? ''),
    enabled: isHere && phase === 'idle',
    staleTime: 0,
  });
  const finishing = useMutation({
    mutationFn: (captureId: string) => api.captures.stop.mutate({ captureId }),
    onSuccess: ({ id }) => {
      clearStoredRecording();
      void goOn(`/captures/${id}`);
    },
    onError: (error) => notify(problemOf(error).message),
  });
  useEffect(() => {
    if (phase === 'idle') setKept(storedRecording());
  }, [phase]);
  const hasEnded = capture.data !== undefined && capture.data.status !== 'recording';
  useEffect(() => {
    if (hasEnded) clearStoredRecording();
  }, [hasEnded]);
  if (!kept || !isHere || phase !== 'idle' || !capture.data) return null;
  const { id, title, tags, notes, createdAt } = capture.data;
  if (hasEnded) {
    return (
      <p className="callout good">
        <span>
          Your previous recording has ended. <Link to={`/captures/${id}`}>Open it</Link>
        </span>
      </p>
    );
  }
  const resumeStored = () => {
    const drafts = recordingDrafts();
    drafts.title.bind(id, title ?? '');
    drafts.tags.bind(id, tags);
    drafts.notes.bind(id, notes ?? '');
    void recorder.resumeStored(kept, { deviceId: chosenMicrophone(), format });
    focusPageTitle();
  };
  return (
    <section className="callout warn" aria-labelledby="interrupted">
      <Icon name="warning" />
      <div>
        <h2 id="interrupted" className="callout-title">
          Your recording was interrupted
        </h2>
        <p>
          {clock(kept.elapsedMs)} are saved (started {<Ago at={createdAt} />}). It stops automatically after five
          minutes.
        </p>
        <div className="form-actions">
          <Button kind="primary" onPress={resumeStored}>
            Resume recording
          </Button>
          <Button isBusy={finishing.isPending} onPress={() => finishing.mutate(id)}>
            Finish
          </Button>
        </div>
      </div>
    </section>
  );
}
