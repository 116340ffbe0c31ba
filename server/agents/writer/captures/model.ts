import type { Engine } from '../../engine.ts';
import { digestIn, type PartPoints, pointsIn, unusable } from './answer.ts';
import { noteTitle } from './headline.ts';
import { type Part, partsOf } from './parts.ts';
import { mergePrompt, type Prompt, partPrompt, wholePrompt } from './prompts.ts';
import { type Asking, type CaptureDigest, type CaptureMaterial, emptyDigest, materialToWrite } from './shapes.ts';

/** Asks until an answer can be read, `tries` times at most. @throws ModelFault; the signal's reason when aborted. */
async function ask<Read>(
  engine: Engine,
  { system, text }: Prompt,
  { signal, onActive }: Asking,
  read: (answer: string) => Read,
  tries: number,
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
      // The engine tells of every try; the last is the one that succeeded.
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
      if (tried >= tries) throw fault;
    }
  }
}

/** Of many parts one may be answered badly without the others being lost. */
const triesOfParts = 2;

/**
 * Writes about a capture with a model: in one request, or one for each part of long material and one for the whole.
 * @throws ModelFault when the model does not answer, or with nothing usable; the signal's reason when aborted.
 */
export async function modelDigest(engine: Engine, given: CaptureMaterial, asking: Asking): Promise<CaptureDigest> {
  asking.signal.throwIfAborted();
  const material = materialToWrite(given);
  if (!material) return emptyDigest();
  // A note is called by its first line, whoever writes about it.
  const wantsTitle = material.title === null && material.type === 'recording';
  const title = material.title === null && material.type === 'note' ? noteTitle(material) : null;
  const readWhole = (answer: string) => digestIn(answer, material.people, wantsTitle);
  const { parts, beside, isWhole } = partsOf(material);
  if (isWhole) {
    const digest = await ask(engine, wholePrompt(material, parts, wantsTitle), asking, readWhole, 1);
    return { ...digest, title: title ?? digest.title };
  }
  const found: { part: Part; points: PartPoints }[] = [];
  for (const [place, part] of parts.entries()) {
    const prompt = partPrompt(material, part, beside, `${place + 1} of ${parts.length}`);
    const points = await ask(engine, prompt, asking, (answer) => pointsIn(answer, material.people), triesOfParts);
    found.push({ part, points });
  }
  const whole = mergePrompt(material, found, beside, wantsTitle);
  const digest = await ask(engine, whole, asking, readWhole, triesOfParts);
  return { ...digest, title: title ?? digest.title };
}
