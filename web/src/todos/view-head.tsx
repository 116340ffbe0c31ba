import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { type TodoList, type View, viewsQuery } from '../todo-common/queries.ts';
import { Button } from '../ui/button.tsx';
import { copyText } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icons.tsx';
import { lazyOverlay } from '../ui/lazy-overlay.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { useNotice } from '../ui/notice.tsx';
import { curlOf, isNarrowed, type Listing } from './filter.ts';
import { useListMenu } from './list-menu.tsx';
import { filterOfView, isSameFilter, queryOf } from './saved-filter.ts';
import type { FilterOfPage } from './use-filter.ts';

const ViewDialog = lazyOverlay(() => import('../views/view-dialog.tsx').then(({ ViewDialog }) => ViewDialog));
const DeleteView = lazyOverlay(() => import('../views/view-dialog.tsx').then(({ DeleteView }) => DeleteView));

/** Whether a person may change a view: its owner, and of a shared one the owners of the workspace. */
function useMayChange(view: View | undefined): boolean {
  const { user } = useIdentity();
  return view !== undefined && (view.userId === user.id || user.role === 'owner');
}

/** Saves the filter of the list as a view, or in the view whose page it is. */
export function SaveView({ at, view }: { at: FilterOfPage; view: View | undefined }) {
  const { place, filter } = at;
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const notify = useNotice();
  const mayChange = useMayChange(view);
  const [isOpen, setOpen] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const query = queryOf(place, filter);
  const isChanged = view ? !isSameFilter(filter, filterOfView(view)) : isNarrowed(filter) || filter.sort !== undefined;
  if (query === undefined || !isChanged) return null;
  const update = async (viewId: string) => {
    const { href } = location;
    setSaving(true);
    try {
      const { name } = await api.views.update.mutate({ viewId, query });
      await readAgain(queryClient, 'views');
      notify(`The view “${name}” is updated.`);
      // Not where the person has gone on, or has changed the filter.
      if (location.href === href) void navigate(`/views/${viewId}`, { replace: true });
    } catch (error) {
      notify(problemOf(error).message);
    } finally {
      setSaving(false);
    }
  };
  return (
    <span className="view-save">
      {view && mayChange && (
        <Button kind="quiet" isBusy={isSaving} onPress={() => void update(view.id)}>
          Update view
        </Button>
      )}
      <Button kind="quiet" aria-haspopup="dialog" aria-expanded={isOpen} onPress={() => setOpen(true)}>
        Save as view
      </Button>
      {isOpen && (
        <ViewDialog
          query={query}
          onSaved={({ id, name }) => {
            notify(`The view “${name}” is saved.`);
            void navigate(`/views/${id}`);
          }}
          close={() => setOpen(false)}
        />
      )}
    </span>
  );
}

interface PageMenuProps {
  listing: Listing;
  view: View | undefined;
  list: TodoList | undefined;
}

/**
 * The menu of the page: the list as a request of the API, and what can be done with the view or list whose page it is.
 */
export function PageMenu({ listing, view, list }: PageMenuProps) {
  const notify = useNotice();
  const ofList = useListMenu(list);
  const mayChange = useMayChange(view);
  const [asked, setAsked] = useState<'change' | 'delete' | null>(null);
  const move = useMove(view);
  const copy = async () => {
    const isCopied = await copyText(curlOf(location.origin, listing));
    notify(
      isCopied
        ? 'The request is copied. It reads the API key from TANDEM_API_KEY.'
        : 'The browser did not allow copying.',
    );
  };
  const choose = (id: string) => {
    if (id === 'curl') void copy();
    else if (id === 'change' || id === 'delete') setAsked(id);
    else if (id === 'up' || id === 'down') void move.to(id === 'up' ? -1 : 1);
    else ofList.choose(id);
  };
  return (
    <>
      <MenuButton
        label="More"
        className="menu-button icon-button"
        heading={view ? 'This view' : 'This list'}
        entries={[
          ...(mayChange ? [{ id: 'change', label: 'Rename or share…' }] : []),
          ...(mayChange && move.isPossible(-1) ? [{ id: 'up', label: 'Move up in the sidebar' }] : []),
          ...(mayChange && move.isPossible(1) ? [{ id: 'down', label: 'Move down in the sidebar' }] : []),
          ...(mayChange ? [{ id: 'delete', label: 'Delete the view…' }] : []),
          ...ofList.entries,
          { id: 'curl', label: 'Copy as curl' },
        ]}
        onChoose={choose}
      >
        <Icon name="more" />
      </MenuButton>
      {ofList.dialog}
      {view && asked === 'change' && (
        <ViewDialog view={view} query={view.query} onSaved={() => {}} close={() => setAsked(null)} />
      )}
      {view && asked === 'delete' && <DeleteView view={view} close={() => setAsked(null)} />}
    </>
  );
}

/** Moves a view among those of its kind, which the sidebar shows together. */
function useMove(view: View | undefined) {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  const notify = useNotice();
  const views = useQuery(viewsQuery(workspace.id)).data ?? [];
  const order = views.filter(({ isShared }) => isShared === view?.isShared).map(({ id }) => id);
  const place = view ? order.indexOf(view.id) : -1;
  const isPossible = (by: 1 | -1) => place >= 0 && order[place + by] !== undefined;
  const to = async (by: 1 | -1) => {
    if (!view || !isPossible(by)) return;
    const afterViewId = by === 1 ? order[place + 1] : order[place - 2];
    try {
      await api.views.update.mutate({ viewId: view.id, afterViewId: afterViewId ?? null });
      await readAgain(queryClient, 'views');
      notify(`The view “${view.name}” is moved ${by === 1 ? 'down' : 'up'}.`);
    } catch (error) {
      notify(problemOf(error).message);
    }
  };
  return { isPossible, to };
}
