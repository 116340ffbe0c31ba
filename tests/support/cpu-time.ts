/** Milliseconds of processor time that `work` takes on this thread, whatever else the machine does. */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const begun = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / 1000;
}
