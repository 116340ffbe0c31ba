import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { readAgain } from '../api/queries.ts';
import { deleteShared, sharedFiles } from '../offline/shared.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Icon } from '../ui/icons.tsx';
import { Badge, Row, Rows } from '../ui/rows.tsx';
import { acceptedFiles } from './import-files.ts';
import { addImports, type Import, type ImportState, removeImports, startImports, useImports } from './import-queue.ts';

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

const badges: Record<ImportState, { text: string; tone: 'plain' | 'good' | 'warn' | 'bad' }> = {
  offered: { text: 'Shared', tone: 'warn' },
  waiting: { text: 'Waiting', tone: 'plain' },
  working: { text: 'Importing', tone: 'plain' },
  done: { text: 'Imported', tone: 'good' },
  failed: { text: 'Not imported', tone: 'bad' },
};
/** Of a recording that is longer than the service allows, or that was cut off. */
const inPart = { text: 'Imported in part', tone: 'warn' } as const;

const keysOf = (imports: readonly Import[]) => imports.map(({ key }) => key);

/** The files that are imported, and where they can be dropped. */
export function ImportPanel() {
  const imports = useImports();
  const isOver = useDroppedFiles();
  const queryClient = useQueryClient();
  const done = imports.filter(({ state }) => state === 'done').length;
  const offered = imports.filter(({ state }) => state === 'offered');
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
  const remove = (which: readonly Import[]) => {
    removeImports(keysOf(which));
    void deleteShared(keysOf(which));
  };
  const isAllOver = imports.every(({ state }) => state === 'done' || state === 'failed');
  return (
    <>
      {isOver && <p className="drop-hint">Drop transcripts (.vtt, .srt, .txt) or recordings to import them.</p>}
      <p className="visually-hidden" role="status">
        {imports.length > 0 && `${done} of ${imports.length} files are imported.`}
      </p>
      {imports.length > 0 && (
        <Card
          title="Imports"
          intro={
            offered.length > 0 && 'These files were shared from another app. Nothing is saved until you import them.'
          }
          actions={
            <>
              {offered.length > 0 && (
                <Button kind="primary" onPress={() => startImports(keysOf(offered))}>
                  {offered.length === 1 ? 'Import it' : `Import ${offered.length} files`}
                </Button>
              )}
              {isAllOver && <Button onPress={() => remove(imports)}>Clear</Button>}
            </>
          }
        >
          <Rows label="Imports">
            {imports.map((one) => (
              <ImportRow key={one.key} one={one} onRemove={() => remove([one])} />
            ))}
          </Rows>
        </Card>
      )}
    </>
  );
}

function ImportRow({ one: { key, file, state, progress, problem, captureId }, onRemove }: ImportRowProps) {
  const { text, tone } = state === 'done' && problem !== null ? inPart : badges[state];
  return (
    <Row
      title={captureId === null ? file.name : <Link to={`/captures/${captureId}`}>{file.name}</Link>}
      badges={
        <Badge tone={tone}>{progress > 0 && state === 'working' ? `${Math.floor(progress * 100)} %` : text}</Badge>
      }
      detail={problem !== null && <p role="alert">{problem}</p>}
      actions={
        <>
          {state === 'failed' && (
            <Button kind="quiet" aria-label={`Try again: ${file.name}`} onPress={() => startImports([key])}>
              Try again
            </Button>
          )}
          {state !== 'working' && (
            <Button kind="quiet" aria-label={`Remove from the list: ${file.name}`} onPress={onRemove}>
              <Icon name="close" />
            </Button>
          )}
        </>
      }
    />
  );
}

interface ImportRowProps {
  one: Import;
  onRemove: () => void;
}
