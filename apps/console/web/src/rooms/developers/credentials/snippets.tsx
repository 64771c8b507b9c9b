import { Tabs } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { apiUrlOf } from '../../../data/session.ts';
import { useSession } from '../../../app/session-context.ts';
import { Section } from '../../../ui/section.tsx';
import { Snippet } from '../../../ui/snippet.tsx';
import {
  bootSnippet,
  curlSnippet,
  libraryReceiverSnippet,
  nodeReceiverSnippet,
  nodeSnippet,
  userHashSnippet,
} from '../snippets/snippets.ts';

/** Code examples: sending an order, booting a member and receiving webhooks. */
export function Snippets() {
  const { t } = useTranslation();
  const apiUrl = apiUrlOf(useSession());
  const snippets = [
    { key: 'curl', text: curlSnippet(apiUrl) },
    { key: 'node', text: nodeSnippet(apiUrl) },
    { key: 'userHash', text: userHashSnippet },
    { key: 'boot', text: bootSnippet(apiUrl) },
    { key: 'verifyNode', text: nodeReceiverSnippet },
    { key: 'verifyLibrary', text: libraryReceiverSnippet },
  ] as const;
  return (
    <Section title={t('credentials.snippets')} lead={t('credentials.snippetsLead')}>
      <Tabs defaultValue="curl">
        <Tabs.List mb="sm">
          {snippets.map(({ key }) => (
            <Tabs.Tab key={key} value={key}>
              {t(`credentials.snippetNames.${key}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ key, text }) => (
          <Tabs.Panel key={key} value={key}>
            <Snippet name={t(`credentials.snippetNames.${key}`)} text={text} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Section>
  );
}
