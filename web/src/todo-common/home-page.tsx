import { useEffect, useState } from 'react';
import { Navigate, useLocation, useNavigate } from 'react-router';
import { useIdentity } from '../session/session.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Card, Loaded } from '../ui/card.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { Badge } from '../ui/rows.tsx';
import { AskAssistant } from './ask-assistant.tsx';
import { hideSteps, keepSteps, useSteps } from './first-steps.ts';
import { lastPage } from './last-page.ts';
import { NewTodo } from './new-todo.tsx';

/**
 * Page `/`: goes on with the list page that was used last. In a new workspace, and with `#steps`, it shows how to
 * begin.
 */
export function HomePage() {
  const { workspace } = useIdentity();
  const last = lastPage(workspace.id);
  const isAsked = useLocation().hash === '#steps';
  if (!isAsked && last !== null) return <Navigate to={last} replace />;
  return <FirstVisit workspaceId={workspace.id} isAsked={isAsked} />;
}

/** A person who comes with a new browser is not new: there are todos or chats then. */
function FirstVisit({ workspaceId, isAsked }: { workspaceId: string; isAsked: boolean }) {
  const steps = useSteps(workspaceId);
  const unread = steps.find(({ data }) => data === undefined);
  const [hasTodo, hasChat] = steps.map(({ data }) => data);
  // What is done while the steps are shown ticks them.
  const [isShown, setShown] = useState(isAsked);
  const isNew = hasTodo === false && hasChat === false;
  if (isNew && !isShown) setShown(true);
  if (!unread && !isNew && !isShown && !isAsked) return <Navigate to="/todos" replace />;
  if (unread) {
    return (
      <Page title="Your work">
        <Loaded query={unread} what="your work">
          {() => null}
        </Loaded>
      </Page>
    );
  }
  return <Welcome steps={steps.map(({ data }) => data === true)} />;
}

function Welcome({ steps }: { steps: readonly boolean[] }) {
  const { workspace, user } = useIdentity();
  const navigate = useNavigate();
  const notify = useNotice();
  const areAllDone = steps.every((isDone) => isDone);
  useEffect(() => keepSteps(workspace.id), [workspace.id]);
  const hide = () => {
    hideSteps(workspace.id);
    notify('The first steps are hidden.');
    void navigate('/todos', { replace: true });
  };
  const tick = (place: number) => steps[place] && <Badge tone="good">Done</Badge>;
  return (
    <Page
      title="Welcome"
      intro={
        areAllDone
          ? `${user.name}, all three steps are done.`
          : `${user.name}, these are three steps to begin in ${workspace.name}.`
      }
    >
      <Card title="1. Write your first todo" intro="Anything that you or an agent will do." actions={tick(0)}>
        <NewTodo />
      </Card>
      <Card
        title="2. Let the Assistant do one"
        intro="Such as: Create a todo: call the bank tomorrow, urgent"
        actions={tick(1)}
      >
        <AskAssistant />
      </Card>
      <Card
        title="3. Connect what you use"
        intro="Assistants connect over MCP, programs with an API key, the shell with the command-line client."
        actions={tick(2)}
      >
        <div className="form-actions">
          <ButtonLink to="/settings/connected-apps">Connect an assistant</ButtonLink>
          <ButtonLink to="/settings/api-keys/new">Create an API key</ButtonLink>
          <a className="button secondary" href="/docs">
            Read the guides
          </a>
        </div>
      </Card>
      <div className="form-actions">
        <ButtonLink to="/todos" kind="quiet">
          {areAllDone ? 'Go to the todos' : 'Skip to the todos'}
        </ButtonLink>
        {!areAllDone && (
          <Button kind="quiet" onPress={hide}>
            Hide these steps
          </Button>
        )}
      </div>
    </Page>
  );
}
