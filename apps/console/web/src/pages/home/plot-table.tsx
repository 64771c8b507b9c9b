import { useTranslation } from 'react-i18next';
import type { Series } from './plot.tsx';

interface PlotTableProps {
  title: string;
  rows: ({ at: string } & Record<string, number | string | null>)[];
  series: Series[];
  show: (value: number) => string;
}

/** What a plot shows, in words: for screen readers. */
export function PlotTable({ title, rows, series, show }: PlotTableProps) {
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
