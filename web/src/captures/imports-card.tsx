import { Link } from 'react-router';
import { deleteShared } from '../offline/shared.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Icon } from '../ui/icons.tsx';
import { Badge, Row, Rows } from '../ui/rows.tsx';
import { type Import, type ImportState, removeImports, startImports } from './import-queue.ts';

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

/** The files that are imported, with how far each is. */
export function ImportsCard({ imports }: { imports: readonly Import[] }) {
  const offered = imports.filter(({ state }) => state === 'offered');
  const remove = (which: readonly Import[]) => {
    removeImports(keysOf(which));
    void deleteShared(keysOf(which));
  };
  const isAllOver = imports.every(({ state }) => state === 'done' || state === 'failed');
  return (
    <Card
      title="Imports"
      intro={offered.length > 0 && 'These files were shared from another app. Nothing is saved until you import them.'}
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
  );
}

function ImportRow({ one: { key, file, state, progress, problem, captureId }, onRemove }: ImportRowProps) {
  const { text, tone } = state === 'done' && problem !== null ? inPart : badges[state];
  return (
    <Row
      title={
        captureId === null || state !== 'done' ? file.name : <Link to={`/captures/${captureId}`}>{file.name}</Link>
      }
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
