import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { assignableQuery, labelsQuery } from '../quick-add/queries.ts';
import { useIdentity } from '../session/session.ts';
import { todoListsQuery, type View, viewsQuery } from '../todo-common/queries.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Loaded } from '../ui/card.tsx';
import { Icon } from '../ui/icons.tsx';
import { Page } from '../ui/page.tsx';
import { useFilter } from './page-filter.ts';
import { NoTodos, TodosAt, toAllTodos, useIsElsewhere } from './todos-page.tsx';
import type { FilterOfPage } from './use-filter.ts';

/** Page `/views/:viewId`: the todos that a saved view shows. */
export function ViewPage() {
  const { viewId } = useParams();
  const { workspace } = useIdentity();
  const views = useQuery(viewsQuery(workspace.id));
  const view = views.data?.find(({ id }) => id === viewId);
  const isElsewhere = useIsElsewhere(view !== undefined, views.data !== undefined && !view);
  if (isElsewhere) return toAllTodos;
  if (view) return <TodosOfView key={view.id} view={view} />;
  if (!views.data) {
    return (
      <Page title="View">
        <Loaded query={views} what="the view">
          {() => null}
        </Loaded>
      </Page>
    );
  }
  return (
    <NoTodos title="View not found" intro="It may be deleted or private, or it belongs to another workspace.">
      <ButtonLink to="/todos">All todos</ButtonLink>
    </NoTodos>
  );
}

function TodosOfView({ view }: { view: View }) {
  const at = useFilter(view);
  return (
    <TodosAt at={at} title={view.icon === null ? view.name : `${view.icon} ${view.name}`} view={view}>
      <Gone at={at} />
    </TodosAt>
  );
}

/** Says what the filter names that is not there any more, and takes it out of the filter. */
function Gone({ at: { filter, change } }: { at: FilterOfPage }) {
  const { workspace } = useIdentity();
  const { todoListId = [], labelId = [], assigneeId = [] } = filter;
  const lists = useQuery({ ...todoListsQuery(workspace.id), enabled: todoListId.length > 0 });
  const labels = useQuery({ ...labelsQuery(workspace.id), enabled: labelId.length > 0 });
  const workers = useQuery({ ...assignableQuery(workspace.id), enabled: assigneeId.some((id) => id !== 'me') });
  const missing = (ids: readonly string[], known: readonly { id: string }[] | undefined) =>
    known ? ids.filter((id) => id !== 'me' && !known.some((each) => each.id === id)) : [];
  const gone = {
    todoListId: missing(todoListId, lists.data),
    labelId: missing(labelId, labels.data),
    assigneeId: missing(assigneeId, workers.data),
  };
  const names = [
    ...(gone.todoListId.length > 0 ? ['a list that is archived or deleted'] : []),
    ...(gone.labelId.length > 0 ? ['a label that is deleted'] : []),
    ...(gone.assigneeId.length > 0 ? ['somebody who cannot be assigned any more'] : []),
  ];
  if (names.length === 0) return null;
  const without = (ids: readonly string[], of: readonly string[]) => {
    const left = ids.filter((id) => !of.includes(id));
    return left.length > 0 ? left : undefined;
  };
  const takeOut = () =>
    change({
      todoListId: without(todoListId, gone.todoListId),
      labelId: without(labelId, gone.labelId),
      assigneeId: without(assigneeId, gone.assigneeId),
    });
  return (
    <div className="callout warn" role="status">
      <Icon name="warning" />
      <div>
        <p className="callout-title">The view names {new Intl.ListFormat('en').format(names)}.</p>
        <Button onPress={takeOut}>Take it out of the filter</Button>
      </div>
    </div>
  );
}
