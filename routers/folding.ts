/**
 * Text as it is compared in search: composed, without case, a final sigma as any other, so that a part of a word folds
 * as it does within the word. Folded here, so that every database folds alike.
 */
export function folded(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
}
