import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { I18nProvider } from 'react-aria-components';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { queryClient } from './api/query-client.ts';
import { watchLinkToken } from './link-token.ts';
import { routes } from './routes.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/account.css';
import './styles/settings.css';
import './styles/buttons.css';
import './styles/forms.css';
import './styles/choices.css';
import './styles/overlays.css';
import './styles/lists.css';
import './styles/states.css';
import './styles/notifications.css';
import './styles/captures.css';
import './styles/capture.css';
import './styles/record.css';

watchLinkToken();
const root = document.getElementById('app');
if (!root) throw new Error('index.html lacks #app');
createRoot(root).render(
  <StrictMode>
    <I18nProvider locale="en-US">
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={createBrowserRouter(routes)} />
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
);
