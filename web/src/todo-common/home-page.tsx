import { useQuery } from '@tanstack/react-query';
import { Navigate } from 'react-router';
import { api } from '../api/client.ts';
import { useIdentity } from '../session/session.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Card, Loaded } from '../ui/card.tsx';
import { Page } from '../ui/page.tsx';
import { AskAssistant } from './ask-assistant.tsx';
import { lastPage } from './last-page.ts';
import { NewTodo } from './new-todo.tsx';

/** Page `/`: goes on with the list page that was used last; in a new workspace it shows how to begin. */
export function HomePage() {
  const { workspace } = useIdentity();
  const last = lastPage(workspace.id);
  return last === null ? <FirstVisit workspaceId={workspace.id} /> : <Navigate to={last} replace />;
}

/** A person who comes with a new browser is not new: there are todos or chats then. */
function FirstVisit({ workspaceId }: { workspaceId: string }) {
  const begun = useQuery({
    queryKey: ['todos', workspaceId, 'begun'],
    queryFn: async ({ signal }) => {
      const [todos, chats] = await Promise.all([
        api.todos.list.query({ limit: 1 }, { signal }),
        api.chats.list.query({ limit: 1 }, { signal }),
      ]);
      return todos.data.length + chats.data.length > 0;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (begun.data === true) return <Navigate to="/todos" replace />;
  if (begun.data === undefined) {
    return (
      <Page title="Your work">
        <Loaded query={begun} what="your work">
          {() => null}
        </Loaded>
      </Page>
    );
  }
  return <Welcome />;
}

function Welcome() {
  const { workspace, user } = useIdentity();
  return (
    <Page title="Welcome" intro={`${user.name}, these are three steps to begin in ${workspace.name}.`}>
      <Card title="1. Write your first todo" intro="Anything that you or an agent will do.">
        <NewTodo />
      </Card>
      <Card title="2. Let the Assistant do one" intro="Such as: Create a todo: call the bank tomorrow, urgent">
        <AskAssistant />
      </Card>
      <Card
        title="3. Connect what you use"
        intro="Assistants connect over MCP, programs with an API key, the shell with the command-line client."
      >
        <div className="form-actions">
          <ButtonLink to="/settings/connected-apps">Connect an assistant</ButtonLink>
          <ButtonLink to="/settings/api-keys/new">Create an API key</ButtonLink>
          <a className="button secondary" href="/docs">
            Read the guides
          </a>
        </div>
      </Card>
      <p>
        <ButtonLink to="/todos" kind="quiet">
          Skip to the todos
        </ButtonLink>
      </p>
    </Page>
  );
}
