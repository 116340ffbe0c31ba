import { useQuery } from '@tanstack/react-query';
import { type Identity, workspacesQuery } from '../api/queries.ts';
import { useSwitching } from '../session/session.ts';
import { Button } from '../ui/button.tsx';

/**
 * Links in emails (`?workspace=`) may lead to a page of another workspace than the one that is open: offers to switch.
 */
export function OtherWorkspace({ workspace, named }: Pick<Identity, 'workspace'> & { named: string }) {
  const workspaces = useQuery(workspacesQuery);
  const switching = useSwitching();
  const wanted = workspaces.data?.data.find(({ id }) => id === named && id !== workspace.id);
  if (!wanted) return null;
  return (
    <aside className="callout good banner" aria-label="Another workspace">
      <div>
        <p className="callout-title">The email was about {wanted.name}.</p>
        <Button isBusy={switching.isPending} onPress={() => switching.mutate(wanted.id)}>
          Switch to {wanted.name}
        </Button>
      </div>
    </aside>
  );
}
