import { CopyButton } from './copy-button.tsx';
import classes from './snippet.module.css';

/** Preformatted text with a copy button. `name` is its accessible name. */
export function Snippet({ text, name, wrap = false }: { text: string; name: string; wrap?: boolean }) {
  return (
    <div className={classes['snippet']}>
      {/* Scrollable, so it must be reachable by keyboard. */}
      <pre
        className={`${classes['text']} ${wrap ? classes['wrap'] : ''}`}
        tabIndex={0}
        aria-label={name}
        role="region"
      >
        {text}
      </pre>
      <div className={classes['copy']}>
        <CopyButton value={text} name={name} />
      </div>
    </div>
  );
}
