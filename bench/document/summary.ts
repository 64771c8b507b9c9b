import { ratioOf } from '../report/figure.ts';
import { readable } from '../report/print-table.ts';
import type { MeasuredSection } from './measured.ts';

/** The figures of the summary: where each is, and what it says. A section is found by the start of its title. */
const lines = [
  {
    section: 'End to end',
    figure: 'compared with the naive implementation',
    text: 'orders stored, end to end',
    link: 'orders-end-to-end',
  },
  {
    section: 'End to end',
    figure: 'every member linked',
    text: 'orders stored and evaluated, every member linked',
    link: 'orders-end-to-end',
  },
  {
    section: 'The 202',
    figure: 'latency p99',
    text: 'p99 of the 202, at half of that load',
    link: 'requests',
  },
  {
    section: 'One order',
    figure: 'POST to first attempt received, p50',
    text: 'POST of an order to its webhook, idle system, p50',
    link: 'one-order',
  },
  {
    section: 'Deliveries',
    figure: '10 endpoints',
    text: 'webhooks sent, every attempt stored',
    link: 'deliveries',
  },
  {
    section: 'Side by side: due deliveries',
    figure: '10 endpoints, compared with BullMQ',
    text: 'webhooks sent, beside plain BullMQ',
    link: 'side-by-side',
  },
  {
    section: 'Fairness',
    figure: '1,000 merchants, linked, p99',
    text: 'p99 of a single order, POST to webhook, while 1,000 merchants send as fast as they can',
    link: 'between-merchants',
  },
  {
    section: 'Overload',
    figure: 'p99 of the accepted requests',
    text: 'p99 of the accepted requests at four times the load',
    link: 'under-pressure',
  },
  {
    section: 'Growth: processor time of PostgreSQL for 10,000 orders stored',
    figure: 'ids that grow',
    text: 'PostgreSQL for 10,000 orders beside 10 million, ids that grow',
    link: 'growth',
  },
];

/** The most important figures of the page, with links to their tables. @throws when one of them is not measured */
export function summaryRows(measured: MeasuredSection[]): string[][] {
  return [
    ['', 'figure', 'beside', 'ratio'],
    ...lines.map(({ section: title, figure: name, text, link }) => {
      const { figures = [] } = measured.find(({ section }) => section.startsWith(title)) ?? {};
      const figure = figures.find((one) => one.name === name);
      if (!figure) throw new Error(`the summary has no figure "${name}" of "${title}"`);
      const ratio = ratioOf(figure);
      return [
        `[${text}](#${link})`,
        `${readable(figure.value)} ${figure.unit}`,
        figure.reference ? `${readable(figure.reference.value)} ${figure.reference.name}` : '',
        ratio === undefined ? '' : `${readable(ratio)}×`,
      ];
    }),
  ];
}
