import { IconLink } from '@tabler/icons-react';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { Snippet } from '../../ui/snippet.tsx';
import classes from './blocks.module.css';
import { textOf } from './document.ts';
import type { Block, Field, HeadingBlock, Inline } from './document.ts';
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
        <p className={classes['paragraph']} lang={block.language}>
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
    case 'endpoint':
      return (
        <p className={classes['endpoint']}>
          <span className={classes['method']} data-method={block.method}>
            {block.method}
          </span>
          <code>{block.path}</code>
        </p>
      );
    case 'label':
      return <h4 className={classes['label']}>{block.text}</h4>;
    case 'fields':
      return <Fields fields={block.fields} />;
  }
}

function Heading({ level, id, text, language }: HeadingBlock) {
  const { t } = useTranslation();
  const Level = level === 2 ? 'h2' : 'h3';
  return (
    <Level id={id} className={classes[Level]}>
      <span lang={language}>
        <Inlines parts={text} />
      </span>
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

/** A nested list of fields: the name, the type and the limits of each, and its description. */
function Fields({ fields }: { fields: readonly Field[] }) {
  return (
    <ul className={classes['fields']}>
      {fields.map(({ name, id, notes, text, fields: within }) => (
        <li key={name} id={id} className={classes['field']}>
          <div className={classes['notes']}>
            {name && <code className={classes['fieldName']}>{name}</code>}
            {notes.map((note, index) => (
              <span key={index}>
                <Inlines parts={note} />
              </span>
            ))}
          </div>
          {text.length > 0 && (
            <p className={classes['fieldText']} lang="en">
              <Inlines parts={text} />
            </p>
          )}
          {within.length > 0 && <Fields fields={within} />}
        </li>
      ))}
    </ul>
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
