import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { problemOf } from '../api/client.ts';
import { useIdentity } from '../session/session.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Card, Loaded } from '../ui/card.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icons.tsx';
import { PageTitle } from '../ui/page.tsx';
import { CaptureHead } from './capture-head.tsx';
import { CaptureNotes } from './capture-notes.tsx';
import { CaptureProgress } from './capture-progress.tsx';
import { CaptureTodos } from './capture-todos.tsx';
import { Markdown } from './markdown.tsx';
import { NoteText } from './note-text.tsx';
import { Player } from './player.tsx';
import { type Capture, captureQuery } from './queries.ts';
import { Transcript } from './transcript.tsx';

/** Page of one capture. */
export function CapturePage() {
  const { captureId = '' } = useParams();
  const { workspace } = useIdentity();
  const capture = useQuery(captureQuery(workspace.id, captureId));
  const isMissing = capture.error !== null && [400, 404].includes(problemOf(capture.error).status);
  return (
    <div className="capture">
      <Link to="/captures" className="back">
        <Icon name="back" />
        Captures
      </Link>
      {isMissing ? (
        <Missing />
      ) : (
        <>
          {!capture.data && <PageTitle title="Capture" />}
          <Loaded query={capture} what="the capture">
            {(data) => <Shown capture={data} />}
          </Loaded>
        </>
      )}
    </div>
  );
}

function Missing() {
  return (
    <>
      <PageTitle title="Capture not found" />
      <p className="muted">It may have been erased, or it belongs to another workspace.</p>
      <div>
        <ButtonLink to="/captures">All captures</ButtonLink>
      </div>
    </>
  );
}

function Shown({ capture }: { capture: Capture }) {
  const { id, type, status, summary, content, transcript, mediaUrl } = capture;
  return (
    <div className="page-parts" key={id}>
      <CaptureHead capture={capture} />
      <CaptureProgress capture={capture} />
      {mediaUrl !== null && (
        <Player
          captureId={id}
          mediaUrl={mediaUrl}
          intro={status === 'completed' && transcript === null && 'It has no transcript.'}
        />
      )}
      {summary !== null && summary.trim() !== content?.trim() && (
        <Card title="Summary" actions={<CopyButton kind="quiet" text={summary} label="Copy" what="The summary is" />}>
          <Markdown text={summary} />
        </Card>
      )}
      <CaptureTodos capture={capture} />
      {type === 'note' && <NoteText capture={capture} />}
      {(type === 'recording' || capture.notes !== null) && <CaptureNotes capture={capture} />}
      {transcript !== null && <Transcript text={transcript} />}
    </div>
  );
}
