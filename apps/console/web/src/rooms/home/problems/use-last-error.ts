import { useTranslation } from 'react-i18next';

/** Returns a function that shows the last error of a problem: the status of an answer, how an attempt failed, or an error code. */
export function useLastError(): (error: string) => string {
  const { t, i18n } = useTranslation();
  return (error) => {
    const [, status] = /^status (\d+)$/.exec(error) ?? [];
    if (status !== undefined) return `HTTP ${status}`;
    const known = [`attemptErrors.${error}`, `problems.errors.${error}`].find((key) => i18n.exists(key));
    return known === undefined ? error : t(known as 'attemptErrors.dns');
  };
}
