import { createHash } from 'node:crypto';
import type { Engine } from '../../engine.ts';
import { digestIn, pointsIn, unusable } from './answer.ts';
import { noteTitle } from './headline.ts';
import { type Part, type Parts, partsOf } from './parts.ts';
import { mergePrompt, type Prompt, partPrompt, wholePrompt } from './prompts.ts';
import {
  type CaptureDigest,
  type CaptureMaterial,
  type DigestOptions,
  emptyDigest,
  materialToWrite,
  type PartPoints,
} from './shapes.ts';

/** Asks until an answer can be read, `maxTries` times at most. @throws ModelFault; the signal's reason when aborted. */
async function ask<Read>(
  engine: Engine,
  { system, text }: Prompt,
  { signal, onActive }: DigestOptions,
  read: (answer: string) => Read,
  maxTries: number,
): Promise<Read> {
  for (let tried = 1; ; tried++) {
    signal.throwIfAborted();
    const began = performance.now();
    let tookMs: number | undefined;
    const answer = await engine.answer({
      purpose: 'summaries',
      system,
      conversation: [{ role: 'user', text }],
      tools: [],
      signal,
      // The engine reports every try; the last is the one that succeeded.
      onActive: (ms) => {
        tookMs = ms;
      },
    });
    const activeMs = tookMs ?? performance.now() - began;
    try {
      if (answer.toolCalls.length > 0) throw unusable();
      const result = read(answer.text);
      onActive?.(activeMs);
      return result;
    } catch (fault) {
      if (tried >= maxTries) throw fault;
    }
  }
}

/** Of many parts one may be answered badly without the others being lost. */
const maxTriesOfParts = 2;

/**
 * The key of one part. Title, notes and people are not in it: they change meanwhile, and the whole is written with
 * them.
 */
function keyOf({ type, date }: CaptureMaterial, part: Part): string {
  const asked = JSON.stringify([type, date, part]);
  return createHash('sha256').update(asked).digest('base64url');
}

/**
 * The points of all parts: those that were saved, and the others asked for one after another, each saved. Those of
 * notes are not, and so belong to the turn of the whole: notes that somebody types are others in each turn.
 */
async function pointsOf(
  engine: Engine,
  material: CaptureMaterial,
  { parts, beside }: Pick<Parts, 'parts' | 'beside'>,
  options: DigestOptions,
): Promise<{ part: Part; points: PartPoints }[]> {
  const { saved } = options;
  const known = (await saved?.read()) ?? new Map<string, PartPoints>();
  const found: { part: Part; points: PartPoints }[] = [];
  for (const [index, part] of parts.entries()) {
    const place = `${index + 1} of ${parts.length}`;
    const key = keyOf(material, part);
    let points = known.get(key);
    if (!points) {
      const prompt = partPrompt(material, part, beside, place);
      points = await ask(engine, prompt, options, (answer) => pointsIn(answer, material.people), maxTriesOfParts);
      if (part.kind !== 'notes') await saved?.save(key, points);
    }
    found.push({ part, points });
  }
  return found;
}

/**
 * Writes about a capture with a model: in one request, or one for each part of long material and one for the whole.
 * @throws ModelFault when the model does not answer, or with nothing usable; the signal's reason when aborted; what
 * `options.saved` throws.
 */
export async function modelDigest(
  engine: Engine,
  given: CaptureMaterial,
  options: DigestOptions,
): Promise<CaptureDigest> {
  options.signal.throwIfAborted();
  const material = materialToWrite(given);
  if (!material) return emptyDigest();
  // The title of a note is its first line, with any writer.
  const wantsTitle = material.title === null && material.type === 'recording';
  const title = material.title === null && material.type === 'note' ? noteTitle(material) : null;
  const readWhole = (answer: string) => digestIn(answer, material.people, wantsTitle);
  const inParts = partsOf(material);
  const { parts, beside, isWhole } = inParts;
  if (isWhole) {
    const digest = await ask(engine, wholePrompt(material, parts, wantsTitle), options, readWhole, 1);
    return { ...digest, title: title ?? digest.title };
  }
  const found = await pointsOf(engine, material, inParts, options);
  const whole = mergePrompt(material, found, beside, wantsTitle);
  const digest = await ask(engine, whole, options, readWhole, maxTriesOfParts);
  return { ...digest, title: title ?? digest.title };
}
