import { createElement, type ReactNode, useMemo } from 'react';
import { inOrder, LongText } from './long-text.tsx';
import { type Block, blocksOf, type Inline, type Item, type Table } from './markdown.ts';

/* Elements only: no text ever becomes markup. */

function inline(parts: readonly Inline[]): ReactNode {
  return inOrder(parts.map(inlineOne));
}

function inlineOne(part: Inline): ReactNode {
  switch (part.type) {
    case 'code':
      return <code>{part.text}</code>;
    case 'strong':
      return <strong>{inline(part.children)}</strong>;
    case 'em':
      return <em>{inline(part.children)}</em>;
    case 'del':
      return <del>{inline(part.children)}</del>;
    case 'link':
      return (
        <a href={part.href} target="_blank" rel="noreferrer noopener nofollow">
          {inline(part.children)}
        </a>
      );
    default:
      return part.text;
  }
}

function block(each: Block): ReactNode {
  switch (each.type) {
    case 'paragraph':
      return <p>{inline(each.children)}</p>;
    case 'heading':
      // Below the headings of the page itself.
      return each.level < 3 ? <h3>{inline(each.children)}</h3> : <h4>{inline(each.children)}</h4>;
    case 'code':
      return (
        <pre>
          <code>{each.text}</code>
        </pre>
      );
    case 'rule':
      return <hr />;
    case 'quote':
      return <blockquote>{blocks(each.blocks)}</blockquote>;
    case 'table':
      return table(each);
    case 'list': {
      const items = inOrder(each.items.map(itemOf));
      return each.ordered ? <ol start={each.start}>{items}</ol> : <ul>{items}</ul>;
    }
  }
}

function table({ head, rows, columns }: Table): ReactNode {
  const rowOf = (tag: 'th' | 'td', cells: readonly Inline[][]) => {
    const shown = cells.map((cell, place) => {
      const textAlign = columns[place] ?? 'left';
      return createElement(tag, { scope: tag === 'th' ? 'col' : undefined, style: { textAlign } }, inline(cell));
    });
    return <tr>{inOrder(shown)}</tr>;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys.
    <div className="sideways" tabIndex={0}>
      <table className="figures">
        <thead>{rowOf('th', head)}</thead>
        <tbody>{inOrder(rows.map((cells) => rowOf('td', cells)))}</tbody>
      </table>
    </div>
  );
}

function itemOf({ done, blocks: inside }: Item): ReactNode {
  if (done === null) return <li>{blocks(inside)}</li>;
  return (
    <li className="task">
      <span className="task-mark">
        <span aria-hidden="true">{done ? '☑' : '☐'}</span>
        <span className="visually-hidden">{done ? 'Done:' : 'To do:'}</span>
      </span>
      <div>{blocks(inside)}</div>
    </li>
  );
}

function blocks(all: readonly Block[]): ReactNode {
  return inOrder(all.map(block));
}

const parsed = new WeakMap<object, Block[]>();

/** The blocks of a text, parsed once where it is that of an object that never changes. */
function blocksOfSource(text: string, source: object | undefined): Block[] {
  const known = source && parsed.get(source);
  if (known) return known;
  const found = blocksOf(text);
  if (source) parsed.set(source, found);
  return found;
}

interface ProseProps {
  text: string;
  source?: object | undefined;
}

/** Markdown as it reads. Links open a window of their own, without a reference to this one. */
export default function Prose({ text, source }: ProseProps) {
  return (
    <LongText className="prose" text={text}>
      {(shown) => <Blocks text={shown} source={shown === text ? source : undefined} />}
    </LongText>
  );
}

function Blocks({ text, source }: ProseProps) {
  const found = useMemo(() => blocksOfSource(text, source), [text, source]);
  return blocks(found);
}
