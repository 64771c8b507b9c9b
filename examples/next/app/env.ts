/** Read when a request comes, because `next build` loads the routes without the secrets of the server. */
export function env(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}
