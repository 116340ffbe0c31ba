import { useEffect } from 'react';
import { ButtonLink } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icons.tsx';
import { focusPageTitle, Page } from '../ui/page.tsx';

/** The secret of a new key, shown once. */
export function NewSecret({ name, secret }: { name: string; secret: string }) {
  useEffect(focusPageTitle, []);
  const command = `curl -H "Authorization: Bearer $TANDEM_KEY" ${location.origin}/api/v1/me`;
  return (
    <Page title={`“${name}” is ready`}>
      <section className="card secret" aria-labelledby="secret-title">
        <h2 id="secret-title">Your new key</h2>
        <p className="callout warn">
          <Icon name="warning" />
          <span>Copy it now. It is shown only once and cannot be displayed again.</span>
        </p>
        <div className="secret-line">
          <code className="secret-text" data-testid="secret">
            {secret}
          </code>
          <CopyButton text={secret} label="Copy key" what="The key is" kind="primary" />
        </div>
        <div>
          <h3>Try it</h3>
          <p className="muted">Set the variable TANDEM_KEY of your shell to the key, then run:</p>
        </div>
        <div className="secret-line">
          <code className="secret-text">{command}</code>
          <CopyButton text={command} label="Copy command" what="The command is" />
        </div>
      </section>
      <div>
        <ButtonLink to="/settings/api-keys">I have stored it</ButtonLink>
      </div>
    </Page>
  );
}
