import { createDraft, type Draft } from './draft.ts';
import { changeCapture, readCapture } from './tagged-capture.ts';

/** A draft of a field of a capture: of the one given with its value, or of one that does not exist yet. */
export function captureDraft<Value extends string | string[]>(
  name: 'title' | 'tags' | 'notes',
  empty: Value,
  of?: { captureId: string; known: Value },
): Draft<Value> {
  return createDraft<Value>({
    name,
    empty,
    ...(of && { of }),
    asStored: (value) => (name === 'title' ? (String(value).trim() as Value) : value),
    read: async (captureId) => {
      const { resource, tag } = await readCapture(captureId);
      return { value: (resource[name] ?? empty) as Value, tag };
    },
    save: async (captureId, value, tag) => {
      const answer = await changeCapture(captureId, tag, { [name]: value === '' ? null : value });
      return { value: (answer.resource[name] ?? value) as Value, tag: answer.tag };
    },
  });
}
