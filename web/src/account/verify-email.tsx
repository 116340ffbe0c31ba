import { useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { useGo } from '../navigation/navigation.tsx';
import { spendLinkToken, useLinkToken } from '../session/link-token.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import { useNotice } from '../ui/notice.tsx';
import { AccountPage } from './account-page.tsx';

/**
 * Page of the link that verifies an address. It needs a press of a button, because programs that check links in emails
 * open them too.
 */
export function VerifyEmail() {
  const token = useLinkToken();
  return token === null ? <NoLink /> : <Confirm token={token} key={token} />;
}

function NoLink() {
  return (
    <AccountPage
      title="Confirm your email address"
      intro="Open the link in the email again: this page does not store it. You can request a new one in the settings."
    >
      <ButtonLink to="/settings/sessions" wide>
        Go to the settings
      </ButtonLink>
    </AccountPage>
  );
}

function Confirm({ token }: { token: string }) {
  const queryClient = useQueryClient();
  const go = useGo();
  const notify = useNotice();
  const confirm = async () => {
    const { email } = await api.auth.verifyEmail.mutate({ token });
    await readAgain(queryClient, 'emailVerification');
    await go('/settings');
    spendLinkToken();
    notify(`${email} is confirmed.`);
  };
  return (
    <AccountPage title="Confirm your email address" intro="Confirm only if you created the Tandem account yourself.">
      <Form
        fields={{ token: { label: 'Link' } }}
        submit="Confirm the address"
        busy="Confirming…"
        wide
        onSubmit={confirm}
      >
        {null}
      </Form>
    </AccountPage>
  );
}
