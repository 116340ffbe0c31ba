import { Button, ButtonLink } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Icon } from '../ui/icons.tsx';
import { focusPageTitle } from '../ui/page-title.tsx';
import { drafts, recorder, useRecorder } from './current-recording.ts';
import { inWords } from './duration.ts';
import type { LinkEnd } from './recorder/link.ts';
import { hasUnsaved } from './recorder/view.ts';

function wordsFor(ending: LinkEnd): string {
  if (ending.by === 'replaced') return 'It goes on in another window.';
  if (ending.by === 'erased') return 'Somebody erased its capture.';
  if (ending.by === 'refused') return 'The service could not be reached by a WebSocket. A proxy may be in the way.';
  if (ending.by === 'fault') return ending.message;
  switch (ending.reason) {
    case 'silence':
      return 'It was paused for five minutes.';
    case 'max_duration':
      return 'It is as long as a recording may be here.';
    case 'max_size':
      return 'It is as large as a recording may be here.';
    case 'connection_lost':
    case null:
      return 'The connection was lost for five minutes, or somebody stopped it elsewhere.';
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

/** Makes the page ready for another recording. */
export function startAfresh(): void {
  recorder.reset();
  for (const draft of Object.values(drafts)) draft.release();
}

/** A recording that ended otherwise than by its button: why, and what became of its audio. */
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
          <p>{wordsFor(ending)}</p>
          {isKept && (
            <p>
              The last {inWords(unsavedMs)} are in this window only. Save what this window recorded as another
              recording, or download it, before you close it.
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
            <Button onPress={downloadAudio}>Download the audio</Button>
          </>
        )}
        {captureId !== null && ending.by !== 'erased' && (
          <ButtonLink to={`/captures/${captureId}`} {...(!isKept && { kind: 'primary' })}>
            Open the capture
          </ButtonLink>
        )}
        {isKept ? (
          <ConfirmButton
            label="Discard it"
            title="Discard what is not saved?"
            confirm="Discard"
            busy="Discarding…"
            onConfirm={async () => startAfresh()}
          >
            <p>The last {inWords(unsavedMs)} are nowhere else.</p>
          </ConfirmButton>
        ) : (
          <Button
            onPress={() => {
              startAfresh();
              focusPageTitle();
            }}
          >
            Record anew
          </Button>
        )}
      </div>
    </section>
  );
}
