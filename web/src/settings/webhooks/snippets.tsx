import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import snippets from './snippets.json' with { type: 'json' };

const languages = [
  { name: 'TypeScript', code: snippets.typescript },
  { name: 'Python', code: snippets.python },
];

/** How a receiver checks the signature: the code of the documents, to be copied. */
export function Snippets() {
  return (
    <Card
      title="Check the signature"
      intro="Requests follow Standard Webhooks: any of its libraries checks them. Give it the body as the bytes that arrived."
    >
      {languages.map(({ name, code }) => (
        <section key={name} className="snippet" aria-label={name}>
          <div className="snippet-head">
            <h3>{name}</h3>
            <CopyButton text={code} label={`Copy ${name}`} what="The code is" kind="quiet" />
          </div>
          <pre className="wire">{code}</pre>
        </section>
      ))}
    </Card>
  );
}
