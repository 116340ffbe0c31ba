import { useQuery } from '@tanstack/react-query';
import { ResendButton } from '../account/email-verification.tsx';
import { emailVerificationQuery, serviceInfoQuery } from '../api/queries.ts';
import { Card, Loaded } from '../ui/card.tsx';
import { Badge, Row, Rows } from '../ui/rows.tsx';

/** What an address has to be confirmed for, in one line each: the card must not move when it is known. */
const reasons = {
  required: 'Needed for API keys, connected apps, invitations and notifications by email.',
  notified: 'Notifications are emailed to you once you have confirmed it.',
  none: 'This service does not require that people confirm their address.',
};

/** The address of the person in the settings, and what it has to be confirmed for. */
export function EmailAddress() {
  const verification = useQuery(emailVerificationQuery);
  const service = useQuery(serviceInfoQuery);
  const isOptional = verification.data?.isRequired === false;
  const reason = isOptional ? (service.data?.sendsEmail ? 'notified' : 'none') : 'required';
  return (
    <Card title="Email address" intro={reasons[reason]}>
      <Loaded query={service} what="your address">
        {({ sendsEmail }) => (
          <Loaded query={verification} what="your address">
            {({ email, verifiedAt, isRequired }) => (
              <Rows label="Email address">
                <Row
                  title={email}
                  badges={
                    verifiedAt === null ? (
                      <Badge tone="warn">Not confirmed</Badge>
                    ) : (
                      <Badge tone="good">Confirmed</Badge>
                    )
                  }
                  actions={verifiedAt === null && (isRequired || sendsEmail) && <ResendButton />}
                />
              </Rows>
            )}
          </Loaded>
        )}
      </Loaded>
    </Card>
  );
}
