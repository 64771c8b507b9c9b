import { Tabs } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Section } from '../../components/section.tsx';
import { Snippet } from '../../components/snippet.tsx';
import { libraryReceiverSnippet, nodeReceiverSnippet } from '../../snippets/snippets.ts';

/** How a receiver verifies a webhook, ready to paste. */
export function VerifySnippets() {
  const { t } = useTranslation();
  return (
    <Section title={t('signatureChecker.code')} lead={t('signatureChecker.codeLead')}>
      <Tabs defaultValue="node">
        <Tabs.List mb="sm">
          <Tabs.Tab value="node">node:crypto</Tabs.Tab>
          <Tabs.Tab value="library">@rewardhook/webhook</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="library">
          <Snippet name={t('signatureChecker.code')} text={libraryReceiverSnippet} />
        </Tabs.Panel>
        <Tabs.Panel value="node">
          <Snippet name={t('signatureChecker.code')} text={nodeReceiverSnippet} />
        </Tabs.Panel>
      </Tabs>
    </Section>
  );
}
