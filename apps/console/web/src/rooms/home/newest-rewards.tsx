import { useTranslation } from 'react-i18next';
import type { NewestReward } from '../../data/types.ts';
import { pathOf } from '../../app/paths.ts';
import { Badge } from '../../ui/badge.tsx';
import { DataList } from '../../ui/data-list.tsx';
import type { Columns } from '../../ui/data-list.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { idColumn } from '../../ui/id-column.tsx';
import { TextLink } from '../../ui/links.tsx';
import { Section } from '../../ui/section.tsx';
import { useBecame } from '../../ui/use-became.ts';

const columns: Columns<NewestReward> = ({ t, amount }) => [
  {
    header: t('home.rewards.given'),
    width: 110,
    cell: ({ created_at: at }) => <DateTime at={at} relative />,
  },
  { header: t('home.rewards.reward'), width: 110, cell: (reward) => amount(reward.amount, reward.unit) },
  idColumn(t('fields.member'), (reward) => reward.member_id, pathOf.member),
  idColumn(t('fields.order'), (reward) => reward.order_id, pathOf.order),
  { header: t('home.rewards.became'), width: 220, cell: (reward) => <Became reward={reward} />, wraps: true },
];

/** The newest rewards, with what became of them. */
export function NewestRewards({ rewards }: { rewards: NewestReward[] }) {
  const { t } = useTranslation();
  const title = t('home.rewards.title');
  return (
    <Section
      title={title}
      actions={rewards.length > 0 && <TextLink to="/rewards">{t('home.rewards.all')}</TextLink>}
      flush
    >
      <DataList
        caption={title}
        columns={columns}
        rows={rewards}
        keyOf={(reward) => reward.id}
        linkOf={(reward) => pathOf.order(reward.order_id)}
        empty={
          <EmptyState
            title={t('home.rewards.empty')}
            text={t('home.rewards.emptyText')}
            next={{ to: '/credentials#snippets', label: t('home.checklist.first_order.action') }}
          />
        }
      />
    </Section>
  );
}

function Became({ reward }: { reward: NewestReward }) {
  const { text, tone } = useBecame()(reward);
  return <Badge tone={tone}>{text}</Badge>;
}
