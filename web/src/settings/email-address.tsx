import { useQuery } from '@tanstack/react-query';
import { ResendButton, useSendsEmail } from '../account/email-verification.tsx';
import { emailVerificationQuery } from '../api/queries.ts';
import { Card, Loaded } from '../ui/card.tsx';
import { Badge, Row, Rows } from '../ui/rows.tsx';

/** The address of the person in the settings, and what it has to be confirmed for. */
export function EmailAddress() {
  const verification = useQuery(emailVerificationQuery);
  const sends = useSendsEmail();
  return (
    <Card
      title="Email address"
      intro={
        verification.data?.isRequired === false
          ? sends
            ? 'Notifications are emailed to you once you have confirmed it.'
            : 'This service does not require that people confirm their address.'
          : 'To be confirmed before you create API keys, connect apps or invite people, and before notifications are emailed to you.'
      }
    >
      <Loaded query={verification} what="your address">
        {({ email, verifiedAt, isRequired }) => (
          <Rows label="Email address">
            <Row
              title={email}
              badges={
                verifiedAt === null ? <Badge tone="warn">Not confirmed</Badge> : <Badge tone="good">Confirmed</Badge>
              }
              actions={verifiedAt === null && (isRequired || sends) && <ResendButton />}
            />
          </Rows>
        )}
      </Loaded>
    </Card>
  );
}
