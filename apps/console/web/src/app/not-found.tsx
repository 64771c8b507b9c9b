import { useTranslation } from 'react-i18next';
import { EmptyState } from '../ui/empty-state.tsx';
import { LinkButton } from '../ui/links.tsx';
import { Page } from '../ui/page.tsx';

/** The page for an unknown path. */
export function NotFound() {
  const { t } = useTranslation();
  return (
    <Page title={t('notFound.title')}>
      <EmptyState
        title={t('notFound.text')}
        action={
          <LinkButton to="/" variant="default">
            {t('nav.home')}
          </LinkButton>
        }
      />
    </Page>
  );
}
