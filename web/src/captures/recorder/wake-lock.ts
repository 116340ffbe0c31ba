/** Keeps the screen on while it is held, in browsers that can: a phone that goes to sleep stops recording. */
export function createWakeLock() {
  let wanted = false;
  let lock: WakeLockSentinel | undefined;
  const take = async () => {
    if (!wanted || document.visibilityState !== 'visible') return;
    // Refused on a low battery.
    const taken = await navigator.wakeLock?.request('screen').catch(() => undefined);
    if (wanted) lock = taken;
    else await taken?.release();
  };
  // The browser lets it go when the window is hidden.
  document.addEventListener('visibilitychange', () => void take());
  return {
    hold: (held: boolean) => {
      if (wanted === held) return;
      wanted = held;
      if (held) void take();
      else void lock?.release();
    },
  };
}
