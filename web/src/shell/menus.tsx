import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { type Identity, workspacesQuery } from '../api/queries.ts';
import { useSwitching } from '../session/session.ts';
import { Icon } from '../ui/icons.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { useCommandContext } from './command-context.ts';

/** The menu that switches the workspace. */
export function WorkspaceMenu({ identity: { workspace } }: { identity: Identity }) {
  const workspaces = useQuery({ ...workspacesQuery, enabled: false });
  const navigate = useNavigate();
  const switching = useSwitching();
  const choose = (id: string) => {
    if (id === 'manage') void navigate('/settings/workspace');
    else if (id !== workspace.id) switching.mutate(id);
  };
  return (
    <MenuButton
      label={`Workspace: ${workspace.name}`}
      className="menu-button workspace-button"
      heading="Your workspaces"
      choices={(workspaces.data?.data ?? [workspace]).map(({ id, name }) => ({
        id,
        label: name,
        isChecked: id === workspace.id,
      }))}
      entries={[{ id: 'manage', label: 'Manage workspaces' }]}
      onChoose={choose}
      onOpen={() => void workspaces.refetch()}
    >
      <span className="workspace-mark" aria-hidden="true">
        {[...workspace.name.trim()][0]?.toUpperCase() ?? '?'}
      </span>
      <span className="menu-label">{workspace.name}</span>
      <Icon name="down" />
    </MenuButton>
  );
}

/** The menu of the signed-in person. */
export function AccountMenu({ identity: { user } }: { identity: Identity }) {
  const navigate = useNavigate();
  const { signOut } = useCommandContext();
  return (
    <MenuButton
      label={`Account: ${user.name}`}
      className="menu-button account-button"
      heading={
        <>
          {user.name}
          <span className="block">{user.email}</span>
        </>
      }
      entries={[
        { id: '/settings/profile', label: 'Profile' },
        { id: '/settings/appearance', label: 'Appearance' },
        { id: '/settings/sessions', label: 'Sign-in and sessions' },
        { id: 'sign-out', label: 'Sign out' },
      ]}
      onChoose={(id) => (id === 'sign-out' ? signOut() : void navigate(id))}
    >
      <Icon name="person" />
      <span className="menu-label">{user.name}</span>
    </MenuButton>
  );
}
