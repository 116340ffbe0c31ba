import { useQuery } from '@tanstack/react-query';
import { ResendButton } from '../account/email-verification.tsx';
import { emailVerificationQuery } from '../api/queries.ts';
import { Card, Loaded } from '../ui/card.tsx';
import { Badge, Row, Rows } from '../ui/rows.tsx';

/** The address of the person in the settings, and whether the service requires that it is confirmed. */
export function EmailAddress() {
  const verification = useQuery(emailVerificationQuery);
  return (
    <Card
      title="Email address"
      intro={
        verification.data?.isRequired === false
          ? 'This service does not require that people confirm their address.'
          : 'Needed before you create API keys, connect apps or invite people.'
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
              actions={verifiedAt === null && isRequired && <ResendButton />}
            />
          </Rows>
        )}
      </Loaded>
    </Card>
  );
}
