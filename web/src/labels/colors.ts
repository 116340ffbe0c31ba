import type { Label } from '../quick-add/queries.ts';

export type LabelColor = Label['color'];

/** The colours of labels with their names; a colour that is missing here does not compile. */
export const colorNames: Record<LabelColor, string> = {
  gray: 'Grey',
  red: 'Red',
  orange: 'Orange',
  yellow: 'Yellow',
  green: 'Green',
  teal: 'Teal',
  blue: 'Blue',
  purple: 'Purple',
  pink: 'Pink',
};

const colors = Object.keys(colorNames) as LabelColor[];

/** The colour of the next label of so many: each in turn, grey last. */
export function nextColor(count: number): LabelColor {
  return colors[(count + 1) % colors.length] ?? 'gray';
}
