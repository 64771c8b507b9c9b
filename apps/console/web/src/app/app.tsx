import { MantineProvider } from '@mantine/core';
import { useNotifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import type { i18n } from 'i18next';
import { Suspense, useState } from 'react';
import { I18nextProvider } from 'react-i18next';
import { Crash } from './crash.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import { Notifications } from './pages.ts';
import { Routes } from './routes.tsx';
import { theme } from './theme.ts';

/** The root component. Mantine must not write `<style>` elements: the content security policy blocks them. */
export function App({ i18n, queryClient }: { i18n: i18n; queryClient: QueryClient }) {
  return (
    <I18nextProvider i18n={i18n}>
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        withCssVariables={false}
        withGlobalClasses={false}
      >
        <QueryClientProvider client={queryClient}>
          <Crash>
            <LeaveGuard>
              <Routes />
            </LeaveGuard>
          </Crash>
          <NeededNotifications />
        </QueryClientProvider>
      </MantineProvider>
    </I18nextProvider>
  );
}

/** The notifications, from the first one on. */
function NeededNotifications() {
  const { notifications } = useNotifications();
  const [needed, setNeeded] = useState(false);
  if (notifications.length > 0 && !needed) setNeeded(true);
  return <Suspense fallback={null}>{needed && <Notifications />}</Suspense>;
}
