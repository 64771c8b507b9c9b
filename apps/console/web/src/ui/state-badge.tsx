import { useTranslation } from 'react-i18next';
import type { ReplayListRow, RewardState, WebhookView } from '../data/types.ts';
import { Badge } from './badge.tsx';
import type { Tone } from './badge.tsx';

type State =
  | ReplayListRow['states'][number]
  | 'pending'
  | RewardState
  | WebhookView['status']
  | ReplayListRow['state']
  | 'deleted';

const tones: Record<State, Tone> = {
  pending: 'info',
  held: 'warn',
  delivered: 'good',
  exhausted: 'bad',
  cancelled: 'idle',
  confirmed: 'good',
  revoked: 'idle',
  active: 'good',
  paused: 'warn',
  failing: 'bad',
  disabled: 'bad',
  deleted: 'idle',
  running: 'info',
  done: 'good',
};

/** The state of a delivery, reward, webhook or replay. */
export function StateBadge({ state }: { state: State }) {
  const { t } = useTranslation();
  return <Badge tone={tones[state]}>{t(`states.${state}`)}</Badge>;
}
