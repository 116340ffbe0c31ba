/** Prevents the screen from turning off, where supported: a locked phone stops recording. */
export function createWakeLock() {
  let wanted = false;
  let lock: WakeLockSentinel | undefined;
  const take = async () => {
    if (!wanted || document.visibilityState !== 'visible') return;
    // Browsers reject it on low battery.
    const taken = await navigator.wakeLock?.request('screen').catch(() => undefined);
    if (wanted) lock = taken;
    else await taken?.release();
  };
  // Browsers release the lock when the window is hidden.
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
