import { BarChart, LineChart } from '@mantine/charts';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/empty-state.tsx';
import { Section } from '../../components/section.tsx';
import { useFormat } from '../../formatting/use-format.ts';
import { PlotTable } from './plot-table.tsx';

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

/** One plot, with the same numbers as a table for who cannot see it. */
export function Plot({ title, lead, rows, series, line = false, format }: PlotProps) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const show = format ?? number;
  // A line has a value or none; a bar of nothing is not seen.
  const isNothing = (value: unknown) => (line ? value === null : !value);
  const empty = rows.every((row) => series.every(({ name }) => isNothing(row[name])));
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
                // What is read anew every few seconds must not dance.
                lineProps={{ isAnimationActive: false }}
                {...shared}
                curveType="monotone"
                // Where nothing was measured there is a gap, not a line between what was measured beside it.
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
