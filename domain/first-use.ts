/** Loads something, such as a library and what is made of it. */
type Load<Loaded> = () => Promise<Loaded>;

/**
 * What `load` resolves to, loaded at the first use and kept: for libraries that most processes never need. All uses while
 * it is loaded wait for the same. A failure is not kept: the next use loads again.
 */
export function atFirstUse<Loaded>(load: Load<Loaded>): Load<Loaded> {
  let loaded: Promise<Loaded> | undefined;
  const forget = () => {
    loaded = undefined;
  };
  return () => {
    if (loaded === undefined) {
      loaded = load();
      loaded.catch(forget);
    }
    return loaded;
  };
}
