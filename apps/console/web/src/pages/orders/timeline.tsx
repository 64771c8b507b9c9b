import { useTranslation } from 'react-i18next';
import type { TimelineEntryView } from '../../api/types.ts';
import { DateTime } from '../../components/date-time.tsx';
import { Section } from '../../components/section.tsx';
import { TimelineEntryDetail } from './timeline-entry-detail.tsx';
import { lookOf } from './timeline-entry-icon.ts';
import { withContext } from './timeline-entry-context.ts';
import classes from './timeline.module.css';

/** All that happened to an order, oldest first. */
export function Timeline({ timeline }: { timeline: TimelineEntryView[] }) {
  const { t } = useTranslation();
  return (
    <Section title={t('orders.timeline')} lead={t('orders.timelineLead')}>
      <ol className={classes['timeline']}>
        {timeline.map((entry, index) => {
          const { Icon, tone } = lookOf(entry);
          return (
            <li key={index} className={classes['step']}>
              <span className={`${classes['dot']} ${tone ? classes[tone] : ''}`} aria-hidden>
                <Icon size={14} stroke={2} />
              </span>
              <div className={classes['head']}>
                <span className={classes['title']}>
                  {t(`timelineEntries.${entry.what as 'evaluated'}`, { defaultValue: entry.what })}
                </span>
                <span className={classes['time']}>
                  <DateTime at={entry.at} />
                </span>
              </div>
              <TimelineEntryDetail entry={withContext(entry, timeline)} />
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
