import type { ReactNode } from 'react';
import { Mark } from '../ui/icons.tsx';
import { PageTitle } from '../ui/page-title.tsx';

interface AccountPageProps {
  title: string;
  intro?: ReactNode;
  children?: ReactNode;
  /** Below the card: other ways to go on. */
  foot?: ReactNode;
  wide?: boolean;
}

/** The frame of every page that stands before the settings: one card, one thing to do. */
export function AccountPage({ title, intro, children, foot, wide = false }: AccountPageProps) {
  return (
    <div className="account">
      <header className="account-head">
        <Mark />
        <span className="wordmark">Tandem</span>
      </header>
      <main className={`account-card${wide ? ' wide' : ''}`}>
        <PageTitle title={title} />
        {intro && <p className="intro">{intro}</p>}
        {children}
      </main>
      {foot && <div className="account-foot">{foot}</div>}
      <footer className="account-claim">Work management for people and agents</footer>
    </div>
  );
}
