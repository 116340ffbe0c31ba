import { useMutation, useQuery } from '@tanstack/react-query';
import { Button as AriaButton, Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from 'react-aria-components';
import { Link, useNavigate } from 'react-router';
import { problemOf } from '../api/client.ts';
import { type Identity, workspacesQuery } from '../api/queries.ts';
import { useSignOut, useSwitchWorkspace } from '../api/sessions.ts';
import { CaptureLinks } from '../captures/capture-links.tsx';
import { Bell } from '../notifications/bell.tsx';
import { Icon, Mark } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';

export function TopBar({ identity }: { identity: Identity | undefined }) {
  return (
    <header className="top-bar">
      <Link to="/settings" className="home" aria-label="Tandem, settings">
        <Mark />
        <span className="wordmark">Tandem</span>
      </Link>
      {identity && <WorkspaceMenu identity={identity} />}
      <span className="spacer" />
      {identity && <CaptureLinks />}
      {identity && <Bell workspaceId={identity.workspace.id} />}
      {identity && <AccountMenu identity={identity} />}
    </header>
  );
}

function WorkspaceMenu({ identity: { workspace } }: { identity: Identity }) {
  const workspaces = useQuery(workspacesQuery);
  const switchWorkspace = useSwitchWorkspace();
  const navigate = useNavigate();
  const tell = useNotice();
  const switching = useMutation({
    mutationFn: switchWorkspace,
    onSuccess: (name) => tell(`You are in ${name} now.`),
    onError: (error) => tell(problemOf(error).message),
  });
  const choose = (id: string) => {
    if (id === 'manage') void navigate('/settings/workspace');
    else if (id !== workspace.id) switching.mutate(id);
  };
  return (
    <MenuTrigger>
      <AriaButton className="menu-button" aria-label={`Workspace: ${workspace.name}`}>
        <span className="menu-label">{workspace.name}</span>
        <Icon name="down" />
      </AriaButton>
      <Popover className="popover" placement="bottom start">
        <Menu className="options" onAction={(id) => choose(String(id))}>
          <MenuSection selectionMode="single" disallowEmptySelection selectedKeys={[workspace.id]}>
            <Header className="option-header">Your workspaces</Header>
            {(workspaces.data?.data ?? [workspace]).map(({ id, name }) => (
              <MenuItem key={id} id={id} className="option" textValue={name}>
                <span>{name}</span>
                {id === workspace.id && <Icon name="check" />}
              </MenuItem>
            ))}
          </MenuSection>
          <MenuItem id="manage" className="option separated">
            Manage workspaces
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

function AccountMenu({ identity: { user } }: { identity: Identity }) {
  const signOut = useSignOut();
  const navigate = useNavigate();
  const tell = useNotice();
  const leaving = useMutation({
    mutationFn: () => signOut(),
    onError: (error) => tell(problemOf(error).message),
  });
  return (
    <MenuTrigger>
      <AriaButton className="menu-button" aria-label={`Account: ${user.name}`}>
        <Icon name="person" />
        <span className="menu-label account-name">{user.name}</span>
      </AriaButton>
      <Popover className="popover" placement="bottom end">
        <Menu
          className="options"
          onAction={(id) => (id === 'sign-out' ? leaving.mutate() : void navigate('/settings/sessions'))}
        >
          <MenuSection>
            <Header className="option-header">
              {user.name}
              <span className="block">{user.email}</span>
            </Header>
            <MenuItem id="sessions" className="option">
              Sign-in and sessions
            </MenuItem>
            <MenuItem id="sign-out" className="option">
              Sign out
            </MenuItem>
          </MenuSection>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
