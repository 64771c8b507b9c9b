import { Loader, useComputedColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import openApiUrl from '../../../../../../docs/openapi.json?url';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { takeHeadingFocus } from '../../ui/heading-focus.ts';
import classes from './api-reference.module.css';
import { DocsLayout } from './docs-layout.tsx';

/** The API reference at /docs/api-reference: the OpenAPI document of the API, as Swagger UI shows it. */
export function ApiReference() {
  const { t } = useTranslation();
  const heading = useRef<HTMLHeadingElement>(null);
  const title = t('docs.names.api-reference');
  const query = useQuery({
    queryKey: ['docs', 'openapi'],
    queryFn: () => loadDocument(openApiUrl),
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => {
    document.title = `${title} · Rewardhook`;
  }, [title]);
  useEffect(() => {
    if (takeHeadingFocus()) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <DocsLayout>
      <div className={classes['page']}>
        <h1 ref={heading} tabIndex={-1} className={classes['title']}>
          {title}
        </h1>
        <p className={classes['lead']}>{t('docs.reference.lead')}</p>
        {query.data && <Reference document={query.data} />}
        {query.error && <ErrorNotice error={query.error} retry={() => void query.refetch()} />}
        {query.isPending && <Loader aria-label="…" />}
      </div>
    </DocsLayout>
  );
}

async function loadDocument(url: string): Promise<object> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the OpenAPI document is answered with ${response.status}`);
  // Its address of the API is an example.
  const { servers: _servers, ...document } = (await response.json()) as { servers: unknown };
  return document;
}

/** Without the forms for keys: a secret key must not be in a page. */
const withoutAuthorization = {
  wrapComponents: { authorizeBtn: () => () => null, authorizeOperationBtn: () => () => null },
};

/**
 * Swagger UI with its own copy of React. It sends no requests: the page must not have a secret key, and the API answers
 * no other origin.
 */
function Reference({ document: spec }: { document: object }) {
  const element = useRef<HTMLDivElement>(null);
  const dark = useComputedColorScheme('light') === 'dark';
  useEffect(() => {
    SwaggerUI({
      domNode: element.current,
      spec,
      deepLinking: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      filter: true,
      supportedSubmitMethods: [],
      syntaxHighlight: { activated: false },
      validatorUrl: null,
      plugins: [withoutAuthorization],
    });
  }, [spec]);
  useEffect(() => {
    const { classList } = document.documentElement;
    classList.toggle('dark-mode', dark);
    return () => classList.remove('dark-mode');
  }, [dark]);
  return <div ref={element} className={classes['reference']} lang="en" />;
}
