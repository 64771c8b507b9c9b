import { useTranslation } from 'react-i18next';
import { DataList } from '../../components/data-list.tsx';
import type { DataListProps } from '../../components/data-list.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Section } from '../../components/section.tsx';
import { TextLink } from '../../components/links.tsx';

interface MemberListProps<Row> extends Pick<DataListProps<Row>, 'columns' | 'keyOf' | 'linkOf'> {
  title: string;
  rows: Row[];
  /** Where all of them are, not the newest only. */
  all: string;
  emptyTitle: string;
}

/** The newest of something that a member has. */
export function MemberList<Row>({ title, all, emptyTitle, ...list }: MemberListProps<Row>) {
  const { t } = useTranslation();
  return (
    <Section
      title={title}
      actions={list.rows.length > 0 ? <TextLink to={all}>{t('members.showAll')}</TextLink> : undefined}
      flush
    >
      <DataList caption={title} {...list} empty={<EmptyState title={emptyTitle} />} />
    </Section>
  );
}
