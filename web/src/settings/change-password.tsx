import { useQueryClient } from '@tanstack/react-query';
import { newPasswordHint } from '../account/sign-up.tsx';
import { api } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { useIdentity } from '../frame.tsx';
import { Card } from '../ui/card.tsx';
import { PasswordField } from '../ui/fields.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import type { Fields } from '../ui/form-fields.ts';
import { useNotice } from '../ui/notice.tsx';

const fields: Fields = {
  currentPassword: { label: 'Current password', required: 'Enter your current password' },
  newPassword: { label: 'New password', required: 'Choose a new password' },
};

export function ChangePassword() {
  const { user } = useIdentity();
  const queryClient = useQueryClient();
  const tell = useNotice();
  const change = async (filled: Filled) => {
    const currentPassword = filled.text('currentPassword');
    await api.auth.changePassword.mutate({ currentPassword, newPassword: filled.text('newPassword') });
    await readAgain(queryClient, 'sessions');
    tell('Your password is changed, and your other sessions are ended.');
  };
  return (
    <Card title="Password" intro="Changing it ends all your other sessions.">
      <Form fields={fields} submit="Change password" busy="Changing…" kind="secondary" onSubmit={change} clears>
        <input type="hidden" name="username" autoComplete="username" value={user.email} readOnly />
        <PasswordField name="currentPassword" label="Current password" autoComplete="current-password" />
        <PasswordField name="newPassword" label="New password" autoComplete="new-password" hint={newPasswordHint} />
      </Form>
    </Card>
  );
}
