import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect, useRef, useState } from 'react';
import { readAgain } from '../api/queries.ts';
import { sharedFiles } from '../offline/shared.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { acceptedFiles } from './import-files.ts';
import { addImports, useImports } from './import-queue.ts';

const ImportsCard = lazyPart(() => import('./imports-card.tsx').then(({ ImportsCard }) => ImportsCard));

/** The button that opens the file picker. */
export function ImportButton() {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button onPress={() => input.current?.click()}>
        <Icon name="plus" />
        Import files
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={acceptedFiles}
        aria-label="Files to import"
        onChange={({ target }) => {
          addImports(
            [...(target.files ?? [])].map((file) => ({ file })),
            'waiting',
          );
          // The same file can be chosen again.
          target.value = '';
        }}
      />
    </>
  );
}

/** Whether files are dragged over the window. Dropped ones are imported; without this the browser would open them. */
function useDroppedFiles(): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const drag = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(event.type === 'dragover');
      if (event.type !== 'drop') return;
      addImports(
        [...event.dataTransfer.files].map((file) => ({ file })),
        'waiting',
      );
    };
    // Also when the pointer leaves one element for another; the next `dragover` follows within a moment.
    const names = ['dragover', 'dragleave', 'drop'] as const;
    for (const name of names) addEventListener(name, drag);
    return () => {
      for (const name of names) removeEventListener(name, drag);
    };
  }, []);
  return isOver;
}

/** The files that are imported, and where they can be dropped. */
export function ImportPanel() {
  const imports = useImports();
  const isOver = useDroppedFiles();
  const queryClient = useQueryClient();
  const done = imports.filter(({ state }) => state === 'done').length;
  useEffect(() => {
    void sharedFiles().then(
      (files) => addImports(files, 'offered'),
      // Storage is disabled: nothing was shared.
      () => {},
    );
  }, []);
  useEffect(() => {
    if (done > 0) void readAgain(queryClient, 'captures');
  }, [done, queryClient]);
  return (
    <>
      {isOver && <p className="drop-hint">Drop transcripts (.vtt, .srt, .txt) or recordings to import them.</p>}
      <p className="visually-hidden" role="status">
        {imports.length > 0 && `${done} of ${imports.length} files are imported.`}
      </p>
      {imports.length > 0 && (
        <Suspense>
          <ImportsCard imports={imports} />
        </Suspense>
      )}
    </>
  );
}
