import { Suspense } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Pending } from '../ui/card.tsx';
import { Icon } from '../ui/icons.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { recorder, recordingDrafts, useRecorder } from './current-recording.ts';
import { chosenMicrophone } from './recorder/stored.ts';
import type { RecorderView } from './recorder/view.ts';
import { Elapsed, LevelMeter } from './recorder-meters.tsx';

// The choice can wait: the recorder is there sooner.
const MicrophoneField = lazyPart(() => import('./microphone-field.tsx').then(({ MicrophoneField }) => MicrophoneField));

/** Status text; screen readers announce its changes. */
function statusOf({ phase, link }: RecorderView, workspaceName: string): string {
  switch (phase) {
    case 'asking':
      return 'Allow the microphone in the browser prompt';
    case 'starting':
      return 'Connecting…';
    case 'recording':
      if (link === 'open') return 'Recording. Audio is saved while you speak.';
      return link === 'connecting' ? 'Recording. Connecting…' : 'Recording without a connection';
    case 'paused':
      return 'Paused. It stops automatically after five minutes.';
    case 'stopping':
      return link === 'open' ? 'Saving the last seconds…' : 'Waiting for the connection to save the rest';
    default:
      return `All members of ${workspaceName} will be able to listen.`;
  }
}

/** Starts recording with the typed title and tags. */
export function startRecording(workspaceId: string, format: string): void {
  const drafts = recordingDrafts();
  const [title, tags] = [drafts.title.view().value.trim(), drafts.tags.view().value];
  const about = { ...(title !== '' && { title }), ...(tags.length > 0 && { tags }) };
  void recorder.start(workspaceId, { deviceId: chosenMicrophone(), format }, about);
}

/** Record button, elapsed time, level and microphone. */
export function RecordingConsole({ format }: { format: string }) {
  const { workspace } = useIdentity();
  const view = useRecorder();
  const { phase } = view;
  const isOn = phase === 'recording' || phase === 'paused';
  const isWaiting = phase === 'asking' || phase === 'starting' || phase === 'stopping';
  const press = () => (isOn ? void recorder.stop() : startRecording(workspace.id, format));
  return (
    <section className={`card console ${phase}`} aria-label="Recorder">
      <p className="console-clock" role="timer" aria-label="Recorded">
        <Elapsed />
      </p>
      <LevelMeter />
      <AriaButton
        className="record-button"
        {...(!isWaiting && { onPress: press })}
        {...(isWaiting && { 'data-busy': true })}
      >
        <span className={isOn || phase === 'stopping' ? 'record-disc stop' : 'record-disc'} aria-hidden="true" />
        {isOn || phase === 'stopping' ? 'Stop and save' : 'Start recording'}
      </AriaButton>
      {isOn && (
        <Button onPress={() => (phase === 'paused' ? void recorder.resume() : recorder.pause())}>
          <Icon name={phase === 'paused' ? 'play' : 'pause'} />
          {phase === 'paused' ? 'Resume' : 'Pause'}
        </Button>
      )}
      <p className="console-status" role="status">
        {statusOf(view, workspace.name)}
      </p>
      <Suspense fallback={<Pending what="the microphones" isPaused={false} />}>
        <MicrophoneField />
      </Suspense>
    </section>
  );
}
