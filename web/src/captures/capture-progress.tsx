import { useMutation } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { mayUseMicrophone } from '../navigation/history.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { useReadCaptureAgain } from './capture-change.ts';
import { recorder } from './current-recording.ts';
import type { Capture } from './queries.ts';

/** Recording, processing or failure of a capture. */
export function CaptureProgress({ capture }: { capture: Capture }) {
  return (
    <>
      <div role="status">
        {capture.status === 'processing' && (
          <div className="callout good">
            <span className="spinner" aria-hidden="true" />
            <div>
              <p className="callout-title">The capture is being processed</p>
              <p>Transcript, summary and suggested todos will appear here. You can leave this page.</p>
            </div>
          </div>
        )}
      </div>
      {capture.status === 'recording' && <Running capture={capture} />}
      {capture.failure && <FailureOf capture={capture} />}
    </>
  );
}

function Running({ capture }: { capture: Capture }) {
  const readCaptureAgain = useReadCaptureAgain();
  const notify = useNotice();
  const isHere = recorder.view().captureId === capture.id;
  const stopping = useMutation({
    mutationFn: async () => {
      await api.captures.stop.mutate({ captureId: capture.id });
      await readCaptureAgain();
    },
    onError: (error) => notify(problemOf(error).message),
  });
  return (
    <div className="callout warn">
      <Icon name="microphone" />
      <div>
        <p className="callout-title">Recording {isHere ? 'in this window' : 'in progress'}</p>
        {isHere ? (
          <Link to="/record" reloadDocument={!mayUseMicrophone}>
            Open the recorder
          </Link>
        ) : (
          <Button isBusy={stopping.isPending} onPress={() => stopping.mutate()}>
            Stop the recording
          </Button>
        )}
      </div>
    </div>
  );
}

function FailureOf({ capture }: { capture: Capture }) {
  const readCaptureAgain = useReadCaptureAgain();
  const notify = useNotice();
  const retrying = useMutation({
    mutationFn: async () => {
      await api.captures.retry.mutate({ captureId: capture.id });
      await readCaptureAgain();
    },
    onError: (error) => notify(problemOf(error).message),
  });
  if (!capture.failure) return null;
  return (
    <div className="callout danger" role="alert">
      <Icon name="warning" />
      <div>
        <p className="callout-title">Processing failed</p>
        <p>{capture.failure.message}</p>
        {capture.failure.retryable && (
          <Button isBusy={retrying.isPending} onPress={() => retrying.mutate()}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}
