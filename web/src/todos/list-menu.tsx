import { type ReactNode, useState } from 'react';
import { useArchiveList } from '../lists/use-archive.ts';
import type { TodoList } from '../todo-common/queries.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { lazyOverlay } from '../ui/lazy-overlay.tsx';

const ListDialog = lazyOverlay(() => import('../lists/list-dialog.tsx').then(({ ListDialog }) => ListDialog));

interface ListMenu {
  entries: readonly { id: string; label: string }[];
  choose: (id: string) => void;
  /** What an entry has opened. */
  dialog: ReactNode;
}

/** What the menu of a page offers for the list whose page it is; nothing without one. */
export function useListMenu(list: TodoList | undefined): ListMenu {
  const [isNaming, setNaming] = useState(false);
  const archive = useArchiveList(list ?? { id: '', name: '' });
  if (!list) return { entries: [], choose: () => {}, dialog: null };
  const { isArchived, isDefault } = list;
  return {
    entries: [
      { id: 'rename', label: 'Rename…' },
      ...(isDefault ? [] : [{ id: 'archive', label: isArchived ? 'Restore the list' : 'Archive the list' }]),
    ],
    choose: (id) => (id === 'rename' ? setNaming(true) : archive.mutate(!isArchived)),
    dialog: isNaming && <ListDialog list={list} close={() => setNaming(false)} />,
  };
}

/** Says on the page of an archived list that it is one, and restores it. */
export function ArchivedList({ list }: { list: TodoList }) {
  const archive = useArchiveList(list);
  return (
    <div className="callout warn" role="status">
      <Icon name="warning" />
      <div>
        <p className="callout-title">This list is archived.</p>
        <Button isBusy={archive.isPending} onPress={() => archive.mutate(false)}>
          Restore the list
        </Button>
      </div>
    </div>
  );
}
