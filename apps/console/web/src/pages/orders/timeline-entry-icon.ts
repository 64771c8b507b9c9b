import {
  IconArrowBackUp,
  IconBell,
  IconCheck,
  IconDownload,
  IconGavel,
  IconGift,
  IconLink,
  IconPoint,
  IconSend,
  IconX,
} from '@tabler/icons-react';
import type { TimelineEntryView } from '../../api/types.ts';

interface Look {
  Icon: typeof IconPoint;
  tone?: 'good' | 'bad' | 'info';
}

const looks: Record<string, Look> = {
  version_received: { Icon: IconDownload },
  member_linked: { Icon: IconLink, tone: 'info' },
  referral_accepted: { Icon: IconCheck, tone: 'good' },
  referral_rejected: { Icon: IconX, tone: 'bad' },
  evaluated: { Icon: IconGavel, tone: 'info' },
  reward_given: { Icon: IconGift, tone: 'good' },
  reward_confirmed: { Icon: IconCheck, tone: 'good' },
  reward_revoked: { Icon: IconArrowBackUp, tone: 'bad' },
  reward_cancelled: { Icon: IconArrowBackUp },
  event: { Icon: IconBell },
  delivery: { Icon: IconSend },
};

/** Icon and colour of a step of the timeline. */
export function lookOf({ what, status }: TimelineEntryView): Look {
  if (what !== 'attempt') return looks[what] ?? { Icon: IconPoint };
  const right = typeof status === 'number' && status >= 200 && status < 300;
  return right ? { Icon: IconCheck, tone: 'good' } : { Icon: IconX, tone: 'bad' };
}
