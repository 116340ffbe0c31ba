import type { ReactNode } from 'react';
import { problemOf } from '../api/client.ts';
import { Icon } from '../ui/icons.tsx';
import { useRecorder } from './current-recording.ts';
import { clock } from './recorder/duration.ts';
import type { MicrophoneFault } from './recorder/microphone.ts';
import type { RecorderFailure, RecorderView } from './recorder/view.ts';

const faults: Record<MicrophoneFault, { title: string; text: string }> = {
  denied: {
    title: 'The browser blocks the microphone',
    text: 'Open the site settings, left of the address, allow the microphone, and start again. On a phone, the system settings may also have to allow it for the browser.',
  },
  none: { title: 'No microphone found', text: 'Connect one, then start again.' },
  busy: {
    title: 'The microphone is not available',
    text: 'Another program may be using it. Close that program or choose another microphone, and start again.',
  },
  insecure: {
    title: 'This address is not secure',
    text: 'Browsers allow microphones over HTTPS only. Open Tandem at its https:// address.',
  },
  unsupported: {
    title: 'This browser does not support microphones',
    text: 'Use a current Chrome, Edge, Firefox or Safari.',
  },
};

function textFor(failure: RecorderFailure): { title: string; text: string } {
  if (failure.kind === 'microphone') return faults[failure.fault];
  if (failure.kind === 'refused')
    return { title: 'The recording could not be started', text: problemOf(failure.error).message };
  return {
    title: 'The microphone was disconnected',
    text: 'The recording is paused, and the audio so far is saved. Connect a microphone, then resume.',
  };
}

function Callout({ tone, title, children }: { tone: 'warn' | 'danger'; title: string; children: ReactNode }) {
  return (
    <div className={`callout ${tone}`}>
      <Icon name="warning" />
      <div>
        <p className="callout-title">{title}</p>
        {children}
      </div>
    </div>
  );
}

/** Unsaved audio below this is normal and not shown. */
const normalUnsavedMs = 4_000;

function isLost({ phase, link }: RecorderView): boolean {
  return link === 'lost' && (phase === 'recording' || phase === 'paused' || phase === 'stopping');
}

/** Failures of a recording, and what to do about them. */
export function RecordingNotices() {
  const view = useRecorder();
  const { failure, unsavedMs } = view;
  return (
    <>
      <div role="alert">
        {failure && (
          <Callout tone="danger" title={textFor(failure).title}>
            <p>{textFor(failure).text}</p>
          </Callout>
        )}
      </div>
      <div role="status">
        {isLost(view) && (
          <Callout tone="warn" title="Connection lost">
            <p>
              {view.phase === 'recording' ? 'Recording continues. ' : ''}
              Unsaved audio is stored in this window until the connection is back: do not close it.
            </p>
          </Callout>
        )}
      </div>
      {unsavedMs > normalUnsavedMs && view.phase !== 'ended' && (
        <p className="unsaved">
          <span className="muted">Not saved yet</span> <strong>{clock(unsavedMs)}</strong>
        </p>
      )}
    </>
  );
}
