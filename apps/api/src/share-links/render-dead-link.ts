import { createHash } from 'node:crypto';
import type { ErrorRequestHandler } from 'express';
import { pageHeaders } from '@rewardhook/process';
import { ApiError } from '../http/api-error.ts';

const style = `
  :root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5 }
  main { max-width: 28rem; margin: 20vh auto 0; padding: 0 1.5rem; word-break: keep-all }
  h1 { font-size: 1.375rem }
`;

const texts = {
  en: {
    title: 'This invitation link does not work',
    text: 'It was not copied completely, or it is no longer valid. Ask the friend who sent it for a new one.',
  },
  ko: {
    title: '사용할 수 없는 초대 링크입니다',
    text: '링크가 일부만 복사되었거나 더 이상 유효하지 않습니다. 링크를 보낸 친구에게 새 링크를 요청해 주세요.',
  },
};

const setHeaders = pageHeaders({
  defaultSrc: ["'none'"],
  styleSrc: [`'sha256-${createHash('sha256').update(style).digest('base64')}'`],
});

/** Answers people who follow a link below `/r/` that leads nowhere with a page in their language, Korean or English. */
export const renderDeadLink: ErrorRequestHandler = (error: unknown, request, response, next) => {
  const isDead = error instanceof URIError || (error instanceof ApiError && error.code === 'not_found');
  if (!isDead) return next(error);
  const language = request.acceptsLanguages('en', 'ko') === 'ko' ? 'ko' : 'en';
  const { title, text } = texts[language];
  setHeaders(request, response, () => {
    response
      .status(404)
      .set({ 'cache-control': 'no-store', 'content-language': language, vary: 'Accept-Language' });
    response.type('html').send(`<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
</html>
`);
  });
};
