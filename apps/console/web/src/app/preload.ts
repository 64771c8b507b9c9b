import { preloadPage, preloadRoom } from './pages.ts';
import { whenIdle } from '../ui/when-idle.ts';
import { withoutBase } from './mode.ts';

/** Loads the page of a link when the link is pointed at or focused, so that the navigation does not wait. */
export function preloadLinkedPages(): void {
  const preload = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest('a') : null;
    // A link that opens a new tab loads its page there.
    if (link && !link.target && link.origin === location.origin) void preloadPage(withoutBase(link.pathname));
  };
  document.addEventListener('pointerover', preload);
  document.addEventListener('focusin', preload);
}

/** How long nothing may have been requested before the other pages of a room are loaded, in ms. */
const quietTime = 2_000;

/** Loads the other pages of the room of a path when the browser is idle. Returns a function that ends the wait. */
export function preloadRoomWhenIdle(path: string, isFetching: () => boolean): () => void {
  let wait: number;
  const start = () => {
    wait = window.setTimeout(() => {
      if (isFetching()) start();
      else whenIdle(() => void preloadRoom(path));
    }, quietTime);
  };
  start();
  return () => clearTimeout(wait);
}
