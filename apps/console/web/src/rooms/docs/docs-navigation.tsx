import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { requestHeadingFocus } from '../../ui/heading-focus.ts';
import classes from './docs-navigation.module.css';
import { documentGroups } from './slugs.ts';

/** The list of documents, by group, and the way to the console. */
export function DocsNavigation({ onChosen }: { onChosen?: () => void }) {
  const { t } = useTranslation();
  const [location] = useLocation();
  const isCurrent = (path: string) =>
    location === path || (location === '/docs' && path === '/docs/quickstart');
  return (
    <nav aria-label={t('docs.navigation')}>
      {documentGroups.map(({ key, slugs }) => (
        <div key={key} className={classes['group']}>
          <p className={classes['groupName']}>{t(`docs.groups.${key}`)}</p>
          <ul className={classes['list']}>
            {slugs.map((slug) => (
              <li key={slug}>
                <Link
                  to={`/docs/${slug}`}
                  className={classes['link']}
                  aria-current={isCurrent(`/docs/${slug}`) ? 'page' : undefined}
                  onClick={() => {
                    requestHeadingFocus();
                    onChosen?.();
                  }}
                >
                  {t(`docs.names.${slug}`)}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <div className={classes['group']}>
        <Link to="/" className={classes['link']}>
          {t('docs.console')}
        </Link>
      </div>
    </nav>
  );
}
