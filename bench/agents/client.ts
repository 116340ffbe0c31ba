import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatsOrder, ChatsReport, Turn } from './chats.ts';
import { clockMs, tokenOf } from './tokens.ts';

/* The clients of the agents, a process of their own: each writes in chats, one message after another. */

/** Turns of a chat before its client starts another one. */
const turnsOfAChat = 5;
const waitSeconds = 100;

/** Sends of one request whose answer says that it may be repeated: a disk that stalls is no fault of the service. */
const maxSends = 5;
const pauseMs = 1000;

let turns = 0;
let agent = new Agent({ keepAlive: true });

interface Answer {
  status: number;
  body: { id?: string; status?: string; replies?: unknown[]; retryable?: boolean };
}

function post(url: string, path: string, key: string, body: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = request(`${url}/api/v1${path}`, { agent, method: 'POST', headers });
    sent.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject).on('end', () => {
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text || '{}') as Answer['body'] });
      });
    });
    sent.end(JSON.stringify(body));
  });
}

/** As clients do: an answer 503 that says so is repeated. The time of all of it is the time of the request. */
async function postUntilAnswered(...request: Parameters<typeof post>): Promise<Answer> {
  for (let sends = 1; ; sends++) {
    const answer = await post(...request);
    if (answer.status !== 503 || !answer.body.retryable || sends === maxSends) return answer;
    await sleep(pauseMs);
  }
}

/** One turn, in the chat when there is one; the id of the chat when it went well. */
async function turn(order: ChatsOrder, key: string, chatId: string | undefined, into: Turn[]) {
  const token = tokenOf(turns++);
  const message = `${order.message} ${token}`;
  const path = chatId === undefined ? '/chats' : `/chats/${chatId}/messages`;
  const sentAt = clockMs();
  let fault = '';
  const answer = await postUntilAnswered(order.url, path, key, { message, waitSeconds }).catch((error: unknown) => {
    fault = String(error);
  });
  const answeredAt = clockMs();
  const id = chatId ?? answer?.body.id;
  const replied = chatId === undefined || (answer?.body.replies?.length ?? 0) > 0;
  const ok = (answer?.status === 201 || answer?.status === 202) && answer.body.status === 'completed' && replied;
  if (answer && !ok) fault = `${answer.status} ${JSON.stringify(answer.body).slice(0, 500)}`;
  into.push({ token, chatId: id, sentAt, answeredAt, answeredOn: Date.now(), ok, ...(!ok && { fault }) });
  return ok ? id : undefined;
}

/** Keeps `inFlight` turns at work for `seconds`, or until `turns` were made. */
async function converse(order: ChatsOrder): Promise<Turn[]> {
  const { keys, inFlight, seconds = Number.POSITIVE_INFINITY, chatsOnly } = order;
  const made: Turn[] = [];
  const until = clockMs() + seconds * 1000;
  let left = order.turns ?? Number.POSITIVE_INFINITY;
  let chats = 0;
  const goesOn = () => clockMs() < until && left-- > 0;
  const client = async () => {
    while (goesOn()) {
      const key = keys[chats++ % keys.length] ?? '';
      let chatId = await turn(order, key, undefined, made);
      for (let more = 1; more < turnsOfAChat && !chatsOnly && chatId && goesOn(); more++)
        chatId = await turn(order, key, chatId, made);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, client));
  return made;
}

process.on('message', (order: ChatsOrder) => {
  agent = new Agent({ keepAlive: true, maxSockets: order.inFlight });
  converse(order).then(
    (made) => process.send?.({ turns: made } satisfies ChatsReport),
    (error: unknown) => process.send?.({ error: String(error) } satisfies ChatsReport),
  );
});
