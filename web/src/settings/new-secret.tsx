import { useEffect } from 'react';
import { ButtonLink } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icons.tsx';
import { focusPageTitle } from '../ui/page-title.tsx';
import { SettingsPage } from './settings-page.tsx';

/** The secret of a new key: on this page only, this once. */
export function NewSecret({ name, secret }: { name: string; secret: string }) {
  useEffect(focusPageTitle, []);
  const command = `curl -H "Authorization: Bearer $TANDEM_KEY" ${location.origin}/api/v1/me`;
  return (
    <SettingsPage title={`“${name}” is ready`}>
      <section className="card secret" aria-labelledby="secret-title">
        <h2 id="secret-title">Your new key</h2>
        <p className="callout warn">
          <Icon name="warning" />
          <span>Copy it now. It is shown only this once, and nobody can read it again: we keep no copy.</span>
        </p>
        <div className="secret-line">
          <code className="secret-text" data-testid="secret">
            {secret}
          </code>
          <CopyButton text={secret} label="Copy key" what="The key is" kind="primary" />
        </div>
        <h3>Try it</h3>
        <p className="muted">Put the key into the variable TANDEM_KEY of your shell, then ask who you are:</p>
        <div className="secret-line">
          <code className="secret-text">{command}</code>
          <CopyButton text={command} label="Copy command" what="The command is" />
        </div>
      </section>
      <div>
        <ButtonLink to="/settings/api-keys">I have stored it</ButtonLink>
      </div>
    </SettingsPage>
  );
}
