import { useTranslation } from 'react-i18next';
import { useRead } from '../../../data/use-read.ts';
import { usePathId } from '../../../app/paths.ts';
import type { RequestView } from '../../../data/types.ts';
import { DataList } from '../../../ui/data-list.tsx';
import type { Columns } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { Identifier } from '../../../ui/identifier.tsx';
import { TextLink } from '../../../ui/links.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Page } from '../../../ui/page.tsx';
import { Section } from '../../../ui/section.tsx';
import { useFormat } from '../../../ui/use-format.ts';
import { ResultBadge, shownRoute } from './request-columns.tsx';
import { isWarningKind } from './warning-kinds.ts';

type FieldProblem = RequestView['errors'][number];

/** The most invalid fields, and ids of orders, that are stored of a request. */
const mostListed = 20;

const fieldColumns: Columns<FieldProblem> = ({ t }) => [
  {
    header: t('requests.field'),
    width: 240,
    wraps: true,
    cell: ({ path }) => (path === '' ? t('requests.requestItself') : <code>{path}</code>),
  },
  { header: t('requests.problem'), width: 320, wraps: true, cell: ({ message }) => message },
  { header: t('requests.code'), width: 150, cell: ({ code }) => <code>{code}</code> },
];

/** The orders whose ids begin so: those of a refused request may not be stored. */
const ordersWith = (id: string) => `/orders?${new URLSearchParams({ search: id })}`;

const orderColumns: Columns<string> = ({ t }) => [
  { header: t('fields.order'), wraps: true, cell: (id) => <TextLink to={ordersWith(id)}>{id}</TextLink> },
];

/** One request: its answer, the invalid fields, and the orders that the answer names. */
export function Request() {
  const { t } = useTranslation();
  const request = useRead('GET /requests/:id', { id: usePathId() }, { staleTime: Infinity });
  return (
    <Page
      docs="errors#error-codes"
      title={t('requests.one')}
      aside={request.data && <ResultBadge {...request.data} />}
      back={{ to: '/requests', label: t('nav.requests') }}
    >
      <Loaded query={request}>{(view) => <Details request={view} />}</Loaded>
    </Page>
  );
}

function Details({ request }: { request: RequestView }) {
  const { t } = useTranslation();
  const { number, milliseconds } = useFormat();
  const { errors, order_ids: orderIds, request_id: requestId, size, warnings } = request;
  return (
    <>
      <Section title={t('requests.about')}>
        <Facts
          facts={[
            [t('requests.at'), <DateTime at={request.at} exact />],
            [t('requests.route'), <code>{shownRoute(request.route)}</code>],
            [
              t('requests.requestId'),
              <Identifier
                value={requestId}
                name={t('requests.requestId')}
                to={`/requests?${new URLSearchParams({ request_id: requestId })}`}
                wrap
              />,
            ],
            [t('requests.key'), request.key_name ?? request.key_id],
            [t('requests.size'), size === null ? undefined : t('requests.bytes', { number: number(size) })],
            [t('requests.duration'), milliseconds(request.duration_ms)],
            [
              t('requests.warningsOf'),
              warnings.length === 0
                ? undefined
                : warnings
                    .map((kind) => (isWarningKind(kind) ? t(`requests.warnings.${kind}`) : kind))
                    .join(', '),
            ],
          ]}
        />
      </Section>
      {errors.length > 0 && (
        <Section
          title={t('requests.fields')}
          lead={errors.length === mostListed ? t('requests.firstOnly', { count: mostListed }) : undefined}
          flush
        >
          <DataList
            caption={t('requests.fields')}
            columns={fieldColumns}
            rows={errors}
            keyOf={({ path, code }) => `${path} ${code}`}
            empty={null}
          />
        </Section>
      )}
      {orderIds.length > 0 && (
        <Section
          title={t('requests.orders')}
          lead={orderIds.length === mostListed ? t('requests.firstOnly', { count: mostListed }) : undefined}
          flush
        >
          <DataList
            caption={t('requests.orders')}
            columns={orderColumns}
            rows={orderIds}
            keyOf={(id) => id}
            linkOf={ordersWith}
            empty={null}
          />
        </Section>
      )}
    </>
  );
}
