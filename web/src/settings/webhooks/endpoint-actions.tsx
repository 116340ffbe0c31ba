import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { api, problemOf } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { type Endpoint, webhooksKey } from './queries.ts';

/** Test, enable, disable and remove. */
export function EndpointActions({ endpoint: { id: endpointId, enabled } }: { endpoint: Endpoint }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const notify = useNotice();
  const refresh = () => readAgain(queryClient, webhooksKey);
  const onError = (error: unknown) => notify(problemOf(error).message);
  const testing = useMutation({
    mutationFn: () => api.webhookEndpoints.test.mutate({ endpointId }),
    onSuccess: async () => {
      await refresh();
      notify('A test is being sent. Its answer appears below.');
    },
    onError,
  });
  const enabling = useMutation({
    mutationFn: () => api.webhookEndpoints.update.mutate({ endpointId, enabled: true }),
    onSuccess: async () => {
      await refresh();
      notify('The endpoint is enabled. It gets the events from now on.');
    },
    onError,
  });
  const disable = async () => {
    await api.webhookEndpoints.update.mutate({ endpointId, enabled: false });
    await refresh();
    notify('The endpoint is disabled.');
  };
  const remove = async () => {
    const { pathname } = location;
    await api.webhookEndpoints.delete.mutate({ endpointId });
    // Only from here: the person may have gone on.
    if (location.pathname === pathname) await navigate('/settings/webhooks');
    await refresh();
    notify('The endpoint is removed.');
  };
  return (
    <div className="form-actions">
      {enabled ? (
        <Button kind="primary" isBusy={testing.isPending} onPress={() => testing.mutate()}>
          {testing.isPending ? 'Sending…' : 'Send a test'}
        </Button>
      ) : (
        <Button kind="primary" isBusy={enabling.isPending} onPress={() => enabling.mutate()}>
          {enabling.isPending ? 'Enabling…' : 'Enable'}
        </Button>
      )}
      {enabled && (
        <ConfirmButton
          label="Disable"
          title="Disable this endpoint?"
          confirm="Disable"
          busy="Disabling…"
          onConfirm={disable}
        >
          <p>Nothing is sent to it any more, and what waits is cancelled. It can be enabled again.</p>
        </ConfirmButton>
      )}
      <ConfirmButton
        label="Remove"
        title="Remove this endpoint?"
        confirm="Remove endpoint"
        busy="Removing…"
        onConfirm={remove}
      >
        <p>Its secret and the record of its deliveries are erased. This cannot be undone.</p>
      </ConfirmButton>
    </div>
  );
}
