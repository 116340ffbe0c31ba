import { quantile } from '../harness/figures.ts';
import type { Server } from '../harness/servers.ts';
import type { Model } from './model.ts';
import { settled } from './place.ts';
import { errorsIn, type Field } from './turns.ts';

/** From sending createChat to the model being asked, in milliseconds. */
export interface FirstStep {
  inFlight: number;
  samples: number;
  p50: number;
  p95: number;
  p99: number;
  errors: number;
}

/** `chats` new chats with `inFlight` at a time, their clients waiting for the replies. */
export async function measureFirstStep(
  field: Field,
  service: Server,
  model: Model,
  inFlight: number,
  chats: number,
): Promise<FirstStep> {
  const { clients, keys, database } = field;
  const order = { url: service.url, keys, message: 'Hello there', inFlight, chatsOnly: true };
  await clients.converse({ ...order, turns: Math.max(inFlight, Math.ceil(chats / 10)) });
  await settled(database, 'service');
  await model.order('report');
  const turns = await clients.converse({ ...order, turns: chats });
  const asked = new Map((await model.order('report')).firstAsked);
  await settled(database, 'service');
  const times = turns.map(({ token, sentAt }) => (asked.get(token) ?? Number.NaN) - sentAt);
  const known = times.filter((each) => !Number.isNaN(each));
  return {
    inFlight,
    samples: known.length,
    p50: quantile(known, 0.5),
    p95: quantile(known, 0.95),
    p99: quantile(known, 0.99),
    errors: Math.max(errorsIn(turns), times.length - known.length),
  };
}
