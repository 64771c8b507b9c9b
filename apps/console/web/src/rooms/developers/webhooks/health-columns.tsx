import type { WebhookHealthRow } from '../../../data/types.ts';
import type { Columns } from '../../../ui/data-list.tsx';
import { TextLink } from '../../../ui/links.tsx';
import { answerText } from '../deliveries/answer-text.ts';

type Span = WebhookHealthRow['spans'][number];

/** Success and latency over spans of time. */
export const spanColumns: Columns<Span> = ({ t, number, percent, milliseconds }) => [
  { header: t('webhooks.span'), cell: ({ days }) => t('webhooks.lastDays', { count: days }) },
  {
    header: t('webhooks.success'),
    cell: ({ attempts, succeeded }) => (attempts === 0 ? '–' : percent(succeeded / attempts)),
    end: true,
  },
  {
    header: t('webhooks.attempts'),
    cell: ({ attempts, succeeded }) =>
      t('webhooks.succeededOf', { succeeded: number(succeeded), attempts: number(attempts) }),
    width: 160,
    end: true,
  },
  {
    header: t('webhooks.median'),
    cell: ({ p50_ms: ms }) => (ms === null ? '–' : `≤ ${milliseconds(ms)}`),
    end: true,
  },
  {
    header: t('webhooks.p95'),
    cell: ({ p95_ms: ms }) => (ms === null ? '–' : `≤ ${milliseconds(ms)}`),
    end: true,
  },
];

/** The attempts that ended in one way, by the days of the spans. */
interface Failure {
  outcome: string;
  webhookId: string;
  totals: { days: number; total: number }[];
}

/** The failures of the longest span, which has those of the shorter ones. */
export const failuresOf = (webhookId: string, spans: Span[]): Failure[] =>
  (spans.at(-1)?.failures ?? []).map(({ outcome }) => ({
    outcome,
    webhookId,
    totals: spans.map(({ days, failures }) => ({
      days,
      total: failures.find((one) => one.outcome === outcome)?.total ?? 0,
    })),
  }));

/** Failed attempts by status or kind. Each leads to the deliveries whose last attempt ended so. */
export const failureColumns: Columns<Failure> = ({ t, number }) => [
  {
    header: t('webhooks.outcome'),
    width: 160,
    cell: ({ outcome, webhookId }) => (
      <TextLink to={`/deliveries?endpoint_id=${webhookId}&answer=${outcome}`}>
        {answerText(t, outcome)}
      </TextLink>
    ),
  },
  ...[1, 7, 30].map((days) => ({
    header: t('webhooks.lastDays', { count: days }),
    cell: ({ totals }: Failure) => number(totals.find((one) => one.days === days)?.total ?? 0),
    end: true,
  })),
];
