import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, problemOf } from '../api/client.ts';
import { emailVerificationQuery, serviceInfoQuery } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';

/** Whether the service has a mail server; assumed until that is known. */
function useSendsEmail(): boolean {
  return useQuery(serviceInfoQuery).data?.sendsEmail ?? true;
}

/** Sends the link again that confirms the address. */
export function ResendButton() {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const sends = useSendsEmail();
  const resending = useMutation({
    mutationFn: () => api.auth.resendVerification.mutate({}),
    onSuccess: (verification) => {
      queryClient.setQueryData(emailVerificationQuery.queryKey, verification);
      const { email, verifiedAt } = verification;
      if (verifiedAt !== null) notify(`${email} is confirmed already.`);
      else notify(sends ? `An email to ${email} is being sent.` : 'A new link is in the outbox file of the service.');
    },
    onError: (error) => notify(problemOf(error).message),
  });
  return (
    <Button isBusy={resending.isPending} onPress={() => resending.mutate()}>
      {resending.isPending ? 'Sending…' : sends ? 'Send the email again' : 'Make a new link'}
    </Button>
  );
}

/** Above every page while the address of the person has to be confirmed. */
export function ConfirmAddress({ email }: { email: string }) {
  const sends = useSendsEmail();
  return (
    <aside className="callout warn banner" aria-label="Confirm your email address">
      <Icon name="warning" />
      <div>
        <p className="callout-title">Confirm your email address</p>
        <p>
          {sends
            ? `Open the link that we sent to ${email}.`
            : `This service has no mail server: the person who runs it finds the link for ${email} in the file outbox.jsonl of its data directory.`}{' '}
          Until then you cannot create API keys, connect apps, invite people or get notifications by email.
        </p>
        <ResendButton />
      </div>
    </aside>
  );
}
