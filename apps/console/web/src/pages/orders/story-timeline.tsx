import { useTranslation } from 'react-i18next';
import type { HappeningView } from '../../api/types.ts';
import { DateTime } from '../../parts/date-time.tsx';
import { Section } from '../../parts/section.tsx';
import { HappeningDetail } from './happening-detail.tsx';
import { lookOf } from './happening-look.ts';
import { withContext } from './happening-context.ts';
import classes from './story-timeline.module.css';

/** All that happened to an order, oldest first. */
export function StoryTimeline({ story }: { story: HappeningView[] }) {
  const { t } = useTranslation();
  return (
    <Section title={t('orders.story')} lead={t('orders.storyLead')}>
      <ol className={classes['story']}>
        {story.map((happening, index) => {
          const { Icon, tone } = lookOf(happening);
          return (
            <li key={index} className={classes['step']}>
              <span className={`${classes['dot']} ${tone ? classes[tone] : ''}`} aria-hidden>
                <Icon size={14} stroke={2} />
              </span>
              <div className={classes['head']}>
                <span className={classes['title']}>
                  {t(`happenings.${happening.what as 'judged'}`, { defaultValue: happening.what })}
                </span>
                <span className={classes['time']}>
                  <DateTime at={happening.at} />
                </span>
              </div>
              <HappeningDetail happening={withContext(happening, story)} />
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
