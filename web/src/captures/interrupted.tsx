import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { useIdentity } from '../frame.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { focusPageTitle } from '../ui/page-title.tsx';
import { Ago } from '../ui/time.tsx';
import { drafts, recorder, useRecorder } from './current-recording.ts';
import { clock } from './duration.ts';
import { chosenMicrophone } from './microphone-field.tsx';
import { captureQuery } from './queries.ts';
import { forgetRecording, keptRecording } from './recorder/kept.ts';

/** A recording of this window that was cut off when the page was loaded again: go on with it, or finish it. */
export function Interrupted({ format }: { format: string }) {
  const { workspace } = useIdentity();
  const { phase } = useRecorder();
  const [kept, setKept] = useState(keptRecording);
  const navigate = useNavigate();
  const tell = useNotice();
  const isHere = kept?.workspaceId === workspace.id;
  const capture = useQuery({
    ...captureQuery(workspace.id, kept?.captureId ?? ''),
    enabled: isHere && phase === 'idle',
    staleTime: 0,
  });
  const finishing = useMutation({
    mutationFn: (captureId: string) => api.captures.stop.mutate({ captureId }),
    onSuccess: ({ id }) => {
      forgetRecording();
      void navigate(`/captures/${id}`);
    },
    onError: (error) => tell(problemOf(error).message),
  });
  useEffect(() => {
    if (phase === 'idle') setKept(keptRecording());
  }, [phase]);
  const hasEnded = capture.data !== undefined && capture.data.status !== 'recording';
  useEffect(() => {
    if (hasEnded) forgetRecording();
  }, [hasEnded]);
  if (!kept || !isHere || phase !== 'idle' || !capture.data) return null;
  const { id, title, tags, notes, createdAt } = capture.data;
  if (hasEnded) {
    return (
      <p className="callout good">
        <span>
          The recording that you made here before has ended. <Link to={`/captures/${id}`}>Open it</Link>
        </span>
      </p>
    );
  }
  const goOn = () => {
    drafts.title.bind(id, title ?? '');
    drafts.tags.bind(id, tags);
    drafts.notes.bind(id, notes ?? '');
    void recorder.goOn(kept, { deviceId: chosenMicrophone(), format });
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
          {clock(kept.elapsedMs)} of it, begun {<Ago at={createdAt} />}, is saved. It ends by itself after five minutes.
        </p>
        <div className="form-actions">
          <Button kind="primary" onPress={goOn}>
            Go on recording
          </Button>
          <Button isBusy={finishing.isPending} onPress={() => finishing.mutate(id)}>
            Finish it
          </Button>
        </div>
      </div>
    </section>
  );
}
