import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { readAgain } from '../api/queries.ts';
import { mayUseMicrophone } from '../navigation/history.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { PageTitle } from '../ui/page.tsx';
import { isOwner, recorder, resetRecorder, useRecorder } from './current-recording.ts';
import { recordingFormat } from './recorder/encoder.ts';
import { storedRecording } from './recorder/stored.ts';
import { hasUnsaved, isBusy, type RecorderView } from './recorder/view.ts';
import { RecordingConsole } from './recording-console.tsx';
import { RecordingDetails } from './recording-details.tsx';
import { RecordingEnded } from './recording-ended.tsx';
import { RecordingNotices } from './recording-notices.tsx';

const Interrupted = lazyPart(() => import('./interrupted.tsx').then(({ Interrupted }) => Interrupted));

/** Whether the recording was stopped by its button and is saved completely. */
function isDone(view: RecorderView): boolean {
  const { phase, ending } = view;
  return phase === 'ended' && ending?.by === 'stop' && ending.reason === 'stopped' && !hasUnsaved(view);
}

/** Page `/record`: records the microphone; audio is saved while recording. */
export function RecordPage() {
  const view = useRecorder();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  useEffect(() => {
    if (!mayUseMicrophone) location.reload();
  }, []);
  const done = isDone(view) ? view.captureId : null;
  useEffect(() => {
    if (done === null) return;
    resetRecorder();
    void readAgain(queryClient, 'captures');
    void navigate(`/captures/${done}`);
  }, [done, navigate, queryClient]);
  if (!mayUseMicrophone || done !== null) return null;
  return (
    <>
      <div className="page-head">
        <div>
          <PageTitle title="Record" />
          <p className="muted">Meetings, calls or thoughts, saved while you speak.</p>
        </div>
      </div>
      <Recording view={view} />
    </>
  );
}

function Recording({ view }: { view: RecorderView }) {
  const format = recordingFormat();
  const [mayBeInterrupted, setInterrupted] = useState(false);
  if (!mayBeInterrupted && storedRecording() !== null) setInterrupted(true);
  if (format === null) return <CannotRecord />;
  if (isBusy(view) && !isOwner()) return <ElsewhereBusy />;
  return (
    <div className="page-parts">
      <Suspense>{mayBeInterrupted && <Interrupted format={format} />}</Suspense>
      <RecordingNotices />
      {view.phase === 'ended' && view.ending ? (
        <RecordingEnded ending={view.ending} />
      ) : (
        <div className="studio">
          <RecordingConsole format={format} />
          <RecordingDetails />
        </div>
      )}
    </div>
  );
}

function CannotRecord() {
  return (
    <div className="callout warn">
      <Icon name="warning" />
      <div>
        <p className="callout-title">This browser cannot record here</p>
        <p>
          It does not support WebM audio. Use a current Chrome, Edge or Firefox, or Safari 18.4 or newer. Notes work in
          every browser.
        </p>
        <ButtonLink to="/captures/new">Write a note</ButtonLink>
      </div>
    </div>
  );
}

/**
 * Shown when another tab switched the workspace of the session during a recording, or somebody else signed in there.
 */
function ElsewhereBusy() {
  return (
    <div className="callout warn">
      <Icon name="warning" />
      <div>
        <p className="callout-title">This window records in another workspace, or for somebody else</p>
        <p>The recording continues. Switch back to see it, or stop it here.</p>
        <Button onPress={() => void recorder.stop()}>Stop and save</Button>
      </div>
    </div>
  );
}
