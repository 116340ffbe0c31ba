import type { EngineRequest } from '../engine.ts';
import { localTime } from '../prompt/clock.ts';
import { aboutText, notUnderstood, readSmallTalk } from './about.ts';
import { readCaptures } from './captures.ts';
import { readChange } from './change.ts';
import { readCreate } from './create.ts';
import { readDirectory } from './directory.ts';
import { type Exchange, exchangesOf } from './exchanges.ts';
import { readListing } from './listing.ts';
import { readOverview } from './overview.ts';
import { type FinalText, type Memory, type Next, type Plan, respond, type Scene, type Step } from './plan.ts';
import { readOne } from './reading.ts';
import { pageOf, quote, titleOf, todoIn } from './rows.ts';
import { opensRun, runPlan } from './run.ts';
import { plain, quotesIn, type Sentence, sentenceOf } from './sentence.ts';
import { placesOf } from './targets.ts';

/** Longest line, and longest list of lines, that is read as a request, in characters. */
const maxLineLength = 2000;
const maxListLength = 20_000;

const readers = [readDirectory, readCreate, readCaptures, readOverview, readChange, readOne, readListing];

function isTooLong(request: string): boolean {
  return request.length > maxListLength || request.split('\n').some((line) => line.length > maxLineLength);
}

/** The plan for a text, if it is a plain request. */
function read(scene: Scene, request: string): Plan | undefined {
  if (isTooLong(request)) return undefined;
  const sentence = plain(sentenceOf(request));
  if (sentence.text === '') return undefined;
  for (const reader of readers) {
    const plan = reader(scene, sentence);
    if (plan) return plan;
  }
  return undefined;
}

/** The plan for an answer to the question of `last`. */
function readAnswer({ rows = [], choose, reply }: FinalText, sentence: Sentence, request: string): Plan | undefined {
  if (reply) return reply(request);
  if (!choose) return undefined;
  const places = placesOf(sentence.text, rows.length);
  if (places) return choose(places.flatMap((place) => rows[place] ?? []));
  const names = quotesIn(sentence, sentence.text).map((name) => quote(name));
  const named = rows.filter((row) => names.includes(titleOf(row)) || titleOf(row) === quote(request));
  return named.length === 1 ? choose(named) : undefined;
}

function understand(scene: Scene, request: string, otherwise: () => Plan): Plan {
  if (isTooLong(request))
    return respond(`That is too long for me to read as a request, so I changed nothing. ${aboutText(scene)}`);
  const sentence = plain(sentenceOf(request));
  const { last } = scene.memory;
  const isChoice = last?.choose && placesOf(sentence.text, last.rows?.length ?? 0) !== undefined;
  const smallTalk = isChoice ? undefined : readSmallTalk(scene, sentence);
  const answer = smallTalk ?? (last && readAnswer(last, sentence, request));
  return answer ?? read(scene, request) ?? otherwise();
}

function refuseAgent(scene: Scene, name: string): Plan {
  const text = `This message came from the agent ${quote(name)}. I take requests from people only, so I changed nothing.`;
  return respond(`${text} ${aboutText(scene)}`);
}

/** A run follows the text of its todo, unless a person opened it with a request of their own. */
function planFor(scene: Scene, exchange: Exchange, isFirst: boolean): Plan {
  const careful = { ...scene, isRun: true };
  const run = () => runPlan(careful, (text) => read(careful, text));
  if (isFirst && opensRun(scene, exchange)) return run();
  if (exchange.fromAgent !== undefined) return refuseAgent(scene, exchange.fromAgent);
  const isOpened = isFirst && scene.facts.trigger !== 'chat' && scene.facts.todo !== null;
  return understand(scene, exchange.request, isOpened ? run : () => notUnderstood(scene));
}

function nextOf(scene: Scene, exchange: Exchange, isFirst: boolean): Next {
  const next = planFor(scene, exchange, isFirst)(exchange.steps);
  if ('text' in next) return next;
  const missing = next.calls.find(({ name }) => !scene.tools.has(name));
  if (!missing) return next;
  return { text: `I cannot do that here: I would need the tool ${missing.name}, and this chat does not have it.` };
}

/** The one todo that the calls of a step were about. */
function todoOf(step: Step): string | undefined {
  const ids = step.flatMap(({ isError, output }) => {
    if (isError) return [];
    const page = pageOf(output);
    return page ? (page.total === 1 ? page.rows.map(({ id }) => id) : []) : (todoIn(output)?.id ?? []);
  });
  return new Set(ids).size === 1 ? ids[0] : undefined;
}

function memoryAfter(scene: Scene, exchange: Exchange, isFirst: boolean): Memory {
  const next = nextOf(scene, exchange, isFirst);
  const isOwn = 'text' in next && next.text === exchange.answer;
  const todoId = exchange.steps.map(todoOf).findLast((id) => id !== undefined) ?? scene.memory.todoId;
  const own = isOwn ? next : undefined;
  return { last: own, rows: own?.rows ?? scene.memory.rows, todoId };
}

/**
 * The next step of the offline engine. Everything is derived from the conversation: the earlier exchanges resolve what
 * “it”, “the second one” or a bare title refers to. @throws Error without the facts of the turn.
 */
export function nextStep(request: Pick<EngineRequest, 'conversation' | 'facts' | 'tools'>): Next {
  const { facts, tools } = request;
  if (!facts) throw new Error('The offline engine needs the facts of the turn');
  const scene: Scene = {
    facts,
    today: localTime(facts.now, facts.timezone).date,
    tools: new Set(tools.map(({ name }) => name)),
    memory: { last: undefined, rows: [], todoId: undefined },
    isRun: false,
  };
  const exchanges = exchangesOf(request);
  const current = exchanges.pop();
  if (!current) return { text: aboutText(scene) };
  for (const [place, exchange] of exchanges.entries()) scene.memory = memoryAfter(scene, exchange, place === 0);
  return nextOf(scene, current, exchanges.length === 0);
}
