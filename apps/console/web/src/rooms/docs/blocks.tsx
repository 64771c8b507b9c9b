import { IconLink } from '@tabler/icons-react';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { Snippet } from '../../ui/snippet.tsx';
import classes from './blocks.module.css';
import { textOf } from './document.ts';
import type { Block, HeadingBlock, Inline } from './document.ts';
import { DocLink } from './doc-link.tsx';

/** Renders the parts of a document. */
export function Blocks({ blocks }: { blocks: readonly Block[] }) {
  return blocks.map((block, index) => <BlockView key={index} block={block} number={index} />);
}

function BlockView({ block, number }: { block: Block; number: number }) {
  const { t } = useTranslation();
  switch (block.kind) {
    case 'heading':
      return <Heading {...block} />;
    case 'paragraph':
      return (
        <p className={classes['paragraph']}>
          <Inlines parts={block.text} />
        </p>
      );
    case 'list': {
      const List = block.ordered ? 'ol' : 'ul';
      return (
        <List className={classes['list']}>
          {block.items.map((item, index) => (
            <li key={index}>
              <Blocks blocks={item} />
            </li>
          ))}
        </List>
      );
    }
    case 'table':
      return <Table {...block} name={t('docs.table', { number })} />;
    case 'code':
      return (
        <div className={classes['code']}>
          <Snippet text={block.text} name={t('docs.example', { language: block.language, number })} />
        </div>
      );
    case 'quote':
      return (
        <blockquote className={classes['quote']}>
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
  }
}

function Heading({ level, id, text }: HeadingBlock) {
  const { t } = useTranslation();
  const Level = level === 2 ? 'h2' : 'h3';
  return (
    <Level id={id} className={classes[Level]}>
      <Inlines parts={text} />
      <a
        href={`#${id}`}
        className={classes['anchor']}
        aria-label={t('docs.linkTo', { heading: textOf(text) })}
      >
        <IconLink size={16} stroke={1.7} aria-hidden />
      </a>
    </Level>
  );
}

function Table({ head, rows, name }: { head: Inline[][]; rows: Inline[][][]; name: string }) {
  return (
    // Scrollable, so it must be reachable by keyboard.
    <div className={classes['tableFrame']} tabIndex={0} role="region" aria-label={name}>
      <table className={classes['table']}>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col">
                <Inlines parts={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>
                  <Inlines parts={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Inlines({ parts }: { parts: readonly Inline[] }) {
  return parts.map((part, index) => (
    <Fragment key={index}>
      <InlineView part={part} />
    </Fragment>
  ));
}

function InlineView({ part }: { part: Inline }) {
  if (typeof part === 'string') return part;
  if ('code' in part) return <code className={classes['inlineCode']}>{part.code}</code>;
  if ('strong' in part)
    return (
      <strong>
        <Inlines parts={part.strong} />
      </strong>
    );
  if ('em' in part)
    return (
      <em>
        <Inlines parts={part.em} />
      </em>
    );
  return (
    <DocLink to={part.link}>
      <Inlines parts={part.text} />
    </DocLink>
  );
}
