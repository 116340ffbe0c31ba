import { useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';

/** What may be changed of a capture. */
export type CaptureChanges = Omit<Parameters<typeof api.captures.update.mutate>[0], 'captureId'>;

/** Reads a capture, and the lists that it stands in, again. */
export function useReadCaptureAgain() {
  const queryClient = useQueryClient();
  return async () => {
    void readAgain(queryClient, 'captures');
    await readAgain(queryClient, 'capture');
  };
}

/** Changes a capture and shows it as it is then. */
export function useChangeCapture(captureId: string) {
  const readCaptureAgain = useReadCaptureAgain();
  return async (changes: CaptureChanges) => {
    await api.captures.update.mutate({ captureId, ...changes });
    await readCaptureAgain();
  };
}
