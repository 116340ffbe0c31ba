/** Measures how long something ran, pauses left out. In ms. */
export function createStopwatch() {
  let before = 0;
  let since: number | null = null;
  const elapsedMs = () => before + (since === null ? 0 : performance.now() - since);
  return {
    elapsedMs,
    run: (isRunning: boolean) => {
      if (isRunning === (since !== null)) return;
      before = elapsedMs();
      since = isRunning ? performance.now() : null;
    },
    set: (ms: number) => {
      before = ms;
      since = null;
    },
  };
}
