import {
  IconAlertTriangle,
  IconBan,
  IconCheck,
  IconClock,
  IconPlayerPause,
  IconRefresh,
  IconSend,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { DeliveryProgress } from '../../../data/types.ts';
import { Badge } from '../../../ui/badge.tsx';
import type { Tone } from '../../../ui/badge.tsx';

const looks: Record<DeliveryProgress, { tone: Tone; Icon: typeof IconCheck }> = {
  sending: { tone: 'info', Icon: IconSend },
  retrying: { tone: 'warn', Icon: IconRefresh },
  waiting: { tone: 'warn', Icon: IconClock },
  held: { tone: 'warn', Icon: IconPlayerPause },
  delivered: { tone: 'good', Icon: IconCheck },
  failed: { tone: 'bad', Icon: IconAlertTriangle },
  cancelled: { tone: 'idle', Icon: IconBan },
};

/** How far a delivery is. */
export function ProgressBadge({ progress }: { progress: DeliveryProgress }) {
  const { t } = useTranslation();
  const { tone, Icon } = looks[progress];
  return (
    <Badge tone={tone} icon={<Icon size={13} aria-hidden />}>
      {t(`deliveries.progress.${progress}`)}
    </Badge>
  );
}
