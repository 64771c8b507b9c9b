import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DeliveryView } from '../../../data/types.ts';
import { Section } from '../../../ui/section.tsx';
import { Snippet } from '../../../ui/snippet.tsx';
import { indentJson } from '../../../ui/indent-json.ts';

/** The body of the event: formatted, or the exact bytes that are signed. */
export function EventBody({ event }: { event: DeliveryView['event'] }) {
  const { t } = useTranslation();
  const [exact, setExact] = useState(false);
  return (
    <Section
      title={t('deliveries.body')}
      lead={exact ? t('deliveries.bodyExactLead') : t('deliveries.bodyFormattedLead')}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={t('deliveries.bodyView')}
          value={exact ? 'exact' : 'formatted'}
          onChange={(value) => setExact(value === 'exact')}
          data={[
            { value: 'formatted', label: t('deliveries.bodyFormatted') },
            { value: 'exact', label: t('deliveries.bodyExact') },
          ]}
        />
      }
    >
      <Snippet name={t('deliveries.body')} text={exact ? event.body : indentJson(event.body)} wrap={exact} />
    </Section>
  );
}
