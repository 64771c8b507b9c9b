import type { Check } from '@rewardhook/rewards';
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
import { useFormat } from '../../../ui/use-format.ts';
import { Checks } from './checks.tsx';
import { groupTimeline, withContext } from './group-timeline.ts';
import type { TimelineGroup } from './group-timeline.ts';
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

const deliveryTones = new Map([
  ['delivered', 'good'],
  ['exhausted', 'bad'],
  ['held', 'bad'],
] as const);

/** Icon and tone of a timeline entry. A delivery has the tone of its state. */
function iconOf({ what, state }: TimelineEntryView): EntryIcon {
  const tone = what === 'delivery' ? deliveryTones.get(state as 'delivered') : undefined;
  return { Icon: IconPoint, ...icons.get(what), ...(tone && { tone }) };
}

/** Everything that happened to an order, oldest first. What an evaluation or a delivery did is folded away below it. */
export function Timeline({ timeline }: { timeline: TimelineEntryView[] }) {
  const { t } = useTranslation();
  const groups = groupTimeline(timeline.map((entry) => withContext(entry, timeline)));
  return (
    <Section title={t('orders.timeline')} lead={t('orders.timelineLead')}>
      <ol className={classes['timeline']}>
        {groups.map(({ head, parts }, index) => {
          const { Icon, tone } = iconOf(head);
          return (
            <li key={index} className={classes['step']}>
              <span className={`${classes['dot']} ${tone ? classes[tone] : ''}`} aria-hidden>
                <Icon size={14} stroke={2} />
              </span>
              <EntryHead entry={head} />
              <TimelineEntryDetail entry={head} />
              <RewardChanges parts={parts} />
              <Parts head={head} parts={parts} />
            </li>
          );
        })}
      </ol>
    </Section>
  );
}

function EntryHead({ entry }: { entry: TimelineEntryView }) {
  const { t } = useTranslation();
  return (
    <div className={classes['head']}>
      <span className={classes['title']}>
        {t(`timelineEntries.${entry.what as 'evaluated'}`, { defaultValue: entry.what })}
      </span>
      <span className={classes['time']}>
        <DateTime at={entry.at} exact />
      </span>
    </div>
  );
}

/** What an evaluation or correction did to rewards: a reward that was confirmed when it was given is one line. */
function RewardChanges({ parts }: { parts: TimelineEntryView[] }) {
  const { t } = useTranslation();
  const { amount } = useFormat();
  const confirmed = new Set(
    parts.filter(({ what }) => what === 'reward_confirmed').map((part) => part['reward_id']),
  );
  const changes = parts.filter(
    ({ what, reward_id: id }) =>
      Object.hasOwn(changeTexts, what) && !(what === 'reward_given' && confirmed.has(id)),
  );
  return changes.map((part, index) => (
    <div key={index} className={classes['detail']}>
      {t(changeTexts[part.what as keyof typeof changeTexts], {
        member: part['member_id'],
        amount: amount(Number(part['amount']), String(part['unit'])),
      })}
    </div>
  ));
}

const changeTexts = {
  reward_given: 'timelineGroups.given',
  reward_confirmed: 'timelineGroups.reward_confirmed',
  reward_revoked: 'timelineGroups.reward_revoked',
  reward_cancelled: 'timelineGroups.reward_cancelled',
} as const;

/** The parts of a group and the checks of an evaluation, folded away. */
function Parts({ head, parts }: TimelineGroup) {
  const { t } = useTranslation();
  const checks = head['checks'] as Check[] | undefined;
  if (parts.length === 0 && !checks) return null;
  const attempts = head.what === 'delivery' ? parts.filter(({ what }) => what === 'attempt').length : 0;
  return (
    <details className={classes['parts']}>
      <summary>
        {attempts > 0 ? t('timelineGroups.attempts', { count: attempts }) : t('timelineGroups.show')}
      </summary>
      {checks && <Checks checks={checks} />}
      <ol className={classes['partList']}>
        {parts.map((part, index) => (
          <li key={index}>
            <EntryHead entry={part} />
            <TimelineEntryDetail entry={part} />
          </li>
        ))}
      </ol>
    </details>
  );
}
