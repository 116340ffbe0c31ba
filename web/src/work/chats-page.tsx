import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Checkbox } from 'react-aria-components';
import { Link } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Card, Empty, Loaded } from '../ui/card.tsx';
import { Tick } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';
import { AskAssistant } from './ask-assistant.tsx';
import { StatusBadge } from './chat-parts.tsx';
import { assistantQuery, chatsQuery } from './queries.ts';

/** Page `/chats`: starts a chat with the Assistant, and lists the latest ones. */
export function ChatsPage() {
  const { workspace } = useIdentity();
  const chats = useInfiniteQuery(chatsQuery(workspace.id));
  const rows = chats.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Page title="Chats" intro={`Conversations with agents in ${workspace.name}, and approvals that agents request.`}>
      <Card title="Ask the Assistant" intro="Such as: Create a todo: call the bank tomorrow, urgent">
        <AskAssistant />
        <AsksFirst />
      </Card>
      <section className="card">
        <Loaded query={chats} what="the chats">
          {() =>
            rows.length === 0 ? (
              <Empty title="No chats yet" />
            ) : (
              <Rows label="Chats">
                {rows.map((chat) => (
                  <Row
                    key={chat.id}
                    title={<Link to={`/chats/${chat.id}`}>{chat.title ?? 'New chat'}</Link>}
                    badges={<StatusBadge status={chat.status} />}
                    detail={chat.subtitle}
                    facts={[<Ago key="at" at={chat.lastMessageAt ?? chat.createdAt} />]}
                  />
                ))}
              </Rows>
            )
          }
        </Loaded>
        {chats.hasNextPage && (
          <Button isBusy={chats.isFetchingNextPage} onPress={() => void chats.fetchNextPage()}>
            {chats.isFetchingNextPage ? 'Loading…' : 'Show older ones'}
          </Button>
        )}
      </section>
    </Page>
  );
}

/** Whether the Assistant needs an approval for its changes. */
function AsksFirst() {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  const notify = useNotice();
  const assistant = useQuery(assistantQuery(workspace.id));
  const changing = useMutation({
    mutationFn: ({ agentId, requiresApproval }: { agentId: string; requiresApproval: boolean }) =>
      api.agents.update.mutate({ agentId, requiresApproval }),
    onSuccess: async ({ name, requiresApproval }) => {
      await readAgain(queryClient, 'agents');
      notify(requiresApproval ? `${name} asks before it changes anything.` : `${name} makes changes without asking.`);
    },
    onError: (error) => notify(problemOf(error).message),
  });
  if (!assistant.data) return null;
  const { id: agentId, name, requiresApproval } = assistant.data;
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
