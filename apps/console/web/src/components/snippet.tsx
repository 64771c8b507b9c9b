import { CopyButton } from './copy-button.tsx';
import classes from './snippet.module.css';

/** Text to be read as it is or pasted elsewhere, with a copy button. `what` names it for screen readers. */
export function Snippet({ text, what, wrap = false }: { text: string; what: string; wrap?: boolean }) {
  return (
    <div className={classes['snippet']}>
      {/* Scrolls, so the keyboard must reach it. */}
      <pre
        className={`${classes['text']} ${wrap ? classes['wrap'] : ''}`}
        tabIndex={0}
        aria-label={what}
        role="region"
      >
        {text}
      </pre>
      <div className={classes['copy']}>
        <CopyButton value={text} what={what} />
      </div>
    </div>
  );
}
