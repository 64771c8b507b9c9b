import { Button, Group, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Router } from 'wouter';
import type { AroundNavHandler } from 'wouter';
import { hasUnsaved, leave, leaveNow, stay, usePendingLeave } from '../hooks/unsaved-changes.ts';

/** Asks before a page with unsaved changes is left: by a link, by Back or Forward, or by closing the tab. */
export function LeaveGuard({ children }: { children: ReactNode }) {
  return (
    <Router aroundNav={guardedNavigation}>
      {children}
      <LeaveDialog />
    </Router>
  );
}

const guardedNavigation: AroundNavHandler = (navigate, to, options) => {
  // Filters in the query belong to the same page.
  if (new URL(to, location.href).pathname === location.pathname) navigate(to, options);
  else leave(() => navigate(to, options));
};

/**
 * Holds Back, Forward and the end of the tab back while something is unsaved. To be called before the router is first
 * rendered: listeners of the window are called in the order in which they came.
 */
export function guardBrowser(): void {
  let shown = location.href;
  const follow = () => void (shown = location.href);
  addEventListener('popstate', (event) => {
    if (!hasUnsaved() || new URL(shown).pathname === location.pathname) return follow();
    // The browser has moved already: its address is put back before the router hears of it.
    event.stopImmediatePropagation();
    history.pushState(history.state, '', shown);
    leave(() => history.back());
  });
  addEventListener('pushState', follow);
  addEventListener('replaceState', follow);
  addEventListener('beforeunload', (event) => {
    if (hasUnsaved()) event.preventDefault();
  });
}

function LeaveDialog() {
  const { t } = useTranslation();
  const pending = usePendingLeave();
  return (
    <Modal
      opened={pending !== null}
      onClose={stay}
      title={t('unsaved.title')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Text mb="md">{t('unsaved.text')}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={() => pending && leaveNow(pending)}>
          {t('unsaved.leave')}
        </Button>
        <Button onClick={stay} data-autofocus>
          {t('unsaved.stay')}
        </Button>
      </Group>
    </Modal>
  );
}
