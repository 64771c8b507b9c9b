import { isPair } from '../../web/src/app/pairs.ts';
import type { Pairs } from '../../web/src/app/pairs.ts';
import { texts as app } from '../../web/src/app/texts.ts';
import { texts as account } from '../../web/src/rooms/account/texts.ts';
import { texts as customers } from '../../web/src/rooms/customers/texts.ts';
import { texts as developers } from '../../web/src/rooms/developers/texts.ts';
import { texts as docs } from '../../web/src/rooms/docs/texts.ts';
import { texts as home } from '../../web/src/rooms/home/texts.ts';
import { texts as people } from '../../web/src/rooms/people/texts.ts';
import { texts as program } from '../../web/src/rooms/program/texts.ts';

/** A text of the console: its key, the room that it is loaded with (`app`: any), and both languages. */
export interface Text {
  key: string;
  room: string;
  english: string;
  korean: string;
}

const rooms = { app, account, customers, developers, docs, home, people, program };

/** All texts of the console. */
export const allTexts: Text[] = Object.entries<Pairs>(rooms).flatMap(([room, texts]) =>
  textsIn(texts, room, ''),
);

function textsIn(texts: Pairs, room: string, group: string): Text[] {
  return Object.entries(texts).flatMap(([name, value]) => {
    const key = group + name;
    if (!isPair(value)) return textsIn(value, room, `${key}.`);
    const [english, korean] = value;
    return { key, room, english, korean };
  });
}
