import { IconBook2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { DocumentSlug } from '../rooms/docs/slugs.ts';
import classes from './docs-link.module.css';

/** A document, or a heading of one by its English anchor: `webhooks#retries`. A test checks that it exists. */
export type DocsTarget = DocumentSlug | `${DocumentSlug}#${string}`;

/** A link to the documents, in a new tab, so that input on this page stays. */
export function DocsLink({ to, label }: { to: DocsTarget; label?: string }) {
  const { t } = useTranslation();
  return (
    <a className={classes['link']} href={`/docs/${to}`} target="_blank" rel="noreferrer">
      <IconBook2 size={16} stroke={1.7} aria-hidden />
      {label ?? t('docs.link')}
    </a>
  );
}
