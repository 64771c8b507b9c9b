import { Tabs } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { apiUrlOf } from '../../api/session.ts';
import { useSession } from '../../app/session-context.ts';
import { Section } from '../../components/section.tsx';
import { Snippet } from '../../components/snippet.tsx';
import { bootByHtml, userHash } from '../../snippets/boot-snippets.ts';
import { syncWithCurl, syncWithNode } from '../../snippets/sync-snippets.ts';
import { verifyByLibrary, verifyByNode } from '../../snippets/verify-snippets.ts';

/** Code to paste: the first order, the boot of a member, and a receiver of webhooks. */
export function Snippets() {
  const { t } = useTranslation();
  const apiUrl = apiUrlOf(useSession());
  const snippets = [
    { key: 'curl', text: syncWithCurl(apiUrl) },
    { key: 'node', text: syncWithNode(apiUrl) },
    { key: 'userHash', text: userHash },
    { key: 'boot', text: bootByHtml(apiUrl) },
    { key: 'verifyNode', text: verifyByNode },
    { key: 'verifyLibrary', text: verifyByLibrary },
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
