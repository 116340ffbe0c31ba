import { Button, ButtonLink } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Icon } from '../ui/icons.tsx';
import { focusPageTitle } from '../ui/page.tsx';
import { isOwner, recorder, resetRecorder, useRecorder } from './current-recording.ts';
import { inWords } from './recorder/duration.ts';
import type { LinkEnd } from './recorder/link.ts';
import { hasUnsaved } from './recorder/view.ts';

function textFor(ending: LinkEnd): string {
  if (ending.by === 'replaced') return 'It continues in another window.';
  if (ending.by === 'erased') return 'Its capture was erased.';
  if (ending.by === 'refused') return 'The WebSocket connection failed. A proxy may block it.';
  if (ending.by === 'fault') return ending.message;
  switch (ending.reason) {
    case 'silence':
      return 'It was paused for five minutes.';
    case 'max_duration':
      return 'It reached the maximum length of a recording.';
    case 'max_size':
      return 'It reached the maximum size of a recording.';
    case 'connection_lost':
    case null:
      return 'The connection was lost for five minutes, or the recording was stopped elsewhere.';
    default:
      return 'It is saved.';
  }
}

/** Offers a blob as a file. */
function download(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function downloadAudio(): void {
  const parts = recorder.audio();
  for (const [place, part] of parts.entries()) {
    download(part, parts.length === 1 ? 'recording.webm' : `recording-${place + 1}.webm`);
  }
}

/** A recording that was not stopped by its button: the reason, and what to do with unsaved audio. */
export function RecordingEnded({ ending }: { ending: LinkEnd }) {
  const view = useRecorder();
  const { captureId, unsavedMs } = view;
  const isKept = hasUnsaved(view);
  return (
    <section className="card" aria-labelledby="recording-ended">
      <div role="alert" className={isKept ? 'callout danger' : 'callout warn'}>
        <Icon name="warning" />
        <div>
          <h2 id="recording-ended">The recording has ended</h2>
          <p>{textFor(ending)}</p>
          {isKept && (
            <p>
              The last {inWords(unsavedMs)} are only in this window. Save them as another recording, or download them,
              before you close it.
            </p>
          )}
        </div>
      </div>
      <div className="form-actions">
        {isKept && (
          <>
            <Button kind="primary" onPress={() => void recorder.saveAsAnother()}>
              Save as another recording
            </Button>
            {isOwner() && <Button onPress={downloadAudio}>Download the audio</Button>}
          </>
        )}
        {captureId !== null && ending.by !== 'erased' && (
          <ButtonLink to={`/captures/${captureId}`} {...(!isKept && { kind: 'primary' })}>
            Open the capture
          </ButtonLink>
        )}
        {isKept ? (
          <ConfirmButton
            label="Discard"
            title="Discard unsaved audio?"
            confirm="Discard"
            busy="Discarding…"
            onConfirm={async () => resetRecorder()}
          >
            <p>The last {inWords(unsavedMs)} will be lost.</p>
          </ConfirmButton>
        ) : (
          <Button
            onPress={() => {
              resetRecorder();
              focusPageTitle();
            }}
          >
            New recording
          </Button>
        )}
      </div>
    </section>
  );
}
