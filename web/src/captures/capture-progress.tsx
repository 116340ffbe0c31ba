import { useMutation } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { useReadCaptureAgain } from './capture-change.ts';
import { recorder } from './current-recording.ts';
import { mayUseMicrophone } from './microphone-policy.ts';
import type { Capture } from './queries.ts';

/** What is under way with a capture, or went wrong with it. */
export function CaptureProgress({ capture }: { capture: Capture }) {
  return (
    <>
      <div role="status">
        {capture.status === 'processing' && (
          <div className="callout good">
            <span className="spinner" aria-hidden="true" />
            <div>
              <p className="callout-title">It is being worked on</p>
              <p>Transcript, summary and suggested todos appear here by themselves. You may leave meanwhile.</p>
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
  const tell = useNotice();
  const isHere = recorder.view().captureId === capture.id;
  const stopping = useMutation({
    mutationFn: async () => {
      await api.captures.stop.mutate({ captureId: capture.id });
      await readCaptureAgain();
    },
    onError: (error) => tell(problemOf(error).message),
  });
  return (
    <div className="callout warn">
      <Icon name="microphone" />
      <div>
        <p className="callout-title">It is being recorded {isHere ? 'in this window' : 'now'}</p>
        {isHere ? (
          <Link to="/record" reloadDocument={!mayUseMicrophone}>
            To the recorder
          </Link>
        ) : (
          <Button isBusy={stopping.isPending} onPress={() => stopping.mutate()}>
            Stop it from here
          </Button>
        )}
      </div>
    </div>
  );
}

function FailureOf({ capture }: { capture: Capture }) {
  const readCaptureAgain = useReadCaptureAgain();
  const tell = useNotice();
  const retrying = useMutation({
    mutationFn: async () => {
      await api.captures.retry.mutate({ captureId: capture.id });
      await readCaptureAgain();
    },
    onError: (error) => tell(problemOf(error).message),
  });
  if (!capture.failure) return null;
  return (
    <div className="callout danger" role="alert">
      <Icon name="warning" />
      <div>
        <p className="callout-title">It could not be worked on to the end</p>
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
