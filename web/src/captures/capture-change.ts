import { useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';

/** Changes of a capture. */
export type CaptureChanges = Omit<Parameters<typeof api.captures.update.mutate>[0], 'captureId'>;

/** Refetches a capture and the lists that contain it. */
export function useReadCaptureAgain() {
  const queryClient = useQueryClient();
  return async () => {
    void readAgain(queryClient, 'captures');
    await readAgain(queryClient, 'capture');
  };
}

/** Updates a capture and refetches it. */
export function useChangeCapture(captureId: string) {
  const readCaptureAgain = useReadCaptureAgain();
  return async (changes: CaptureChanges) => {
    await api.captures.update.mutate({ captureId, ...changes });
    await readCaptureAgain();
  };
}
