import { IconCircleCheckFilled, IconCircleDashed } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { HomeView } from '../../data/types.ts';
import { Section } from '../../ui/section.tsx';
import { TextLink } from '../../ui/links.tsx';
import classes from './checklist.module.css';

const steps = [
  { key: 'key_used', to: '/credentials' },
  { key: 'first_order', to: '/credentials#snippets' },
  { key: 'webhook_registered', to: '/webhooks?new=1' },
  { key: 'signature_verified', to: '/signature-checker' },
] as const;

/** The first steps of a new merchant. Renders nothing when all are completed. */
export function Checklist({ done }: { done: NonNullable<HomeView['checklist']> }) {
  const { t } = useTranslation();
  const count = steps.filter(({ key }) => done[key]).length;
  if (count === steps.length) return null;
  return (
    <Section title={t('home.checklist.title')} lead={t('home.checklist.lead', { count, of: steps.length })}>
      <ol className={classes['steps']}>
        {steps.map(({ key, to }) => {
          const isDone = done[key];
          const Icon = isDone ? IconCircleCheckFilled : IconCircleDashed;
          return (
            <li key={key} className={`${classes['step']} ${isDone ? classes['done'] : ''}`}>
              <Icon
                size={20}
                role="img"
                aria-label={isDone ? t('home.checklist.done') : t('home.checklist.open')}
              />
              <div>
                <p className={classes['name']}>{t(`home.checklist.${key}.name`)}</p>
                {!isDone && <p className={classes['text']}>{t(`home.checklist.${key}.text`)}</p>}
                {!isDone && <TextLink to={to}>{t(`home.checklist.${key}.action`)}</TextLink>}
              </div>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
