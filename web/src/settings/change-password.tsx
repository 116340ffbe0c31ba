import { useQueryClient } from '@tanstack/react-query';
import { Checkbox } from 'react-aria-components';
import { api } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { NewPasswordField } from '../passwords/new-password-field.tsx';
import { useIdentity } from '../session/session.ts';
import { Card } from '../ui/card.tsx';
import { PasswordField } from '../ui/fields.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import type { Fields } from '../ui/form-errors.tsx';
import { Tick } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';

const fields: Fields = {
  currentPassword: { label: 'Current password', required: 'Enter your current password' },
  newPassword: { label: 'New password', required: 'Choose a new password' },
};

/** Form that changes the password. */
export function ChangePassword() {
  const { user } = useIdentity();
  const queryClient = useQueryClient();
  const notify = useNotice();
  const change = async (filled: Filled) => {
    const currentPassword = filled.text('currentPassword');
    const revokeAccess = filled.text('revokeAccess') !== '';
    await api.auth.changePassword.mutate({ currentPassword, newPassword: filled.text('newPassword'), revokeAccess });
    await readAgain(queryClient);
    const ended = revokeAccess ? 'your other sessions, API keys and connected apps' : 'your other sessions';
    notify(`Your password is changed, and ${ended} are ended.`);
  };
  return (
    <Card title="Password" intro="Changing it ends all your other sessions.">
      <Form fields={fields} submit="Change password" busy="Changing…" kind="secondary" onSubmit={change} clears>
        <input type="hidden" name="username" autoComplete="username" value={user.email} readOnly />
        <PasswordField name="currentPassword" label="Current password" autoComplete="current-password" />
        <NewPasswordField name="newPassword" label="New password" known={[user.name, user.email]} />
        <Checkbox className="choice inline" name="revokeAccess" value="yes">
          <Tick />
          Also revoke my API keys and connected apps, in all workspaces
        </Checkbox>
      </Form>
    </Card>
  );
}
