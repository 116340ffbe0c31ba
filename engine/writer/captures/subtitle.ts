import { shortened } from './plain-text.ts';
import { captureLimits } from './shapes.ts';
import { hasName } from './speakers.ts';

function enumerated(names: readonly string[]): string {
  if (names.length <= 1) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function whoSpeaks(speakers: readonly string[]): string {
  if (speakers.length === 0) return '';
  if (!speakers.every(hasName)) return speakers.length === 1 ? '' : `${speakers.length} speakers`;
  if (speakers.length <= 3) return enumerated(speakers);
  return enumerated([...speakers.slice(0, 2), `${speakers.length - 2} others`]);
}

/** Speakers, topics and length: facts alone. Null where there are no words. */
export function subtitleOf(speakers: readonly string[], topics: readonly string[], wordCount: number): string | null {
  if (wordCount === 0) return null;
  const count = `${wordCount.toLocaleString('en-US')} ${wordCount === 1 ? 'word' : 'words'}`;
  const parts = [whoSpeaks(speakers), topics.join(', '), count].filter(Boolean);
  return shortened(parts.join(' · '), captureLimits.subtitle);
}
