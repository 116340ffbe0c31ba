import { useEffect, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { addToNote } from '../captures/note-draft.ts';
import { deleteShared, sharedFiles, sharedTexts } from '../offline/shared.ts';
import { useIdentity } from '../session/session.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Pending } from '../ui/card.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';

/** Why nothing of a share is offered, by `?problem=`; the worker and the service write it. */
const problems: Record<string, string> = {
  empty: 'The other app has shared nothing that can be taken: a text, a link, a recording or a transcript.',
  too_large: 'It is too much: at most 20 files of 256 MB together, or a text of 100,000 characters.',
  failed: 'It could not be stored in this browser. Its storage may be disabled or full.',
  no_worker: 'This browser was not ready for it. It is now: share it once more.',
};
const nothing = 'It was taken already, or it is older than an hour.';

/**
 * Moves what was shared into drafts, and returns where they are; null where nothing was shared. A short text becomes
 * the line of a new todo, a longer one a note. Files wait for the person on the page of captures.
 */
async function takeShared(workspaceId: string): Promise<string | null> {
  const [texts, files] = await Promise.all([sharedTexts(), sharedFiles()]);
  let page = files.length > 0 ? '/captures' : null;
  const { addToLineDraft } = await import('./line-draft.ts');
  for (const { key, text } of texts) {
    const isLine = addToLineDraft(workspaceId, text);
    if (!isLine) addToNote(workspaceId, text);
    page ??= isLine ? '/todos#new' : '/captures/new';
    // Stored as a draft first: after a crash between the two it is there twice, and not lost.
    await deleteShared([key]);
  }
  return page;
}

/** One run for a window: React may start an effect twice. */
let taking: Promise<string | null> | undefined;

/** Page `/share`: takes what another application has shared, and leads to the form that it is a draft in. */
export function SharePage() {
  const { workspace } = useIdentity();
  const navigate = useNavigate();
  const notify = useNotice();
  const [search] = useSearchParams();
  const problem = search.get('problem');
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (problem !== null) return;
    taking ??= takeShared(workspace.id).finally(() => {
      taking = undefined;
    });
    taking.then(
      (page) => {
        if (page === null) return setOver(true);
        notify('This was shared from another app. Nothing is saved until you add it.');
        void navigate(page, { replace: true });
      },
      () => setOver(true),
    );
  }, [problem, workspace.id, navigate, notify]);
  if (problem === null && !isOver) return <Pending what="what was shared" isPaused={false} />;
  return (
    <Page title="Nothing to add" intro={problems[problem ?? ''] ?? nothing}>
      <div className="form-actions">
        <ButtonLink to="/todos#new" kind="primary">
          New todo
        </ButtonLink>
        <ButtonLink to="/captures">Captures</ButtonLink>
      </div>
    </Page>
  );
}
