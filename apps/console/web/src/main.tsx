import '@mantine/core/styles.css';
import './app/theme-variables.css';
import './app/global.css';
import { createRoot } from 'react-dom/client';
import { openQueryClient } from './data/query-client.ts';
import { followOtherTabs, sessionQuery } from './data/session.ts';
import { App } from './app/app.tsx';
import { i18n, startI18n } from './app/i18n.ts';
import { guardBrowser } from './app/leave-guard.tsx';
import { withoutBase } from './app/mode.ts';
import { findPage } from './app/pages.ts';

// Everything that the first page needs is requested at once.
const queryClient = openQueryClient();
followOtherTabs(queryClient);
guardBrowser();
const page = findPage(withoutBase(location.pathname));
void queryClient.prefetchQuery(sessionQuery);
await Promise.all([
  startI18n(),
  // A chunk that fails is loaded again when the page renders.
  page?.preload().catch(() => undefined),
]);
createRoot(document.getElementById('root') as HTMLElement).render(
  <App i18n={i18n} queryClient={queryClient} />,
);
