/*
 * How the pages look in this browser. A cookie, because the service writes it into the document
 * (adapters/pages/look.ts): so the first paint has the right colours, without a script before it.
 */

export const themes = ['system', 'light', 'dark'] as const;
export const densities = ['comfortable', 'compact'] as const;

export interface Appearance {
  theme: (typeof themes)[number];
  density: (typeof densities)[number];
  /** Whether keys start commands. */
  shortcuts: 'on' | 'off';
  /** What Enter does in a message to an agent. */
  enter: 'sends' | 'breaks';
}

/** The name of the cookie. */
export const cookieName = 'tandem_appearance';
const standard: Appearance = { theme: 'system', density: 'comfortable', shortcuts: 'on', enter: 'sends' };

/** The appearance in a `Cookie` header; the standard for what is missing or not known. */
export function appearanceIn(cookies: string): Appearance {
  const found =
    new RegExp(`(?:^|;\\s*)${cookieName}=([a-z]+)\\.([a-z]+)\\.([a-z]+)(?:\\.(breaks))?(?:;|$)`).exec(cookies) ?? [];
  const [theme, density, shortcuts, enter] = [1, 2, 3, 4].map((place) => found[place]);
  return {
    theme: themes.find((each) => each === theme) ?? standard.theme,
    density: densities.find((each) => each === density) ?? standard.density,
    shortcuts: shortcuts === 'off' ? 'off' : 'on',
    enter: enter === undefined ? 'sends' : 'breaks',
  };
}
