import {
  IconArrowBackUp,
  IconBell,
  IconCheck,
  IconDownload,
  IconGift,
  IconLink,
  IconListCheck,
  IconPoint,
  IconSend,
  IconTrash,
  IconUser,
  IconX,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { TimelineEntryView } from '../../../data/types.ts';
import { DateTime } from '../../../ui/date-time.tsx';
import { Section } from '../../../ui/section.tsx';
import { TimelineEntryDetail } from './timeline-entry-detail.tsx';
import classes from './timeline.module.css';

interface EntryIcon {
  Icon: typeof IconPoint;
  tone?: 'good' | 'bad' | 'info';
}

const icons = new Map<string, EntryIcon>(
  Object.entries({
    version_received: { Icon: IconDownload },
    version_dropped: { Icon: IconDownload },
    member_linked: { Icon: IconLink, tone: 'info' },
    link_moved: { Icon: IconLink, tone: 'info' },
    member_merged: { Icon: IconUser, tone: 'info' },
    referral_accepted: { Icon: IconCheck, tone: 'good' },
    referral_rejected: { Icon: IconX, tone: 'bad' },
    evaluated: { Icon: IconListCheck, tone: 'info' },
    corrected: { Icon: IconUser, tone: 'info' },
    reward_given: { Icon: IconGift, tone: 'good' },
    reward_confirmed: { Icon: IconCheck, tone: 'good' },
    reward_revoked: { Icon: IconArrowBackUp, tone: 'bad' },
    reward_cancelled: { Icon: IconArrowBackUp },
    event: { Icon: IconBell },
    delivery: { Icon: IconSend },
    decisions_deleted: { Icon: IconTrash },
    event_deleted: { Icon: IconTrash },
    attempts_deleted: { Icon: IconTrash },
  }),
);

/** Icon and tone of a timeline entry. */
function iconOf({ what, status }: TimelineEntryView): EntryIcon {
  if (what !== 'attempt') return icons.get(what) ?? { Icon: IconPoint };
  const succeeded = typeof status === 'number' && status >= 200 && status < 300;
  return succeeded ? { Icon: IconCheck, tone: 'good' } : { Icon: IconX, tone: 'bad' };
}

/** Everything that happened to an order, oldest first. */
export function Timeline({ timeline }: { timeline: TimelineEntryView[] }) {
  const { t } = useTranslation();
  return (
    <Section title={t('orders.timeline')} lead={t('orders.timelineLead')}>
      <ol className={classes['timeline']}>
        {timeline.map((entry, index) => {
          const { Icon, tone } = iconOf(entry);
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

/** Adds the details of an earlier entry about the same reward or delivery. Its own details take precedence. */
function withContext(entry: TimelineEntryView, timeline: TimelineEntryView[]): TimelineEntryView {
  const { what, reward_id: rewardId, delivery_id: deliveryId } = entry;
  const context = timeline.find((earlier) =>
    what === 'attempt'
      ? earlier.what === 'delivery' && earlier['delivery_id'] === deliveryId
      : rewardId !== undefined && earlier.what === 'reward_given' && earlier['reward_id'] === rewardId,
  );
  return { ...context, ...entry };
}
