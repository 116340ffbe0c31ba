import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { readAgain } from '../api/queries.ts';
import { useIdentity } from '../frame.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { recorder, useRecorder } from './current-recording.ts';
import { Interrupted } from './interrupted.tsx';
import { mayUseMicrophone } from './microphone-policy.ts';
import { recordingFormat } from './recorder/encoder.ts';
import { hasUnsaved, isBusy, type RecorderView } from './recorder/view.ts';
import { RecordingConsole } from './recording-console.tsx';
import { RecordingDetails } from './recording-details.tsx';
import { RecordingEnded, startAfresh } from './recording-ended.tsx';
import { RecordingNotices } from './recording-notices.tsx';

/** Whether it ended as its button says, so that there is nothing to explain. */
function isDone(view: RecorderView): boolean {
  const { phase, ending } = view;
  return phase === 'ended' && ending?.by === 'stop' && ending.reason === 'stopped' && !hasUnsaved(view);
}

/** Records with the microphone of this machine; what is said is saved as it is said. */
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
    startAfresh();
    void readAgain(queryClient, 'captures');
    void navigate(`/captures/${done}`);
  }, [done, navigate, queryClient]);
  if (!mayUseMicrophone || done !== null) return null;
  return (
    <>
      <div className="page-head">
        <div>
          <PageTitle title="Record" />
          <p className="muted">A meeting, a call, a thought: saved as you speak.</p>
        </div>
      </div>
      <Recording view={view} />
    </>
  );
}

function Recording({ view }: { view: RecorderView }) {
  const { workspace } = useIdentity();
  const format = recordingFormat();
  if (format === null) return <CannotRecord />;
  if (isBusy(view) && view.workspaceId !== workspace.id) return <ElsewhereBusy />;
  return (
    <div className="page-parts">
      <Interrupted format={format} />
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
          It makes no WebM audio. Use a current Chrome, Edge or Firefox, or Safari from 18.4 on. Notes can be written in
          every browser.
        </p>
        <ButtonLink to="/captures/new">Write a note</ButtonLink>
      </div>
    </div>
  );
}

/** Another tab moved the session to another workspace while this one records. */
function ElsewhereBusy() {
  return (
    <div className="callout warn">
      <Icon name="warning" />
      <div>
        <p className="callout-title">This window records in another workspace</p>
        <p>The recording goes on. Switch back to that workspace to see it, or stop it here.</p>
        <Button onPress={() => void recorder.stop()}>Stop and save</Button>
      </div>
    </div>
  );
}
