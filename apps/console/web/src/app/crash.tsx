import { Button } from '@mantine/core';
import { Component } from 'react';
import type { ReactNode } from 'react';
import { Translation } from 'react-i18next';
import { EmptyState } from '../ui/empty-state.tsx';

/** Catches errors of pages, such as a chunk that no longer exists after a release, and offers a reload. */
export class Crash extends Component<{ children: ReactNode }, { crashed: boolean }> {
  override state = { crashed: false };

  static getDerivedStateFromError(): { crashed: boolean } {
    return { crashed: true };
  }

  override render(): ReactNode {
    if (!this.state.crashed) return this.props.children;
    return (
      <Translation>
        {(t) => (
          <div role="alert">
            <EmptyState
              title={t('errors.crashed')}
              text={t('errors.crashedText')}
              action={<Button onClick={() => location.reload()}>{t('errors.reload')}</Button>}
            />
          </div>
        )}
      </Translation>
    );
  }
}
