import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { problemOf } from '../api/client.ts';
import { type PushState, pushState, turnPushOff, turnPushOn } from '../offline/push.ts';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Card, Loaded } from '../ui/card.tsx';
import { useNotice } from '../ui/notice.tsx';

const words: Record<PushState, string> = {
  unsupported:
    'This browser has no notifications here. On iPhone and iPad install Tandem first, on the page Appearance; elsewhere the service must be reached by https.',
  denied:
    'The browser blocks notifications of this service. Allow them in its settings for this site, then load the page again.',
  off: 'Get requests for approval and mentions on this device, also while no window is open.',
  on: 'Requests for approval and mentions are shown on this device, until you sign out.',
};

/** What went wrong, as a sentence: the push service is that of the browser. */
function sentenceOf(error: unknown): string {
  return error instanceof DOMException
    ? 'The push service of the browser could not be reached. Try again later.'
    : problemOf(error).message;
}

/** Switches the notifications of this browser on and off. */
export function PushCard() {
  const identity = useIdentity();
  const queryClient = useQueryClient();
  const notify = useNotice();
  const queryKey = ['push', identity.workspace.id, identity.user.id];
  const state = useQuery({ queryKey, queryFn: () => pushState(identity), networkMode: 'always' });
  const changing = useMutation({
    mutationFn: (isOn: boolean) => (isOn ? turnPushOff() : turnPushOn(identity)),
    onSuccess: (next) => queryClient.setQueryData(queryKey, next),
    onError: (error) => notify(sentenceOf(error)),
  });
  return (
    <Card title="In this browser">
      <Loaded query={state} what="the state of this browser">
        {(data) => (
          <>
            <p role="status">{words[data]}</p>
            {(data === 'on' || data === 'off') && (
              <div className="form-actions">
                <Button isBusy={changing.isPending} onPress={() => changing.mutate(data === 'on')}>
                  {data === 'on' ? 'Turn off in this browser' : 'Turn on in this browser'}
                </Button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}
