import type { ReactNode } from 'react';
import { problemOf } from '../api/client.ts';
import { Icon } from '../ui/icons.tsx';
import { useRecorder } from './current-recording.ts';
import { clock } from './duration.ts';
import type { MicrophoneFault } from './recorder/microphone.ts';
import type { RecorderView, Trouble } from './recorder/view.ts';

const faults: Record<MicrophoneFault, { title: string; text: string }> = {
  denied: {
    title: 'The browser does not let this page use the microphone',
    text: 'Open the settings of this site, at the left of its address, allow the microphone there, and start again. On a phone the settings of the system may have to allow it for the browser too.',
  },
  none: { title: 'There is no microphone', text: 'Connect one, then start again.' },
  busy: {
    title: 'The microphone cannot be used now',
    text: 'Another program may hold it. Close that, or choose another microphone, and start again.',
  },
  insecure: {
    title: 'This address is not secure',
    text: 'Browsers give pages a microphone over HTTPS only. Open Tandem by its https:// address.',
  },
  unsupported: {
    title: 'This browser gives pages no microphone',
    text: 'Use a current Chrome, Edge, Firefox or Safari.',
  },
};

function wordsFor(trouble: Trouble): { title: string; text: string } {
  if (trouble.kind === 'microphone') return faults[trouble.fault];
  if (trouble.kind === 'refused') return { title: 'Nothing is being recorded', text: problemOf(trouble.error).message };
  return {
    title: 'The microphone is gone',
    text: 'The recording is paused, and what was said before is kept. Connect a microphone, then go on.',
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

/** Audio that is on its way in ordinary times. */
const usuallyUnsavedMs = 4_000;

function isLost({ phase, link }: RecorderView): boolean {
  return link === 'lost' && (phase === 'recording' || phase === 'paused' || phase === 'stopping');
}

/** What stands in the way of a recording, and what to do about it. */
export function RecordingNotices() {
  const view = useRecorder();
  const { trouble, unsavedMs } = view;
  return (
    <>
      <div role="alert">
        {trouble && (
          <Callout tone="danger" title={wordsFor(trouble).title}>
            <p>{wordsFor(trouble).text}</p>
          </Callout>
        )}
      </div>
      <div role="status">
        {isLost(view) && (
          <Callout tone="warn" title="The connection is lost">
            <p>
              {view.phase === 'recording' ? 'Recording goes on. ' : ''}
              What is not saved yet is kept in this window until the connection is back: keep it open.
            </p>
          </Callout>
        )}
      </div>
      {unsavedMs > usuallyUnsavedMs && view.phase !== 'ended' && (
        <p className="unsaved">
          <span className="muted">Not saved yet</span> <strong>{clock(unsavedMs)}</strong>
        </p>
      )}
    </>
  );
}
