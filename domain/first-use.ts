/** Loads something, such as a library and what is made of it. */
type Load<Loaded> = () => Promise<Loaded>;

/**
 * Loads a value at the first use and keeps it: for libraries that most processes never need. Uses while it is loading
 * wait for the same load. A failure is not kept: the next use loads again.
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
