import { BarChart, LineChart } from '@mantine/charts';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Section } from '../../ui/section.tsx';
import { useFormat } from '../../ui/use-format.ts';

export interface Series {
  name: string;
  label: string;
  color: string;
}

interface PlotProps {
  title: string;
  lead?: string | undefined;
  rows: ({ at: string } & Record<string, number | string | null>)[];
  series: Series[];
  /** Lines instead of stacked bars. */
  line?: boolean;
  format?: (value: number) => string;
}

/** A plot, with the same numbers as a table for screen readers. */
export function Plot({ title, lead, rows, series, line = false, format }: PlotProps) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const show = format ?? number;
  // A bar of zero is invisible, a point of zero is not.
  const isMissing = (value: unknown) => (line ? value === null : !value);
  const empty = rows.every((row) => series.every(({ name }) => isMissing(row[name])));
  const shared = {
    h: 220,
    data: rows,
    dataKey: 'at',
    series,
    valueFormatter: show,
    withLegend: series.length > 1,
    legendProps: { verticalAlign: 'bottom', height: 32 } as const,
    gridAxis: 'x',
    tickLine: 'none',
    xAxisProps: { minTickGap: 40 },
    yAxisProps: { allowDecimals: false, width: 56 },
  } as const;
  return (
    <Section title={title} {...(lead ? { lead } : {})}>
      {empty ? (
        <EmptyState title={t('home.plots.empty')} />
      ) : (
        <>
          <div aria-hidden>
            {line ? (
              <LineChart
                lineChartProps={{ accessibilityLayer: false }}
                // The data is refreshed every few seconds.
                lineProps={{ isAnimationActive: false }}
                {...shared}
                curveType="monotone"
                // A time without data is a gap in the line.
                connectNulls={false}
                dotProps={{ r: 2.5, strokeWidth: 0 }}
                strokeWidth={2}
              />
            ) : (
              <BarChart
                barChartProps={{ accessibilityLayer: false }}
                barProps={{ isAnimationActive: false }}
                {...shared}
                type="stacked"
                maxBarWidth={26}
              />
            )}
          </div>
          <PlotTable title={title} rows={rows} series={series} show={show} />
        </>
      )}
    </Section>
  );
}

interface PlotTableProps {
  title: string;
  rows: ({ at: string } & Record<string, number | string | null>)[];
  series: Series[];
  show: (value: number) => string;
}

/** The numbers of a plot as a table, for screen readers. */
function PlotTable({ title, rows, series, show }: PlotTableProps) {
  const { t } = useTranslation();
  return (
    <div className="visually-hidden">
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{t('home.plots.time')}</th>
            {series.map(({ name, label }) => (
              <th key={name} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.at}>
              <th scope="row">{row.at}</th>
              {series.map(({ name }) => (
                <td key={name}>{typeof row[name] === 'number' ? show(row[name]) : t('home.plots.noData')}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
