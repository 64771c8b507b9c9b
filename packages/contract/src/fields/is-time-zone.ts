/** Whether this is the name of a time zone, such as `Asia/Seoul`. Offsets such as `+09:00` are none. */
export function isTimeZone(name: string): boolean {
  if (/^[+-]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
