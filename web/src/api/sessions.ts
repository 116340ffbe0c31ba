import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { forgetPerson, requireNoRecording } from '../captures/current-recording.ts';
import { api } from './client.ts';
import { identityQuery } from './queries.ts';

/** To call after a sign-in or sign-up went through: forgets what was read for anybody before, and reads who it is now. */
export function useSignedIn() {
  const queryClient = useQueryClient();
  return async () => {
    await queryClient.cancelQueries();
    queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== identityQuery.queryKey[0] });
    await queryClient.fetchQuery({ ...identityQuery, staleTime: 0 });
  };
}

/** Ends the session of this browser and goes to the sign-in. */
export function useSignOut() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async (to = '/sign-in') => {
    requireNoRecording();
    await api.auth.signOut.mutate({});
    forgetPerson();
    await queryClient.cancelQueries();
    queryClient.setQueryData(identityQuery.queryKey, null);
    // At once, before the settings hear of it and say that the session ended.
    await navigate(to, { flushSync: true, state: { notice: 'You are signed out.' } });
    queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== identityQuery.queryKey[0] });
  };
}

/** Moves the session of this browser to another workspace. */
export function useSwitchWorkspace() {
  const queryClient = useQueryClient();
  return async (workspaceId: string) => {
    requireNoRecording();
    await queryClient.cancelQueries();
    const { workspace } = await api.auth.switchWorkspace.mutate({ workspaceId });
    await queryClient.fetchQuery({ ...identityQuery, staleTime: 0 });
    void queryClient.invalidateQueries();
    return workspace.name;
  };
}
