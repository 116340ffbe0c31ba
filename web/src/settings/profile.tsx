import { Link } from 'react-router';
import { useIdentity } from '../session/session.ts';
import { Card } from '../ui/card.tsx';
import { ownTimeZone } from '../ui/own-time-zone.ts';
import { Page } from '../ui/page.tsx';
import { Initial, Row, Rows } from '../ui/rows.tsx';
import { EmailAddress } from './email-address.tsx';

/** Page `/settings/profile`: who is signed in. */
export function Profile() {
  const { user, workspace } = useIdentity();
  return (
    <Page title="Profile" intro="How people and agents of your workspaces see you.">
      <Card title="You">
        <Rows label="You">
          <Row
            icon={<Initial name={user.name} />}
            title={user.name}
            detail={user.email}
            facts={[
              user.role === 'owner' ? `You own ${workspace.name}` : `You are a member of ${workspace.name}`,
              `This browser is in ${ownTimeZone.replaceAll('_', ' ')}`,
            ]}
          />
        </Rows>
      </Card>
      <EmailAddress />
      <Card title="Sign-in" intro="Your password, your second factors, and where you are signed in.">
        <p>
          <Link to="/settings/sessions">Password and sessions</Link> ·{' '}
          <Link to="/settings/security">Second factors</Link>
        </p>
      </Card>
    </Page>
  );
}
