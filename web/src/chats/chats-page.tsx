import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Checkbox } from 'react-aria-components';
import { Link, useLocation, useNavigate } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { type Agent, agentsQuery } from '../todo-common/queries.ts';
import { Card, Empty, Loaded } from '../ui/card.tsx';
import { Tick } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { Badge, OlderRows, Row, Rows } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';
import { ChatActions } from './chat-head.tsx';
import { NewChat } from './new-chat.tsx';
import { agentOf, type Chat, type ChatFilter, type ChatStatus, chatFilterIn, chatsQuery, statuses } from './queries.ts';
import { StatusBadge, statusText } from './status.tsx';

/** Page `/chats`: starts a chat with an agent, and lists the latest ones. */
export function ChatsPage() {
  const { workspace } = useIdentity();
  const { search } = useLocation();
  const filter = chatFilterIn(search);
  const chats = useInfiniteQuery(chatsQuery(workspace.id, filter));
  const agents = useQuery(agentsQuery(workspace.id)).data;
  const rows = chats.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Page title="Chats" intro={`Conversations with agents in ${workspace.name}, and approvals that agents request.`}>
      <Card title="Ask an agent" intro="Such as: Create a todo: call the bank tomorrow, urgent">
        <NewChat />
        <AsksFirst agents={agents} />
      </Card>
      <section className="card" aria-label="Chats" aria-busy={chats.isPlaceholderData}>
        <Filters filter={filter} />
        <Loaded query={chats} what="the chats">
          {() =>
            rows.length === 0 ? (
              <NoChats filter={filter} />
            ) : (
              <Rows label="Chats">
                {rows.map((chat) => (
                  <ChatEntry key={chat.id} chat={chat} agent={agentOf(chat, agents)} />
                ))}
              </Rows>
            )
          }
        </Loaded>
        <OlderRows query={chats} />
      </section>
    </Page>
  );
}

function Filters({ filter }: { filter: ChatFilter }) {
  const navigate = useNavigate();
  const change = (changes: Partial<ChatFilter>) => {
    const { status, includeArchived } = { ...filter, ...changes };
    const parameters = new URLSearchParams();
    if (status) parameters.set('status', status);
    if (includeArchived) parameters.set('includeArchived', 'true');
    void navigate({ search: parameters.toString() }, { state: { isFilter: true } });
  };
  return (
    <search className="chat-filters">
      <select
        className="input"
        aria-label="State"
        value={filter.status ?? ''}
        onChange={({ target }) => change({ status: target.value === '' ? null : (target.value as ChatStatus) })}
      >
        <option value="">All states</option>
        {statuses.map((status) => (
          <option key={status} value={status}>
            {statusText(status)}
          </option>
        ))}
      </select>
      <Checkbox
        className="choice inline"
        isSelected={filter.includeArchived}
        onChange={(includeArchived) => change({ includeArchived })}
      >
        <Tick />
        Archived ones too
      </Checkbox>
    </search>
  );
}

function NoChats({ filter }: { filter: ChatFilter }) {
  if (filter.status === null) return <Empty title="No chats yet">Ask an agent, and the conversation is here.</Empty>;
  return <Empty title="No chats in this state">Choose another state, or all of them.</Empty>;
}

function ChatEntry({ chat, agent }: { chat: Chat; agent: Agent | undefined }) {
  const { id, title, status, subtitle, todoId, isArchived, lastMessageAt, createdAt } = chat;
  return (
    <Row
      title={<Link to={`/chats/${id}`}>{title ?? 'New chat'}</Link>}
      badges={
        <>
          <StatusBadge status={status} />
          {isArchived && <Badge>Archived</Badge>}
        </>
      }
      detail={subtitle}
      facts={[
        ...(agent ? [agent.name] : []),
        ...(todoId === null
          ? []
          : [
              <Link key="todo" to={`/todos/${todoId}`}>
                Its todo
              </Link>,
            ]),
        <Ago key="at" at={lastMessageAt ?? createdAt} />,
      ]}
      actions={<ChatActions chat={chat} />}
    />
  );
}

/** Whether the Assistant needs an approval for its changes. */
function AsksFirst({ agents }: { agents: readonly Agent[] | undefined }) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const changing = useMutation({
    mutationFn: ({ agentId, requiresApproval }: { agentId: string; requiresApproval: boolean }) =>
      api.agents.update.mutate({ agentId, requiresApproval }),
    onSuccess: async ({ name, requiresApproval }) => {
      await readAgain(queryClient, 'agents');
      notify(requiresApproval ? `${name} asks before it changes anything.` : `${name} makes changes without asking.`);
    },
    onError: (error) => notify(problemOf(error).message),
  });
  const assistant = agents?.find(({ isDefault }) => isDefault);
  if (!assistant) return null;
  const { id: agentId, name, requiresApproval } = assistant;
  return (
    <Checkbox
      className="choice inline"
      isSelected={changing.isPending ? changing.variables.requiresApproval : requiresApproval}
      onChange={(selected) => !changing.isPending && changing.mutate({ agentId, requiresApproval: selected })}
    >
      <Tick />
      {name} asks a person before it changes anything
    </Checkbox>
  );
}
